package terms

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

// TestNameSet compares with sorted lists.
func TestNameSet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const names = 5000
		list := func(label string) []uint32 { return rapid.SliceOf(rapid.Uint32Max(names-1)).Draw(t, label) }
		packed := func(list []uint32) (b snapshot.U32s) {
			for _, n := range list {
				b = snapshot.AppendU32(b, n)
			}
			return b
		}
		a, b := list("a"), list("b")
		one, both := NewNameSet(names), NewNameSet(names)
		one.Add(packed(a))
		if n := both.AddCommon(packed(b), &one); n != len(slices.DeleteFunc(slices.Clone(b), func(n uint32) bool { return !slices.Contains(a, n) })) {
			t.Fatalf("%d names in common", n)
		}
		check := func(set *NameSet, want []uint32) {
			slices.Sort(want)
			var got []uint32
			set.Drain(func(name uint32) { got = append(got, name) })
			if want = slices.Compact(want); !slices.Equal(got, want) {
				t.Fatalf("drained %v, want %v", got, want)
			}
		}
		check(&both, slices.DeleteFunc(slices.Clone(a), func(n uint32) bool { return !slices.Contains(b, n) }))
		check(&both, nil)
		one.Clear()
		check(&one, nil)
	})
}
