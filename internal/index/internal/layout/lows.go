package layout

import (
	"hash/crc64"
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

// MaxRecords is how many bytes all records have at most, as many as offsets can number.
const MaxRecords = math.MaxUint32

// LowsMeta is the section "meta" of a lows blob. A blob has the lows of one region: of the
// row that each card has there. Its region and its catalog are not in format 7, where one
// blob has those of all rows of a prices blob.
type LowsMeta struct {
	Catalog string         `json:"catalog"` // identity of the catalog that it belongs to
	Region  string         `json:"region"`  // alpha-2
	Cards   int            `json:"cards"`   // of the catalog
	Today   catalog.Millis `json:"today"`   // start of the day that the windows end with
	Origin  catalog.Millis `json:"origin"`  // see AppendTimestamp

	// In format 7 only.
	Prices uint64 `json:"prices,string,omitempty"` // identity of the prices that it belongs to
	Rows   int    `json:"rows,omitempty"`          // of the prices
}

// Lows is an opened lows blob, in which every record can be read.
type Lows struct {
	LowsMeta
	Whole      bool // the blob has the lows of all rows, as in format 7
	Size       int  // of the blob, in bytes
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
	l := &Lows{Whole: f.Version() < 8, Size: f.Size()}
	if err := ReadMeta(f, &l.LowsMeta); err != nil {
		return nil, err
	}
	for _, section := range []struct {
		name string
		size int
		into *[]byte
	}{
		{SectionTimestamps, TimestampSize, &l.Timestamps}, {SectionChanged, 8, (*[]byte)(&l.changed)}, {SectionRanks, 4, (*[]byte)(&l.ranks)},
		{SectionLengths, 1, &l.lengths}, {SectionOffsets, 4, (*[]byte)(&l.offsets)}, {SectionRecords, 1, &l.records},
	} {
		if *section.into, err = f.Records(section.name, section.size); err != nil {
			return nil, err
		}
	}
	return l, l.check()
}

// CheckBelongs returns an error unless the lows belong to the prices, and to their catalog
// with its number of cards.
func (l *Lows) CheckBelongs(p *Prices, cards int) error {
	if !l.Whole {
		if l.Catalog != p.Catalog || l.Cards != cards {
			return snapshot.Damaged(SectionMeta, "the lows belong to catalog %q with %d cards, not %q with %d", l.Catalog, l.Cards, p.Catalog, cards)
		}
		return nil
	}
	if identity := pricesIdentity(p.Revs); l.Prices != identity {
		return snapshot.Damaged(SectionMeta, "the lows belong to prices %x, not %x", l.Prices, identity)
	}
	if rows := len(p.Rows) / RowSize; l.Rows != rows {
		return snapshot.Damaged(SectionMeta, "lows of %d rows for %d", l.Rows, rows)
	}
	return nil
}

// count returns how many cards or rows can have a record.
func (l *Lows) count() int {
	if l.Whole {
		return l.Rows
	}
	return l.Cards
}

// pricesIdentity returns a hash of the revs of a prices blob. Prices with equal revs have
// equal rows in the same order.
func pricesIdentity(revs []byte) uint64 { return crc64.Checksum(revs, identityTable) }

var identityTable = crc64.MakeTable(crc64.ECMA)

// Prefetch reads what Record and a reader of the record begin with, for all numbers step by
// step. The sum has no meaning.
func (l *Lows) Prefetch(numbers []uint32) (sum uint64) {
	for _, number := range numbers {
		sum += l.changed.At(int(number/64)) + uint64(l.ranks.At(int(number/64)))
	}
	for _, number := range numbers {
		if record, ok := l.Record(number); ok {
			sum += uint64(record[0])
		}
	}
	return sum
}

// Record returns the record of a card, in format 7 of a row; false if it has none.
func (l *Lows) Record(number uint32) ([]byte, bool) {
	word, bit := l.changed.At(int(number/64)), uint64(1)<<(number%64)
	if word&bit == 0 {
		return nil, false
	}
	n := int(l.ranks.At(int(number/64))) + bits.OnesCount64(word&(bit-1))
	from := int(l.offsets.At(n / OffsetStep))
	for _, length := range l.lengths[n-n%OffsetStep : n] {
		from += int(length)
	}
	return l.records[from : from+int(l.lengths[n])], true
}
