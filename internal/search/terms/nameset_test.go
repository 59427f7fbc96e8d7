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
		both.Add(packed(a))
		both.Add(packed(b))
		for name := range uint32(names) {
			if got := one.Has(name); got != slices.Contains(a, name) {
				t.Fatalf("name %d: %v", name, got)
			}
		}
		common := slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(b))), func(n uint32) bool { return !slices.Contains(a, n) })
		second := NewNameSet(names)
		if second.Add(packed(b)); one.CountCommon(&second) != len(common) {
			t.Fatalf("%d names in common, want %d", one.CountCommon(&second), len(common))
		}
		check := func(set *NameSet, want []uint32) {
			slices.Sort(want)
			var got []uint32
			set.Drain(func(name uint32) { got = append(got, name) })
			if want = slices.Compact(want); !slices.Equal(got, want) {
				t.Fatalf("drained %v, want %v", got, want)
			}
		}
		check(&both, slices.Concat(a, b))
		check(&both, nil)
		one.Clear()
		check(&one, nil)
	})
}
