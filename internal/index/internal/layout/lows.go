package layout

import (
	"cmp"
	"math"
	"math/bits"

	"gamedex/internal/catalog"
	"gamedex/internal/snapshot"
)

// LowsKind is the kind of the blob of lows, see [snapshot.Open].
const LowsKind = "lows"

// The sections of a lows blob, in addition to meta (LowsMeta). Only cards whose price in
// the region has changed have a record.
const (
	SectionTimestamps = "moments" // TimestampSize bytes each: timestamps that several records have
	SectionChanged    = "changed" // 64 cards each: a bit for each card with a record
	SectionRanks      = "ranks"   // 64 cards each: how many records are before them
	SectionLengths    = "lengths" // per record: its length, one byte
	SectionOffsets    = "places"  // OffsetStep records each: where the first begins
	SectionRecords    = "records" // see AppendPast
)

// OffsetStep is how many records share an offset: finding one adds up their lengths.
const OffsetStep = 16

// MaxRecords is how many bytes all records together may have: an offset has 32 bits.
const MaxRecords = math.MaxUint32

// LowsMeta is the section "meta" of a lows blob. A blob has the lows of one region: of the
// row that each card has there.
type LowsMeta struct {
	Catalog string         `json:"catalog"` // identity of the catalog that it belongs to
	Region  catalog.Region `json:"region"`
	Cards   int            `json:"cards"`  // of the catalog
	Today   catalog.Millis `json:"today"`  // start of the day that the windows end with
	Origin  catalog.Millis `json:"origin"` // see AppendTimestamp
}

// Lows is an opened lows blob, in which every record can be read.
type Lows struct {
	LowsMeta
	Size       int // of the blob, in bytes
	Timestamps []byte
	changed    snapshot.U64s
	ranks      snapshot.U32s
	lengths    []byte
	offsets    snapshot.U32s
	records    []byte
}

// OpenLows checks a lows blob. It keeps the blob, which must not change.
func OpenLows(blob []byte) (*Lows, error) {
	f, err := snapshot.Open(blob, LowsKind, Read())
	if err != nil {
		return nil, err
	}
	l := &Lows{Size: f.Size()}
	if err := ReadMeta(f, &l.LowsMeta); err != nil {
		return nil, err
	}
	err = cmp.Or(
		ReadRecords(f, SectionTimestamps, TimestampSize, &l.Timestamps), ReadRecords(f, SectionChanged, 8, &l.changed),
		ReadRecords(f, SectionRanks, 4, &l.ranks), ReadRecords(f, SectionLengths, 1, &l.lengths),
		ReadRecords(f, SectionOffsets, 4, &l.offsets), ReadRecords(f, SectionRecords, 1, &l.records))
	if err != nil {
		return nil, err
	}
	return l, l.check()
}

// CheckBelongs returns an error unless the lows belong to a catalog with this identity and
// number of cards.
func (l *Lows) CheckBelongs(identity string, cards int) error {
	if l.Catalog != identity || l.Cards != cards {
		return snapshot.Damaged(SectionMeta, "the lows belong to catalog %q with %d cards, not %q with %d", l.Catalog, l.Cards, identity, cards)
	}
	return nil
}

// Prefetch reads what Record and a reader of the record begin with, for all cards step by
// step. The sum has no meaning; it only keeps the reads from being optimized away.
func (l *Lows) Prefetch(cards []uint32) (sum uint64) {
	for _, card := range cards {
		sum += l.changed.At(int(card/64)) + uint64(l.ranks.At(int(card/64)))
	}
	for _, card := range cards {
		if record, ok := l.Record(card); ok {
			sum += uint64(record[0])
		}
	}
	return sum
}

// Record returns the record of a card; false if it has none.
func (l *Lows) Record(card uint32) ([]byte, bool) {
	word, bit := l.changed.At(int(card/64)), uint64(1)<<(card%64)
	if word&bit == 0 {
		return nil, false
	}
	n := int(l.ranks.At(int(card/64))) + bits.OnesCount64(word&(bit-1))
	from := int(l.offsets.At(n / OffsetStep))
	for _, length := range l.lengths[n-n%OffsetStep : n] {
		from += int(length)
	}
	return l.records[from : from+int(l.lengths[n])], true
}
