package snapshot_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/snapshot"
)

func TestNumbers(t *testing.T) {
	w := snapshot.NewWriter(kind, version)
	w.Add("u16", snapshot.AppendU16(snapshot.AppendU16(nil, 1), 1<<16-1))
	w.Add("u32", snapshot.AppendU32(snapshot.AppendU32(nil, 2), 1<<32-1))
	w.Add("u64", snapshot.AppendU64(snapshot.AppendU64(nil, 3), 1<<64-1))
	f := open(t, w)

	u16, err := f.U16s("u16")
	if err != nil || u16.Len() != 2 || u16.At(0) != 1 || u16.At(1) != 1<<16-1 {
		t.Errorf("u16 = %v, %v", u16, err)
	}
	u32, err := f.U32s("u32")
	if err != nil || u32.Len() != 2 || u32.At(0) != 2 || u32.At(1) != 1<<32-1 {
		t.Errorf("u32 = %v, %v", u32, err)
	}
	if tail := u32.Slice(1, 2); tail.Len() != 1 || tail.At(0) != 1<<32-1 {
		t.Errorf("u32 from 1 = %v", tail)
	}
	u64, err := f.U64s("u64")
	if err != nil || u64.Len() != 2 || u64.At(0) != 3 || u64.At(1) != 1<<64-1 {
		t.Errorf("u64 = %v, %v", u64, err)
	}
}

func TestNumbersRefuse(t *testing.T) {
	w := snapshot.NewWriter(kind, version)
	w.Add("three", []byte{1, 2, 3})
	f := open(t, w)
	_, err16 := f.U16s("three")
	_, err32 := f.U32s("three")
	_, err64 := f.U64s("three")
	_, missing := f.U32s("none")
	for i, err := range []error{err16, err32, err64, missing} {
		if err == nil {
			t.Errorf("case %d accepted", i)
		}
	}
}

func TestOffsets(t *testing.T) {
	for _, tt := range []struct {
		name    string
		offsets []uint32
		rows    int
		total   int
		ok      bool
	}{
		{"rising", []uint32{0, 2, 2, 5}, 3, 5, true},
		{"no rows", []uint32{0}, 0, 0, true},
		{"no offsets", nil, 0, 0, false},
		{"too few", []uint32{0, 5}, 2, 5, false},
		{"not from zero", []uint32{1, 5}, 1, 5, false},
		{"falling", []uint32{0, 4, 3, 5}, 3, 5, false},
		{"short of the end", []uint32{0, 4}, 1, 5, false},
		{"beyond the end", []uint32{0, 6}, 1, 5, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var data []byte
			for _, o := range tt.offsets {
				data = snapshot.AppendU32(data, o)
			}
			w := snapshot.NewWriter(kind, version)
			w.Add("at", data)
			_, err := open(t, w).Offsets("at", tt.rows, tt.total)
			if (err == nil) != tt.ok {
				t.Errorf("error = %v, want ok %v", err, tt.ok)
			}
		})
	}
}

func TestStringsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		texts := rapid.SliceOf(rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a", "b", "ведьмак"}))).Draw(t, "texts")
		table := snapshot.NewStringsWriter()
		numbers := make([]uint32, len(texts))
		for i, s := range texts {
			texts[i] = strings.ToValidUTF8(s, "?")
			numbers[i] = table.Number(texts[i])
		}
		s := reopen(t, table)
		seen := map[string]bool{"": true}
		for i, n := range numbers {
			if got := s.At(n); got != texts[i] {
				t.Fatalf("string %d = %q, want %q", n, got, texts[i])
			}
			seen[texts[i]] = true
		}
		if s.Len() != len(seen) || s.At(0) != "" {
			t.Fatalf("%d strings, number 0 is %q; want %d and empty", s.Len(), s.At(0), len(seen))
		}
	})
}

func reopen(t *rapid.T, table *snapshot.StringsWriter) snapshot.Strings {
	s, err := written(t, table).Strings("texts")
	must(t, err)
	return s
}

// written returns a file with only the table.
func written(t *rapid.T, table *snapshot.StringsWriter) *snapshot.File {
	w := snapshot.NewWriter(kind, version)
	must(t, table.AddTo(w, "texts"))
	return open(t, w)
}

// TestResumeStrings checks that a resumed table keeps the numbers of the first and
// equals one table with all strings.
func TestResumeStrings(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.SliceOf(rapid.StringN(0, 3, -1)).Draw(t, "before")
		after := rapid.SliceOf(rapid.StringN(0, 3, -1)).Draw(t, "after")
		one, first := snapshot.NewStringsWriter(), snapshot.NewStringsWriter()
		for _, s := range before {
			one.Number(s)
			first.Number(s)
		}
		resumed := snapshot.ResumeStrings(reopen(t, first))
		for _, s := range append(before, after...) {
			if got, want := resumed.Number(s), one.Number(s); got != want {
				t.Fatalf("%q has number %d, want %d", s, got, want)
			}
		}
		want, got := reopen(t, one), reopen(t, resumed)
		for i := range uint32(max(want.Len(), got.Len())) {
			if got.At(i) != want.At(i) {
				t.Fatalf("string %d is %q, want %q", i, got.At(i), want.At(i))
			}
		}
		if n := section(t, resumed); resumed.Size() != n {
			t.Fatalf("Size = %d, want the %d bytes of the section", resumed.Size(), n)
		}
	})
}

// section returns the size of a table in a file, in bytes.
func section(t *rapid.T, table *snapshot.StringsWriter) int {
	body, err := written(t, table).Section("texts")
	must(t, err)
	return len(body)
}
