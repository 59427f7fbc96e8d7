package pack

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// Lows holds the past of each entry whose price has changed, in the form of the blobs: the
// series that they come from are read once.
type Lows struct {
	day    int64          // that the windows end with
	today  catalog.Millis // its start
	origin catalog.Millis // see layout.AppendTimestamp

	offsets []uint32 // entry → 1 + where its record is in those of its region; 0: it has none
	of      []uint8  // entry → number of its region in regions
	regions []regionLows
	numbers map[catalog.Region]uint8 // in regions

	// timestamps says which timestamps the records of a region have, by timestampKey: 1 + the number
	// in the table of the region; 0: only one record has it.
	timestamps map[uint64]uint32
}

// regionLows are the records of a region.
type regionLows struct {
	records    []byte // each after its length
	unused     int    // bytes of records that were replaced
	timestamps []byte // the table
}

// NewLows returns an empty Lows for windows that end with a UTC day, counted from 1970.
func NewLows(day int64) *Lows {
	// Timestamps after the day take two bytes more.
	origin := max(0, catalog.DayStart(day+1)-layout.NearInterval)
	return &Lows{day: day, today: catalog.DayStart(day), origin: origin, numbers: map[catalog.Region]uint8{}, timestamps: map[uint64]uint32{}}
}

// Day returns the day that the windows end with.
func (l *Lows) Day() int64 { return l.day }

// Set sets the steps that an entry has shown up to its present price, instead of those
// that were set before. It does not keep them.
func (l *Lows) Set(entry uint32, e *catalog.Entry, steps []history.Step) error {
	past := history.PastOf(steps, l.today)
	if shown := shownCurrency(e); shown != "" && shown != past.Currency {
		past = history.Past{WatchedSince: past.WatchedSince} // no price of this currency counts
	}
	no, err := l.numberRegion(e.Region)
	if err != nil {
		return err
	}
	r := &l.regions[no]
	at := len(r.records)
	r.records = layout.AppendPast(append(r.records, 0), &past, func(dst []byte, m catalog.Millis) []byte { return l.appendTimestamp(dst, no, m) })
	length := len(r.records) - at - 1
	if length > math.MaxUint8 || len(r.records) > layout.MaxRecords {
		return fmt.Errorf("lows of product %q: %d bytes at %d", e.Product, length, at)
	}
	r.records[at] = byte(length)
	if missing := int(entry) + 1 - len(l.offsets); missing > 0 {
		l.offsets, l.of = append(l.offsets, make([]uint32, missing)...), append(l.of, make([]uint8, missing)...)
	}
	if former := l.offsets[entry]; former != 0 {
		r.unused += 1 + int(r.records[former-1])
	}
	l.offsets[entry], l.of[entry] = uint32(at)+1, no
	if r.unused > len(r.records)/2 {
		l.compact(no)
	}
	return nil
}

// numberRegion returns the number of a region in l.regions.
func (l *Lows) numberRegion(r catalog.Region) (uint8, error) {
	no, known := l.numbers[r]
	if !known {
		if len(l.regions) == layout.MaxRegions {
			return 0, fmt.Errorf("lows of region %q: more than %d regions", r, layout.MaxRegions)
		}
		no = uint8(len(l.regions))
		l.numbers[r], l.regions = no, append(l.regions, regionLows{})
	}
	return no, nil
}

// shownCurrency returns the currency that the row of an entry shows; "" without a price.
func shownCurrency(e *catalog.Entry) money.Currency {
	if e.Price == nil {
		return ""
	}
	currency, _ := money.RegionCurrency(e.Region.String())
	return cmp.Or(e.Price.Currency, currency)
}

// compact removes the records of a region that were replaced.
func (l *Lows) compact(no uint8) {
	r := &l.regions[no]
	records := make([]byte, 0, len(r.records)-r.unused)
	for entry, of := range l.of {
		if offset := l.offsets[entry]; of == no && offset != 0 {
			l.offsets[entry] = uint32(len(records)) + 1
			records = append(records, r.records[offset-1:int(offset)+int(r.records[offset-1])]...)
		}
	}
	r.records, r.unused = records, 0
}

// maxTimestampKeys bounds the map of timestamps. A full map is cleared: timestamps that occur again
// far apart are stored again.
const maxTimestampKeys = 1 << 20

// timestampKey returns the key of a timestamp near the origin of a region.
func (l *Lows) timestampKey(no uint8, m catalog.Millis) uint64 {
	return uint64(m-l.origin)<<8 | uint64(no)
}

// appendTimestamp appends a timestamp of a record of a region. One that an earlier record of the
// region has, too, goes into its table.
func (l *Lows) appendTimestamp(dst []byte, no uint8, m catalog.Millis) []byte {
	if !layout.IsNear(m, l.origin) {
		return layout.AppendTimestamp(dst, m, l.origin)
	}
	key := l.timestampKey(no, m)
	n, known := l.timestamps[key]
	if n > 0 {
		return layout.AppendTimestampNumber(dst, n-1)
	}
	if !known {
		if len(l.timestamps) >= maxTimestampKeys {
			clear(l.timestamps)
		}
		l.timestamps[key] = 0
		return layout.AppendTimestamp(dst, m, l.origin)
	}
	r := &l.regions[no]
	next := uint32(len(r.timestamps) / layout.TimestampSize)
	if next >= layout.MaxTimestamps {
		return layout.AppendTimestamp(dst, m, l.origin)
	}
	r.timestamps = layout.AppendTableTimestamp(r.timestamps, m, l.origin)
	l.timestamps[key] = next + 1
	return layout.AppendTimestampNumber(dst, next)
}

// record returns the record of an entry of a region, nil if it has none.
func (l *Lows) record(r *regionLows, entry uint32) []byte {
	if int(entry) >= len(l.offsets) || l.offsets[entry] == 0 {
		return nil
	}
	at := int(l.offsets[entry])
	return r.records[at : at+int(r.records[at-1])]
}

// Regions returns the regions of the prices, each of which has a lows blob.
func (p *Repricer) Regions() []catalog.Region { return p.regions }

// PackLows returns the lows blob of a region, for the prices that were packed last. entries
// are those of the prices. Rows of trials have no record: no price of them counts.
//
// The blob depends on nothing but the cards, and the steps and prices of their listings in
// the region: where none of them changed, the blob of the prices before is still valid.
func (p *Repricer) PackLows(l *Lows, entries []catalog.Entry, region catalog.Region) ([]byte, error) {
	number, known := slices.BinarySearchFunc(p.regions, region, catalog.Region.Compare)
	if !known {
		return nil, fmt.Errorf("pack lows: no price is in region %q", region)
	}
	b := lowsBlob{changed: make([]uint64, (len(p.cardHashes)+63)/64)}
	if no, set := l.numbers[region]; set {
		b.region = &l.regions[no]
		p.packRecords(&b, l, entries, uint8(number))
	}
	if len(b.records) > layout.MaxRecords {
		return nil, fmt.Errorf("pack lows of %s: %d bytes of records, at most %d", region, len(b.records), layout.MaxRecords)
	}
	meta, _ := json.Marshal(layout.LowsMeta{Catalog: p.identity, Region: region, Cards: len(p.cardHashes), Today: l.today, Origin: l.origin})
	return b.bytes(meta)
}

// packRecords appends the records of all cards with a row in a region.
func (p *Repricer) packRecords(b *lowsBlob, l *Lows, entries []catalog.Entry, number uint8) {
	b.records = make([]byte, 0, len(b.region.records))
	b.lengths = make([]byte, 0, len(p.cardHashes))
	for card := range p.cardHashes {
		first, n := p.cardRows.At(2*card), p.cardRows.At(2*card+1)
		row := bytes.IndexByte(p.rowRegions[first:first+n], number)
		if row < 0 {
			continue
		}
		entry := p.entries[int(first)+row]
		record := l.record(b.region, entry)
		if record == nil || p.trials[card] != noTrials && p.trials[card].includes(&entries[entry]) {
			continue
		}
		if len(b.lengths)%layout.OffsetStep == 0 {
			b.offsets = snapshot.AppendU32(b.offsets, uint32(len(b.records)))
		}
		b.changed[card/64] |= 1 << (card % 64)
		b.lengths = append(b.lengths, byte(len(record)))
		b.records = append(b.records, record...)
	}
}

// lowsBlob are the sections of a lows blob.
type lowsBlob struct {
	region                    *regionLows // nil: no entry has a record
	changed                   []uint64
	lengths, offsets, records []byte
}

func (b *lowsBlob) bytes(meta []byte) ([]byte, error) {
	w := snapshot.NewWriter(layout.LowsKind, layout.Format)
	w.Add(layout.SectionMeta, meta)
	var timestamps []byte
	if b.region != nil {
		timestamps = b.region.timestamps
	}
	w.Add(layout.SectionTimestamps, timestamps)
	words, ranks := rankedWords(b.changed)
	w.Add(layout.SectionChanged, words)
	w.Add(layout.SectionRanks, ranks)
	w.Add(layout.SectionLengths, b.lengths)
	w.Add(layout.SectionOffsets, b.offsets)
	w.Add(layout.SectionRecords, b.records)
	return w.Bytes()
}

// rankedWords returns the words of a bitmap, and how many bits are set before each.
func rankedWords(bitmap []uint64) (words, ranks []byte) {
	count := 0
	for _, word := range bitmap {
		words = snapshot.AppendU64(words, word)
		ranks = snapshot.AppendU32(ranks, uint32(count))
		count += bits.OnesCount64(word)
	}
	return words, ranks
}
