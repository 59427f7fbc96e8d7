package lists

import "slices"

// Top selects the first items of a list from all of its items, in any order (top-k).
type Top[T any] struct {
	items   []T // once there are limit of them, a heap with the last one on top
	limit   int
	compare func(a, b T) int
}

// NewTop returns a Top of at most limit items. compare is the order of the list, which
// must be total.
func NewTop[T any](limit int, compare func(a, b T) int) *Top[T] {
	return &Top[T]{limit: limit, compare: compare}
}

// Add adds an item of the list.
func (t *Top[T]) Add(item T) {
	switch {
	case len(t.items) < t.limit:
		t.items = append(t.items, item)
		if len(t.items) == t.limit {
			for i := t.limit/2 - 1; i >= 0; i-- {
				t.sink(i)
			}
		}
	case t.limit > 0 && t.compare(item, t.items[0]) < 0:
		t.items[0] = item
		t.sink(0)
	}
}

// sink moves item i down the heap until none below it comes later.
func (t *Top[T]) sink(i int) {
	for {
		child := 2*i + 1
		if child >= len(t.items) {
			return
		}
		if child+1 < len(t.items) && t.compare(t.items[child], t.items[child+1]) < 0 {
			child++
		}
		if t.compare(t.items[child], t.items[i]) < 0 {
			return
		}
		t.items[i], t.items[child] = t.items[child], t.items[i]
		i = child
	}
}

// Last returns the last item of the selected ones; full is false while there are fewer than
// the limit. An item that comes after it will not be selected.
func (t *Top[T]) Last() (item T, full bool) {
	if len(t.items) == 0 || len(t.items) < t.limit {
		return item, false
	}
	return t.items[0], true
}

// Sorted returns the selected items in the order of the list. The Top must not be used
// afterwards.
func (t *Top[T]) Sorted() []T {
	slices.SortFunc(t.items, t.compare)
	return t.items
}
