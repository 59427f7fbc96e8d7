package paging

import (
	"container/heap"
	"slices"
)

// Top selects the first items of a list from all of its items, in any order (top-k).
type Top[T any] struct {
	items byLast[T]
	limit int
}

// NewTop returns a Top of at most limit items. compare is the order of the list, which
// must be total.
func NewTop[T any](limit int, compare func(a, b T) int) *Top[T] {
	return &Top[T]{items: byLast[T]{compare: compare}, limit: limit}
}

// Add adds an item of the list.
func (t *Top[T]) Add(item T) {
	switch {
	case len(t.items.list) < t.limit:
		heap.Push(&t.items, item)
	case t.limit > 0 && t.items.compare(item, t.items.list[0]) < 0:
		t.items.list[0] = item
		heap.Fix(&t.items, 0)
	}
}

// Last returns the last item of the selected ones; full is false while there are fewer than
// the limit. An item that comes after it will not be selected.
func (t *Top[T]) Last() (item T, full bool) {
	if len(t.items.list) == 0 || len(t.items.list) < t.limit {
		return item, false
	}
	return t.items.list[0], true
}

// Sorted returns the selected items in the order of the list. The Top must not be used
// afterwards.
func (t *Top[T]) Sorted() []T {
	slices.SortFunc(t.items.list, t.items.compare)
	return t.items.list
}

// byLast is a heap with the last item of the selected ones on top.
type byLast[T any] struct {
	list    []T
	compare func(a, b T) int
}

func (h *byLast[T]) Len() int           { return len(h.list) }
func (h *byLast[T]) Less(i, j int) bool { return h.compare(h.list[i], h.list[j]) > 0 }
func (h *byLast[T]) Swap(i, j int)      { h.list[i], h.list[j] = h.list[j], h.list[i] }
func (h *byLast[T]) Push(item any)      { h.list = append(h.list, item.(T)) }

func (h *byLast[T]) Pop() any {
	last := len(h.list) - 1
	item := h.list[last]
	h.list = h.list[:last]
	return item
}
