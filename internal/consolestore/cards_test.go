package consolestore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/feed"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/golden"
)

// TestCards combines, checks and merges all recordings. Review the cards by hand.
func TestCards(t *testing.T) {
	listings := make(map[catalog.Key]catalog.Listing)
	for _, r := range recordings {
		if r.name == "editions-garbage" {
			continue // another store's game under the same id
		}
		answer, err := os.ReadFile(filepath.Join("testdata", r.answer))
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range open(t, world(), always(string(answer))).read(t, r.code, r.kind, r.from).Parts {
			lay(t, listings, part)
		}
	}
	var lines []catalog.Listing
	var active []catalog.Region
	for _, l := range listings {
		lines = append(lines, l)
		if !slices.Contains(active, l.Region) {
			active = append(active, l.Region)
		}
	}
	slices.SortFunc(active, catalog.Region.Compare)
	entries := catalogtest.Entries(lines...)
	groups := merge.Merge(entries, override.Set{})
	var out strings.Builder
	for _, card := range merge.Compose(groups, entries, active, nil) {
		fmt.Fprintf(&out, "%s %v %q", card.ID, card.Type, card.Title)
		if card.EditionName != "" {
			fmt.Fprintf(&out, " edition %q", card.EditionName)
		}
		fmt.Fprintf(&out, " family %s %v\n", card.Family, card.Platforms)
		for _, i := range card.Rows {
			e := entries[i]
			fmt.Fprintf(&out, "\t%s %s %s\n", e.Region, e.Product, costs(e.Price))
		}
	}
	golden.Check(t, "testdata/cards.golden", out.String())
}

// lay merges a part into the known listings, as the database does.
func lay(t *testing.T, listings map[catalog.Key]catalog.Listing, part sweep.Part) {
	t.Helper()
	var stored *catalog.Listing
	if l, known := listings[part.Key]; known {
		stored = &l
	}
	l, ok := sweep.Overlay(stored, &part)
	if !ok {
		return
	}
	if err := feed.Check(&l, catalog.MillisOf(now)+600_000); err != nil {
		t.Errorf("%v: %v", part.Key, err)
		return
	}
	listings[part.Key] = l
}

func costs(p *catalog.Price) string {
	switch {
	case p == nil:
		return "not for sale"
	case p.Trial:
		return "trial " + p.CurrentText
	case p.Subscription:
		return "subscribers " + p.CurrentText
	case !p.Current.Known():
		return "in words " + p.CurrentText
	}
	return fmt.Sprintf("%d %s %s", p.Current, p.Currency, p.CurrentText)
}
