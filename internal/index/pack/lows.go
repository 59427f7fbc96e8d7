package pack

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/bits"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index/internal/layout"
	"gamedex/internal/money"
	"gamedex/internal/snapshot"
)

// Lows holds the past of each entry whose price has changed, in the form of the blob: the
// series that they come from are read once.
type Lows struct {
	day    int64          // that the windows end with
	today  catalog.Millis // its start
	origin catalog.Millis // see layout.AppendMoment

	places  []uint32 // entry → 1 + where its record is in records; 0: it has none
	records []byte   // each after its length
	unused  int      // bytes of records that were replaced

	moments []byte                    // the table
	numbers map[catalog.Millis]uint32 // moment → 1 + its number; 0: only one record has it
}

// NewLows returns an empty Lows for windows that end with a UTC day, counted from 1970.
func NewLows(day int64) *Lows {
	// Moments after the day take two bytes more.
	origin := max(0, catalog.DayStart(day+1)-layout.NearInterval)
	return &Lows{day: day, today: catalog.DayStart(day), origin: origin, numbers: map[catalog.Millis]uint32{}}
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
	at := len(l.records)
	l.records = layout.AppendPast(append(l.records, 0), &past, l.appendMoment)
	length := len(l.records) - at - 1
	if length > math.MaxUint8 || len(l.records) > layout.MaxRecords {
		return fmt.Errorf("lows of product %q: %d bytes at %d", e.Product, length, at)
	}
	l.records[at] = byte(length)
	if missing := int(entry) + 1 - len(l.places); missing > 0 {
		l.places = append(l.places, make([]uint32, missing)...)
	}
	if former := l.places[entry]; former != 0 {
		l.unused += 1 + int(l.records[former-1])
	}
	l.places[entry] = uint32(at) + 1
	if l.unused > len(l.records)/2 {
		l.compact()
	}
	return nil
}

// shownCurrency returns the currency that the row of an entry shows; "" without a price.
func shownCurrency(e *catalog.Entry) money.Currency {
	if e.Price == nil {
		return ""
	}
	currency, _ := money.RegionCurrency(e.Region.String())
	return cmp.Or(e.Price.Currency, currency)
}

// compact removes the records that were replaced.
func (l *Lows) compact() {
	records := make([]byte, 0, len(l.records)-l.unused)
	for entry, place := range l.places {
		if place != 0 {
			l.places[entry] = uint32(len(records)) + 1
			records = append(records, l.records[place-1:int(place)+int(l.records[place-1])]...)
		}
	}
	l.records, l.unused = records, 0
}

// mostMoments bounds the map of moments. A full map is cleared: moments that occur again
// far apart are stored again.
const mostMoments = 1 << 20

// appendMoment appends a moment. One that an earlier record has, too, comes into the
// table.
func (l *Lows) appendMoment(dst []byte, m catalog.Millis) []byte {
	n, known := l.numbers[m]
	if n > 0 {
		return layout.AppendMomentNumber(dst, n-1)
	}
	if !layout.IsNear(m, l.origin) {
		return layout.AppendMoment(dst, m, l.origin)
	}
	if len(l.numbers) >= mostMoments {
		clear(l.numbers)
	}
	l.numbers[m] = 0
	if next := uint32(len(l.moments) / layout.MomentSize); known && next < layout.MaxMoments {
		l.moments = layout.AppendTableMoment(l.moments, m, l.origin)
		l.numbers[m] = next + 1
		return layout.AppendMomentNumber(dst, next)
	}
	return layout.AppendMoment(dst, m, l.origin)
}

// record returns the record of an entry, nil if it has none.
func (l *Lows) record(entry uint32) []byte {
	if int(entry) >= len(l.places) || l.places[entry] == 0 {
		return nil
	}
	at := int(l.places[entry])
	return l.records[at : at+int(l.records[at-1])]
}

// PackLows returns the lows blob of the prices that were packed last. entries are those of
// the prices. Rows of trials have no record: no price of them counts.
func (p *Repricer) PackLows(l *Lows, entries []catalog.Entry) ([]byte, error) {
	rows := len(p.entries)
	changed := make([]uint64, (rows+63)/64)
	var lengths, records []byte
	var places []uint32
	for card, first := range p.firstRows[:len(p.firstRows)-1] {
		for row := first; row < p.firstRows[card+1]; row++ {
			n := p.entries[row]
			record := l.record(n)
			if record == nil || p.trials[card].includes(&entries[n]) {
				continue
			}
			if len(lengths)%layout.PlaceStep == 0 {
				places = append(places, uint32(len(records)))
			}
			changed[row/64] |= 1 << (row % 64)
			lengths = append(lengths, byte(len(record)))
			records = append(records, record...)
		}
	}
	if len(records) > layout.MaxRecords {
		return nil, fmt.Errorf("pack lows: %d bytes of records, at most %d", len(records), layout.MaxRecords)
	}
	meta, err := json.Marshal(layout.LowsMeta{Prices: p.pricesIdentity, Rows: rows, Today: l.today, Origin: l.origin})
	if err != nil {
		return nil, fmt.Errorf("write section %q: %w", layout.SectionMeta, err)
	}
	w := snapshot.NewWriter(layout.LowsKind, layout.Format)
	w.Add(layout.SectionMeta, meta)
	w.Add(layout.SectionMoments, l.moments)
	words, ranks := rankedWords(changed)
	w.Add(layout.SectionChanged, words)
	w.Add(layout.SectionRanks, ranks)
	w.Add(layout.SectionLengths, lengths)
	var begins []byte
	for _, place := range places {
		begins = snapshot.AppendU32(begins, place)
	}
	w.Add(layout.SectionPlaces, begins)
	w.Add(layout.SectionRecords, records)
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
