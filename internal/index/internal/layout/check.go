package layout

import (
	"cmp"
	"math"
	"math/bits"

	"gamedex/internal/history"
	"gamedex/internal/snapshot"
)

// CheckNumber returns an error unless number is below limit.
func CheckNumber(section string, record int, number uint32, limit int) error {
	if int64(number) < int64(limit) {
		return nil
	}
	return snapshot.Damaged(section, "record %d: number %d of %d", record, number, limit)
}

// ListStarts is a bitmap of the offsets in a section at which lists begin.
type ListStarts []uint64

// Has reports whether a list begins at offset.
func (s ListStarts) Has(offset uint32) bool {
	return int(offset/64) < len(s) && s[offset/64]&(1<<(offset%64)) != 0
}

// CheckLists returns where the lists of a section begin. It returns an error unless lists
// fill the section and every number in them is below limit.
func CheckLists(section string, lists snapshot.U32s, limit int) (ListStarts, error) {
	n := lists.Len()
	if n == 0 {
		return nil, snapshot.Damaged(section, "no empty list")
	}
	found := make(ListStarts, n/64+1)
	for at := 0; at < n; {
		length := int64(lists.At(at))
		if length > int64(n-at-1) || at == 0 && length != 0 {
			return nil, snapshot.Damaged(section, "list at %d of %d has %d numbers", at, n, length)
		}
		found[at/64] |= 1 << (at % 64)
		end := at + 1 + int(length)
		for at++; at < end; at++ {
			if number := lists.At(at); int64(number) >= int64(limit) {
				return nil, CheckNumber(section, at, number, limit)
			}
		}
	}
	return found, nil
}

// check checks what readers rely on: that no number leads out of its section.
func (p *Prices) check() error {
	if len(p.Extras) == 0 {
		return snapshot.Damaged(SectionExtras, "empty")
	}
	for i := range p.Ends.Len() {
		if i > 0 && p.Ends.At(i-1) >= p.Ends.At(i) || p.Ends.At(i) > math.MaxInt64 {
			return snapshot.Damaged(SectionEnds, "record %d is not above the one before", i)
		}
	}
	for i := range len(p.Points) / PointSize {
		if err := CheckNumber(SectionPoints, i, U32(p.Points, i*PointSize+PointText), p.Strings.Len()); err != nil {
			return err
		}
	}
	for i := range len(p.Extras) / ExtraSize {
		r := p.Extras[i*ExtraSize : (i+1)*ExtraSize]
		texts := max(U32(r, ExtraLabel), U32(r, ExtraEdition), U32(r, ExtraSource), U32(r, ExtraURL))
		if err := cmp.Or(CheckNumber(SectionExtras, i, texts, p.Strings.Len()),
			CheckNumber(SectionExtras, i, U32(r, ExtraEnd), p.Ends.Len()+1),
			CheckNumber(SectionExtras, i, uint32(r[ExtraCurrency]), len(p.Currencies))); err != nil {
			return err
		}
	}
	falls, err := p.checkRows()
	if err != nil {
		return err
	}
	if err := p.checkPairs(SectionCardRows, p.CardRows, falls); err != nil {
		return err
	}
	return p.checkPairs(SectionOfferRows, p.OfferRows, falls)
}

// falls is a bitmap of the rows whose region is not above that of the row
// before.
type falls []uint64

// within reports whether a row of lo to hi-1 is in the bitmap.
func (f falls) within(lo, hi int64) bool {
	for lo < hi {
		n := min(64-lo%64, hi-lo) // in this word
		if f[lo/64]>>(lo%64)<<(64-n) != 0 {
			return true
		}
		lo += n
	}
	return false
}

// checkRows takes the largest number of each kind and checks it once: there are
// millions of rows, and this loop is as fast as memory delivers them. It looks
// for the row only if a number is wrong.
func (p *Prices) checkRows() (falls, error) {
	found := make(falls, 0, len(p.Rows)/RowSize/64+1)
	var point, product, extra uint32
	last, most := uint64(255), uint64(0)
	for rows := p.Rows; len(rows) >= RowSize; {
		word, free := uint64(0), 64 // bits come in at the top and move down
		for ; free > 0 && len(rows) >= RowSize; free-- {
			r := (*[RowSize]byte)(rows)
			point = max(point, U32(r[:], RowBase), U32(r[:], RowCurrent))
			product = max(product, U32(r[:], RowProduct))
			extra = max(extra, U32(r[:], RowExtra))
			region := uint64(r[RowRegion])
			word = word>>1 | (region-last-1)&(1<<63) // below zero unless it rises
			last, most = region, max(most, region)
			rows = rows[RowSize:]
		}
		found = append(found, word>>free)
	}
	if len(p.Rows) == 0 {
		return found, nil
	}
	p.RegionCount = int(most) + 1
	points, words, extras := len(p.Points)/PointSize, p.Strings.Len(), len(p.Extras)/ExtraSize
	if int64(point) < int64(points) && int64(product) < int64(words) && int64(extra) < int64(extras) {
		return found, nil
	}
	for i := range len(p.Rows) / RowSize {
		r := p.Rows[i*RowSize:]
		if err := cmp.Or(CheckNumber(SectionRows, i, max(U32(r, RowBase), U32(r, RowCurrent)), points),
			CheckNumber(SectionRows, i, U32(r, RowProduct), words), CheckNumber(SectionRows, i, U32(r, RowExtra), extras)); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// checkPairs checks where the rows of cards or offers are: inside the section,
// with rising regions.
func (p *Prices) checkPairs(section string, pairs snapshot.U32s, falls falls) error {
	if pairs.Len()%2 != 0 {
		return snapshot.Damaged(section, "%d numbers do not form pairs", pairs.Len())
	}
	all := int64(len(p.Rows) / RowSize)
	for i := range pairs.Len() / 2 {
		first, count := int64(pairs.At(2*i)), int64(pairs.At(2*i+1))
		if first+count > all {
			return snapshot.Damaged(section, "record %d: rows %d to %d of %d", i, first, first+count, all)
		}
		if falls.within(first+1, first+count) {
			return snapshot.Damaged(section, "record %d: the regions of rows %d to %d do not rise", i, first, first+count)
		}
	}
	return nil
}

// check checks what readers rely on: every card has its record or none, and every record
// can be read.
func (l *Lows) check() error {
	if n := l.Cards; n < 0 || n > math.MaxUint32 || l.Today < 0 || l.Origin < 0 || l.Today > maxTimestamp || l.Origin > maxTimestamp {
		return snapshot.Damaged(SectionMeta, "%d cards, today %d, origin %d", n, l.Today, l.Origin)
	}
	if err := l.checkChanged(); err != nil {
		return err
	}
	if n := l.offsets.Len(); n != (len(l.lengths)+OffsetStep-1)/OffsetStep {
		return snapshot.Damaged(SectionOffsets, "%d for %d records", n, len(l.lengths))
	}
	at := 0
	var past history.Past
	for i, length := range l.lengths {
		if i%OffsetStep == 0 && int64(l.offsets.At(i/OffsetStep)) != int64(at) {
			return snapshot.Damaged(SectionOffsets, "record %d begins at %d, not %d", i, at, l.offsets.At(i/OffsetStep))
		}
		end := at + int(length)
		if end > len(l.records) {
			return snapshot.Damaged(SectionLengths, "record %d ends at %d of %d bytes", i, end, len(l.records))
		}
		if err := l.ReadPast(l.records[at:end], &past); err != nil {
			return snapshot.Damaged(SectionRecords, "record %d: %v", i, err)
		}
		at = end
	}
	if at != len(l.records) {
		return snapshot.Damaged(SectionRecords, "%d bytes, but records of %d", len(l.records), at)
	}
	return nil
}

// maxTimestamp bounds timestamps, so that sums of two do not overflow.
const maxTimestamp = math.MaxInt64 / 4

// checkChanged checks that ranks count the bits before them.
func (l *Lows) checkChanged() error {
	words := (l.Cards + 63) / 64
	if n := l.changed.Len(); n != words {
		return snapshot.Damaged(SectionChanged, "%d words for %d cards", n, l.Cards)
	}
	if n := l.ranks.Len(); n != words {
		return snapshot.Damaged(SectionRanks, "%d for %d words", n, words)
	}
	count := 0
	for i := range words {
		if int64(l.ranks.At(i)) != int64(count) {
			return snapshot.Damaged(SectionRanks, "record %d is %d, want %d", i, l.ranks.At(i), count)
		}
		count += bits.OnesCount64(l.changed.At(i))
	}
	if rest := l.Cards % 64; rest != 0 && l.changed.At(words-1)>>rest != 0 {
		return snapshot.Damaged(SectionChanged, "a card above %d has a record", l.Cards)
	}
	if count != len(l.lengths) {
		return snapshot.Damaged(SectionLengths, "%d for %d records", len(l.lengths), count)
	}
	return nil
}
