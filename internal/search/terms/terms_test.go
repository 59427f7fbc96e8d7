package terms

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

// written returns the sections that add writes, opened again.
func written(t *rapid.T, add func(w *snapshot.Writer)) *snapshot.File {
	w := snapshot.NewWriter("terms", 1)
	add(w)
	data, err := w.Bytes()
	must(t, err)
	f, err := snapshot.Open(data, "terms", snapshot.Versions{Oldest: 1, Newest: 1})
	must(t, err)
	return f
}

// TestTable compares with a sorted list.
func TestTable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`\.?[ab]{1,4}`)
		list := rapid.SliceOf(word).Draw(t, "terms")
		slices.Sort(list)
		list = append([]string{""}, slices.Compact(list)...)
		strs := snapshot.NewStringsWriter()
		for _, text := range list {
			strs.Number(text)
		}
		table, err := Open(written(t, func(w *snapshot.Writer) {
			must(t, strs.AddTo(w, "words"))
		}), "words")
		must(t, err)
		marked := OpenMarked(table, ".")
		text := word.Draw(t, "text")
		at, known := slices.BinarySearch(list, text)
		if got := table.LowerBound(text); int(got) != at {
			t.Fatalf("%q: lower bound %d, want %d", text, got, at)
		}
		want := uint32(0)
		if known {
			want = uint32(at)
		}
		if got := table.Find(text); got != want {
			t.Fatalf("%q: term %d, want %d", text, got, want)
		}
		if plain, ok := strings.CutPrefix(text, "."); ok {
			if got := marked.Find(plain); got != want || known != marked.Has(want) {
				t.Fatalf("%q with the mark: term %d, want %d", plain, got, want)
			}
		}
		end := at
		for end < len(list) && strings.HasPrefix(list[end], text) {
			end++
		}
		if got := table.EndOfPrefix(uint32(at), text); int(got) != end {
			t.Fatalf("%q: end %d, want %d", text, got, end)
		}
	})
}

// TestBuckets checks that a bucket has all terms of a hash, and that the buckets together
// have each pair once.
func TestBuckets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type pair struct{ hash, term uint32 }
		pairs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) pair {
			return pair{rapid.Uint32().Draw(t, "hash"), rapid.Uint32Max(9).Draw(t, "term")}
		})).Draw(t, "pairs")
		var packed []uint64
		distinct := map[pair]bool{}
		for _, p := range pairs {
			packed = append(packed, uint64(p.hash)<<32|uint64(p.term))
			distinct[p] = true
		}
		f := written(t, func(w *snapshot.Writer) { AddBuckets(w, "at", "terms", packed) })
		list, err := f.U32s("terms")
		must(t, err)
		if list.Len() != len(distinct) {
			t.Fatalf("%d terms for %d pairs", list.Len(), len(distinct))
		}
		b, err := OpenBuckets(f, "at", list)
		must(t, err)
		for _, p := range pairs {
			if found := b.Append(nil, p.hash); !slices.Contains(found, p.term) {
				t.Fatalf("the bucket of %#x has %d, not %d", p.hash, found, p.term)
			}
		}
	})
}

// must ends a test that cannot go on.
func must(t rapid.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
