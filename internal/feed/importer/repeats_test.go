package importer_test

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/feed/importer"
)

func TestImportRepeats(t *testing.T) {
	anno := func(members string) string { return console(`"product":"anno",`+members) + "\n" }
	standard, gold := anno(`"title":"Anno"`), anno(`"title":"Anno Gold"`)
	tests := []struct {
		name    string
		inputs  []string
		saved   catalog.SaveCounts
		repeats []string
	}{
		{"other title", []string{standard + gold}, catalog.SaveCounts{New: 1},
			[]string{"1 line repeats the key and time of an earlier line and was not stored; first: lines 1 and 2"}},
		{"other price, after comments and bad lines", []string{
			"# x\n{}\n" + region("TR", 0, 3, 2) + anno(`"price":{"currency":"TRY","current":1}`) + anno(`"price":{"currency":"TRY","current":2}`)},
			catalog.SaveCounts{New: 4},
			[]string{"1 line repeats the key and time of an earlier line and was not stored; first: lines 6 and 7"}},
		{"the first of a bad and a good line is the good one", []string{anno(`"title":""`) + gold}, catalog.SaveCounts{New: 1}, nil},
		{"the same time in another zone", []string{standard + anno(`"observedAt":"2026-11-20T06:00:00+03:00","edition":"Gold"`)}, catalog.SaveCounts{New: 1},
			[]string{"1 line repeats the key and time of an earlier line and was not stored; first: lines 1 and 2"}},
		{"a withdrawal of what is on sale", []string{standard + anno(`"withdrawn":true`)}, catalog.SaveCounts{New: 1},
			[]string{"1 line repeats the key and time of an earlier line and was not stored; first: lines 1 and 2"}},
		{"withdrawals have no content", []string{anno(`"withdrawn":true`) + anno(`"withdrawn":true,"title":"x"`)}, catalog.SaveCounts{New: 1, Unchanged: 1}, nil},
		{"the same content", []string{standard + anno(`"title":"Anno","x":1,"firstSeenAt":"2026-11-19T03:00:00Z"`)}, catalog.SaveCounts{New: 1, Unchanged: 1}, nil},
		{"all are compared with the first", []string{standard + gold + standard + gold}, catalog.SaveCounts{New: 1, Unchanged: 1},
			[]string{"2 lines repeat the key and time of an earlier line and were not stored; first: lines 1 and 2"}},
		{"other times, regions and products", []string{region("TR", 0, 2, 1) + region("TR", 0, 2, 2) + region("UA", 0, 2, 2)}, catalog.SaveCounts{New: 4, Unchanged: 2}, nil},
		{"another input corrects", []string{standard, gold}, catalog.SaveCounts{New: 1, Changed: 1}, nil},
		{"each input has its own", []string{standard + gold, gold + standard}, catalog.SaveCounts{New: 1, Changed: 1}, []string{
			"1 line repeats the key and time of an earlier line and was not stored; first: lines 1 and 2",
			"1 line repeats the key and time of an earlier line and was not stored; first: lines 1 and 2"}},
		{"in other batches", []string{region("TR", 0, 5000, 3) + strings.ReplaceAll(region("TR", 10, 2510, 3), "Star", "Far")}, catalog.SaveCounts{New: 5000},
			[]string{"2500 lines repeat the key and time of an earlier line and were not stored; first: lines 11 and 5001"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := mustImport(t, newMemory(), options(tt.inputs...))
			var repeats []string
			for i, r := range got.Repeats {
				if repeats = append(repeats, r.String()); !strings.Contains(strings.Join(tt.inputs[i:], ""), r.Input) {
					t.Errorf("input %q", r.Input)
				}
			}
			if diff := cmp.Diff(tt.repeats, repeats); diff != "" || got.Saved != tt.saved {
				t.Errorf("saved %+v, repeats %s", got.Saved, diff)
			}
			if total := got.Stored() + got.Saved.Unchanged + got.Saved.Older + got.Rejected + got.Repeated; total != got.Read {
				t.Errorf("read %d, but the outcomes are %d", got.Read, total)
			}
			if want := strings.Count(strings.Join(tt.inputs, ""), "\n") - strings.Count(tt.inputs[0], "#"); got.Read != want {
				t.Errorf("read %d, want %d", got.Read, want)
			}
		})
	}
}

// TestImportRandomLinesTwice checks with few keys, times and contents that an input that
// was imported changes nothing when it is imported again.
func TestImportRandomLinesTwice(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var b strings.Builder
		for range rapid.IntRange(1, 40).Draw(t, "lines") {
			n := rapid.SliceOfN(rapid.IntRange(0, 3), 4, 4).Draw(t, "line")
			fmt.Fprintln(&b, console(fmt.Sprintf(`"product":"P%d","observedAt":"2026-11-20T0%d:00:00Z","title":"T%d","withdrawn":%t`, n[0], n[1], n[2], n[3] == 0)))
		}
		m := newMemory()
		first, err := importer.Import(t.Context(), m, options(b.String()))
		if err != nil {
			t.Fatal(err)
		}
		before := maps.Clone(m.stored)
		again, err := importer.Import(t.Context(), m, options(b.String()))
		if err != nil || again.Stored() != 0 {
			t.Fatalf("the second import stored %d, %v", again.Stored(), err)
		}
		if diff := cmp.Diff(before, m.stored) + cmp.Diff(first.Repeats, again.Repeats); diff != "" {
			t.Fatal(diff)
		}
	})
}
