package consolestore_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/golden"
)

// TestRecordedShapes reads one answer of each shape in which the store offered
// a game: which actions, in which order, with which fields. Names and ids are
// invented. Review each product's price by hand.
func TestRecordedShapes(t *testing.T) {
	body, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var shapes map[string]struct {
		Concept string
		Answer  json.RawMessage
	}
	if err := json.Unmarshal(body, &shapes); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, name := range slices.Sorted(maps.Keys(shapes)) {
		page := open(t, world(), always(string(shapes[name].Answer))).read(t, "HK", sweep.Editions, shapes[name].Concept)
		fmt.Fprintf(&out, "%s%s\n", name, marks(page))
		for i := range page.Parts {
			writeShape(t, &out, &page.Parts[i])
		}
	}
	golden.Check(t, "testdata/recorded.golden", out.String())
}

// marks returns the properties of a page as a whole.
func marks(p sweep.Page) string {
	var all string
	if p.Gone {
		all += ", gone"
	}
	if p.Interrupted {
		all += ", interrupted"
	}
	return all
}

// writeShape writes a product that the format takes.
func writeShape(t *testing.T, out *strings.Builder, part *sweep.Part) {
	t.Helper()
	l, ok := sweep.Overlay(nil, part)
	if !ok {
		fmt.Fprintf(out, "\t%s incomplete\n", part.Product)
		return
	}
	if err := feed.Check(&l, catalog.MillisOf(now)); err != nil {
		t.Errorf("%s: %v", part.Product, err)
	}
	demo, base := "", ""
	if l.Facts.Demo {
		demo = " demo"
	}
	if l.Price != nil && l.Price.Base.Known() && l.Price.Base != l.Price.Current {
		base = fmt.Sprintf(", before %d", l.Price.Base)
	}
	fmt.Fprintf(out, "\t%s %v%s %q %v: %s%s\n", l.Product, l.Facts.Type, demo, l.Facts.Edition, l.Facts.Platforms, costs(l.Price), base)
}
