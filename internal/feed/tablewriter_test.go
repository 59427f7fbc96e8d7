package feed_test

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// tableWritten returns the table of some listings.
func tableWritten(t fataler, all ...catalog.Listing) string {
	t.Helper()
	var locales []string
	for _, l := range all {
		for _, title := range l.Facts.Titles {
			locales = append(locales, title.Locale)
		}
	}
	slices.Sort(locales)
	var b strings.Builder
	w, err := feed.NewTableWriter(&b, slices.Compact(locales))
	for i := 0; i < len(all) && err == nil; i++ {
		err = w.Write(&all[i])
	}
	if err = errors.Join(err, w.Flush()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

var breaks = regexp.MustCompile(`[;\t\r\n]`)

// TestTableRoundTrip checks that listings are the same after they were written as a table
// and read, and that no cell is a formula, even if a spreadsheet splits the file at semicolons,
// tabs and all line breaks.
func TestTableRoundTrip(t *testing.T) {
	full := fullListing()
	rapid.Check(t, func(t *rapid.T) {
		l := anyListing(t)
		risky := rapid.StringMatching(`['=＝+@ \t\r\n-]{0,3}[a;|,"\r\n\[\t]{0,3}['"=+@ \t\r\n-]{0,3}`)
		l.Facts.Edition, l.Prose.Description = risky.Draw(t, "edition"), risky.Draw(t, "description")
		l.Prose.Genres = rapid.SliceOfN(risky, 0, 3).Draw(t, "genres")
		if feed.Check(&l, catalog.MillisOf(now)) != nil {
			return
		}
		text := tableWritten(t, l, full)
		r := tableReader(t, strings.NewReader(text))
		got, refused := readAll(t, r)
		if diff := cmp.Diff([]catalog.Listing{l, full}, got); diff != "" || len(refused)+len(r.Unknown()) > 0 {
			t.Fatalf("%s\n%v %v\n%s", text, refused, r.Unknown(), diff)
		}
		for rows := csv.NewReader(strings.NewReader(text)); ; {
			cells, err := rows.Read()
			if err == io.EOF {
				break
			}
			for _, cell := range cells {
				for i, part := range breaks.Split(cell, -1) {
					if i > 0 {
						part = strings.TrimLeft(part, `"`) // quotes around no text
					}
					if first, _ := utf8.DecodeRuneInString(part); strings.ContainsRune("=+-@＝＋－＠", first) || cell != "" && strings.ContainsRune("\t\r", rune(cell[0])) {
						t.Fatalf("a cell is %q, with a part %q", cell, part)
					}
				}
			}
		}
	})
}

// TestGuardedCells checks which ' of a cell is part of its text.
func TestGuardedCells(t *testing.T) {
	for cell, want := range map[string]string{
		"'=1+1": "=1+1", "''=1+1": "'=1+1", "'-1": "-1", "'＝1": "＝1", "''＠a": "'＠a", "'@a": "@a", "'+": "+", "' a": " a", "a '": "a ",
		"'Til Dawn": "'Til Dawn", "'": "'", "''": "''", "Boys'": "Boys'", "=1": "=1",
		"a;'=1;''-b;'c;' =d": "a;=1;'-b;'c;' =d", "a\t'＠b": "a\t＠b", "a;'": "a;'",
	} {
		table := strings.Replace(tableOf("", ""), "Star Forge", cell, 1)
		if all, refused := readAll(t, tableReader(t, strings.NewReader(table))); len(all) != 1 || all[0].Facts.Title != want {
			t.Errorf("%q: %v %v, want the title %q", cell, all, refused, want)
		}
	}
}

// TestTableWriterLacksAColumn checks what is said of a locale that appeared after the header.
func TestTableWriterLacksAColumn(t *testing.T) {
	w, err := feed.NewTableWriter(io.Discard, nil)
	if err != nil {
		t.Fatal(err)
	}
	l := fullListing()
	want := "write listing pcstore JP offer-1: titles.en: has no column, because it was stored during the export: export again"
	if err := w.Write(&l); err == nil || err.Error() != want {
		t.Error(err)
	}
	var many []string
	for i := range 7000 {
		many = append(many, fmt.Sprintf("en-%d", i))
	}
	if _, err := feed.NewTableWriter(io.Discard, many); err == nil || !strings.Contains(err.Error(), "export without --csv") {
		t.Error(err)
	}
}
