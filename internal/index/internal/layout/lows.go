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

// The sections of a lows blob, in addition to meta (LowsMeta). Only rows whose price has
// changed have a record.
const (
	SectionMoments = "moments" // MomentSize bytes each: moments that several records have
	SectionChanged = "changed" // 64 rows each: a bit for each row with a record
	SectionRanks   = "ranks"   // 64 rows each: how many records are before them
	SectionLengths = "lengths" // per record: its length, one byte
	SectionPlaces  = "places"  // PlaceStep records each: where the first begins
	SectionRecords = "records" // see AppendPast
)

// PlaceStep is how many records share a place: finding one adds up their lengths.
const PlaceStep = 16

// MaxRecords is how many bytes all records have at most, as many as places can number.
const MaxRecords = math.MaxUint32

// LowsMeta is the section "meta" of a lows blob.
type LowsMeta struct {
	Prices uint64         `json:"prices,string"` // identity of the prices that it belongs to
	Rows   int            `json:"rows"`          // of the prices
	Today  catalog.Millis `json:"today"`         // start of the day that the windows end with
	Origin catalog.Millis `json:"origin"`        // see AppendMoment
}

// Lows is an opened lows blob, in which every record can be read.
type Lows struct {
	LowsMeta
	Size    int // of the blob, in bytes
	Moments []byte
	changed snapshot.U64s
	ranks   snapshot.U32s
	lengths []byte
	places  snapshot.U32s
	records []byte
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
	for _, section := range []struct {
		name string
		size int
		into *[]byte
	}{
		{SectionMoments, MomentSize, &l.Moments}, {SectionChanged, 8, (*[]byte)(&l.changed)}, {SectionRanks, 4, (*[]byte)(&l.ranks)},
		{SectionLengths, 1, &l.lengths}, {SectionPlaces, 4, (*[]byte)(&l.places)}, {SectionRecords, 1, &l.records},
	} {
		if *section.into, err = f.Records(section.name, section.size); err != nil {
			return nil, err
		}
	}
	return l, l.check()
}

// CheckBelongs returns an error unless the lows belong to the prices.
func (l *Lows) CheckBelongs(p *Prices) error {
	if identity := PricesIdentity(p.Revs); l.Prices != identity {
		return snapshot.Damaged(SectionMeta, "the lows belong to prices %x, not %x", l.Prices, identity)
	}
	if rows := len(p.Rows) / RowSize; l.Rows != rows {
		return snapshot.Damaged(SectionMeta, "lows of %d rows for %d", l.Rows, rows)
	}
	return nil
}

// PricesIdentity returns a hash of the revs of a prices blob. Prices with equal revs have
// equal rows in the same order.
func PricesIdentity(revs []byte) uint64 { return crc64.Checksum(revs, identityTable) }

var identityTable = crc64.MakeTable(crc64.ECMA)

// Record returns the record of a row; false if it has none.
func (l *Lows) Record(row uint32) ([]byte, bool) {
	word, bit := l.changed.At(int(row/64)), uint64(1)<<(row%64)
	if word&bit == 0 {
		return nil, false
	}
	n := int(l.ranks.At(int(row/64))) + bits.OnesCount64(word&(bit-1))
	from := int(l.places.At(n / PlaceStep))
	for _, length := range l.lengths[n-n%PlaceStep : n] {
		from += int(length)
	}
	return l.records[from : from+int(l.lengths[n])], true
}
