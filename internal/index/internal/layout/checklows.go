package layout

import (
	"math"
	"math/bits"

	"gamedex/internal/history"
	"gamedex/internal/snapshot"
)

// check checks what readers rely on: every card has its record or none, and every record
// can be read.
func (l *Lows) check() error {
	if n := l.count(); n < 0 || n > math.MaxUint32 || l.Today < 0 || l.Origin < 0 || l.Today > maxTimestamp || l.Origin > maxTimestamp {
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
	words := (l.count() + 63) / 64
	if n := l.changed.Len(); n != words {
		return snapshot.Damaged(SectionChanged, "%d words for %d cards", n, l.count())
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
	if rest := l.count() % 64; rest != 0 && l.changed.At(words-1)>>rest != 0 {
		return snapshot.Damaged(SectionChanged, "a card above %d has a record", l.count())
	}
	if count != len(l.lengths) {
		return snapshot.Damaged(SectionLengths, "%d for %d records", len(l.lengths), count)
	}
	return nil
}
