package search_test

import (
	"errors"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/search"
	"gamedex/internal/snapshot"
)

// rewritten copies a file with one section changed and valid checksums: what a
// bug in a builder could produce. A nil change leaves the section out.
func rewritten(tb rapid.TB, data []byte, section string, change func([]byte) []byte) *snapshot.File {
	tb.Helper()
	old := reopened(tb, data)
	w := snapshot.NewWriter(kind, version)
	for _, name := range old.Names() {
		body, _ := old.Section(name)
		if name != section {
			w.Add(name, body)
		} else if change != nil {
			w.Add(name, change(slices.Clone(body)))
		}
	}
	changed, err := w.Bytes()
	must(tb, err)
	return reopened(tb, changed)
}

func reopened(tb rapid.TB, data []byte) *snapshot.File {
	tb.Helper()
	f, err := snapshot.Open(data, kind, snapshot.Versions{Oldest: version, Newest: version})
	must(tb, err)
	return f
}

func damageSample() []search.Doc {
	return titled("Dead Space | Мёртвый космос", "Dead Island 2", "ファイナルファンタジー VII", "Overwatch")
}

func TestOpenRefuses(t *testing.T) {
	data := written(t, damageSample())
	cut := func(b []byte) []byte { return b[:len(b)-4] }
	huge := func(at int) func([]byte) []byte {
		return func(b []byte) []byte {
			at := (at + len(b)) % len(b)
			return append(b[:at], append([]byte{0xff, 0xff, 0xff, 0x7f}, b[at+4:]...)...)
		}
	}
	grown := func(b []byte) []byte { return append(b, 0, 0, 0, 0) }
	for _, tt := range []struct {
		name, section string
		change        func([]byte) []byte
	}{
		{"group above 7", "search/groups", func(b []byte) []byte { b[0] = 8; return b }},
		{"document that is not there", "search/docs", huge(-4)},
		{"documents not rising", "search/docs", huge(0)},
		{"fewer titles than names", "search/shown", func(b []byte) []byte { return b[:2] }},
		{"terms not sorted", "search/terms", func(b []byte) []byte { return append(b[:len(b)-1], 0x01) }},
		{"terms cut short", "search/terms", cut},
		{"posting of no name", "search/postings", huge(0)},
		{"postings end too early", "search/postings-at", cut},
		{"offsets fall", "search/postings-at", huge(4)},
		{"token of no term", "search/tokens", huge(0)},
		{"token of the empty term", "search/tokens", func(b []byte) []byte { clear(b[:4]); return b }},
		{"one token more", "search/tokens", grown},
		{"tokens of too many names", "search/tokens-at", grown},
		{"acronym of no term", "search/acronyms", huge(0)},
		{"acronym of no words", "search/acronyms", func(b []byte) []byte { clear(b[4:8]); return b }},
		{"acronyms of too many names", "search/acronyms-at", grown},
		{"acronyms end too early", "search/acronyms-at", cut},
		{"typo of no term", "search/typos", huge(-4)},
		{"sound of no term", "search/sounds", huge(-4)},
		{"sounds of no buckets", "search/sounds-at", func([]byte) []byte { return nil }},
		{"buckets not a power of two", "search/typos-at", cut},
		{"no buckets", "search/typos-at", func([]byte) []byte { return nil }},
		{"broken number", "search/tokens", func(b []byte) []byte { return b[:len(b)-1] }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := search.Open(rewritten(t, data, tt.section, tt.change))
			if damage, ok := errors.AsType[*snapshot.DamageError](err); !ok || damage.Section != tt.section {
				t.Fatalf("Open: %v, want damage in %s", err, tt.section)
			}
		})
	}
}

func TestOpenNeedsEverySection(t *testing.T) {
	data := written(t, damageSample())
	for _, section := range reopened(t, data).Names() {
		_, err := search.Open(rewritten(t, data, section, nil))
		if damage, ok := errors.AsType[*snapshot.DamageError](err); !ok || damage.Section != section {
			t.Errorf("without %s: %v, want damage there", section, err)
		}
	}
}

// TestDamageNeverPanics changes sections at random. Open may accept damage that
// it cannot detect; then queries must still end without a panic.
func TestDamageNeverPanics(t *testing.T) {
	data := writtenPrecomputing(t, damageSample(), 0, 2)
	sections := reopened(t, data).Names()
	rapid.Check(t, func(t *rapid.T) {
		section := rapid.SampledFrom(sections).Draw(t, "section")
		f := rewritten(t, data, section, func(b []byte) []byte { return mutate(t, b) })
		x, err := search.Open(f)
		if err != nil {
			return
		}
		for _, text := range []string{"dead", "d", "space dead", "finaal", "overwwatc", "мертвй", "ファンタジー 7", "zzzzzzzz"} {
			x.Find(search.Query{Text: text, Limit: 3, Typos: true}, nil)
		}
	})
}

// mutate sets bytes to low and high values, or changes the length.
func mutate(t *rapid.T, b []byte) []byte {
	for range rapid.IntRange(1, 3).Draw(t, "changes") {
		if len(b) > 0 {
			at := rapid.IntRange(0, len(b)-1).Draw(t, "at")
			b[at] = rapid.OneOf(rapid.ByteMax(9), rapid.Byte()).Draw(t, "byte")
		}
	}
	if rapid.IntRange(0, 9).Draw(t, "cut") == 0 {
		b = b[:rapid.IntRange(0, len(b)).Draw(t, "length")]
	}
	return b
}

func TestBuilderRefusesGroup(t *testing.T) {
	b := search.NewBuilder()
	b.Add(search.Doc{Group: 7})
	b.Add(search.Doc{Group: 8})
	err := b.AddTo(snapshot.NewWriter(kind, version))
	if want := "write search index: document 1: group 8 is not 0 to 7"; err == nil || err.Error() != want {
		t.Errorf("error = %v, want %s", err, want)
	}
}

func TestDocs(t *testing.T) {
	if n := index(t, []search.Doc{{}, {}}).Docs(); n != 2 {
		t.Errorf("Docs = %d, want 2", n)
	}
	if _, total, _ := index(t, nil).Find(search.Query{Text: "overwatch", Limit: 1, Typos: true}, nil); total != 0 {
		t.Errorf("an empty index found %d", total)
	}
}
