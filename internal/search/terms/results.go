package terms

import (
	"cmp"
	"slices"
	"sort"

	"gamedex/internal/snapshot"
)

// Results has precomputed results by key and group of documents: how many documents of the group
// match, and the best hits, ascending.
type Results struct {
	rows snapshot.U32s // sorted by key and group
	hits snapshot.U64s
}

// ResultKey is the key of a result.
type ResultKey [5]uint32

// Compare orders keys.
func (k ResultKey) Compare(other ResultKey) int { return slices.Compare(k[:], other[:]) }

// The columns of a row. The key comes first.
const (
	resultGroup = len(ResultKey{}) + iota
	resultTotal // documents of the group
	resultEnd   // end of its hits, which start where those of the row before end
	resultColumns
)

// Append appends the next result.
func (r *Results) Append(key ResultKey, group, total uint32, hits []uint64) {
	r.hits = snapshot.AppendU64(r.hits, hits...)
	r.rows = snapshot.AppendU32(r.rows, append(key[:], group, total, uint32(r.hits.Len()))...)
}

// AddTo writes two sections.
func (r *Results) AddTo(w *snapshot.Writer, section, sectionHits string) {
	w.Add(section, r.rows)
	w.Add(sectionHits, r.hits)
}

// Len returns the number of results.
func (r *Results) Len() int { return r.rows.Len() / resultColumns }

func (r *Results) at(row, column int) uint32 { return r.rows.At(row*resultColumns + column) }

func (r *Results) hitsOf(row int) snapshot.U64s {
	from := uint32(0)
	if row > 0 {
		from = r.at(row-1, resultEnd)
	}
	return r.hits[8*int(from) : 8*int(r.at(row, resultEnd))]
}

func (r *Results) key(row int) (k ResultKey) {
	for i := range k {
		k[i] = r.at(row, i)
	}
	return k
}

// Find calls visit with the result of each group that has any, and reports whether there is one.
// Few rows have the same first number, so the search compares only that.
func (r *Results) Find(key ResultKey, visit func(group, total uint32, hits snapshot.U64s)) (found bool) {
	row := sort.Search(r.Len(), func(row int) bool { return r.at(row, 0) >= key[0] })
	for ; row < r.Len() && r.at(row, 0) == key[0]; row++ {
		if r.key(row) == key {
			visit(r.at(row, resultGroup), r.at(row, resultTotal), r.hitsOf(row))
			found = true
		}
	}
	return found
}

// OpenResults reads what AddTo wrote for as many documents. It does not check the totals, and
// leaves it to a function whether a group may have a hit. The error is a [*snapshot.DamageError].
func OpenResults(f *snapshot.File, section, sectionHits string, docs int, mayHave func(group uint32, hit uint64) bool) (r Results, err error) {
	if r.rows, err = f.U32s(section); err != nil {
		return r, err
	}
	if r.rows.Len()%resultColumns != 0 {
		return r, snapshot.Damaged(section, "%d numbers are not rows of %d", r.rows.Len(), resultColumns)
	}
	if r.hits, err = f.U64s(sectionHits); err != nil {
		return r, err
	}
	end := uint32(0)
	for row := range r.Len() {
		from := end
		end = r.at(row, resultEnd)
		if end < from || int64(end) > int64(r.hits.Len()) {
			return r, snapshot.Damaged(section, "hits of result %d end at %d of %d, after %d", row, end, r.hits.Len(), from)
		}
		group, total, hits := r.at(row, resultGroup), r.at(row, resultTotal), r.hitsOf(row)
		if row > 0 && cmp.Or(r.key(row-1).Compare(r.key(row)), cmp.Compare(r.at(row-1, resultGroup), group)) >= 0 {
			return r, snapshot.Damaged(section, "result %d is not above the one before", row)
		}
		if group > 7 || int64(total) > int64(docs) || int64(hits.Len()) > int64(total) {
			return r, snapshot.Damaged(section, "result %d has %d hits of %d in group %d", row, hits.Len(), total, group)
		}
		for i := range hits.Len() {
			if h := hits.At(i); !mayHave(group, h) || i > 0 && hits.At(i-1) >= h {
				return r, snapshot.Damaged(sectionHits, "hit %d of result %d is %#x", i, row, h)
			}
		}
	}
	if int(end) != r.hits.Len() {
		return r, snapshot.Damaged(sectionHits, "%d hits, %d belong to results", r.hits.Len(), end)
	}
	return r, nil
}
