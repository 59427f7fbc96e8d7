package builder

import (
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/publish"
	ct "gamedex/internal/testing/catalogtest"
)

// unnamed are listings of one game without names: two have the same title.
var unnamed = []catalog.Listing{
	ct.Console("UA", "EP-A-0000000000000001", ct.Family("5"), ct.Title("Moon Farm"), ct.Price("UAH", 9900), ct.On(2)),
	ct.Console("TR", "EP-B-0000000000000002", ct.Family("5"), ct.Title("Ay Çiftliği"), ct.Price("TRY", 9900), ct.On(2)),
	ct.Console("IN", "EP-C-0000000000000003", ct.Family("5"), ct.Title("MOON FARM™"), ct.Price("INR", 9900), ct.On(2)),
}

// TestJoinedIDsNameTheirSuccessor checks that cards that an earlier merge version kept apart
// lead to the one that titles join.
func TestJoinedIDsNameTheirSuccessor(t *testing.T) {
	bubble(t, func(t *testing.T, w *world) {
		stop := w.start(w.bucket)
		w.save(unnamed[0])
		w.nextBuild()
		oldest := w.idsByProduct()[unnamed[0].Product]
		stop()
		if err := w.db.Listings.Remember(t.Context(), []catalog.Served{{ID: "0LD0LD0X", Platform: catalog.ConsoleStore, Product: unnamed[2].Product}}); err != nil {
			t.Fatal(err)
		}
		w.save(unnamed[1:]...)
		w.newer(func(in *publish.Inputs) { in.MergeVersion = merge.MergeVersion - 1 })
		w.start(w.bucket)
		w.nextBuild()
		ids := w.idsByProduct()
		if ids[unnamed[0].Product] != oldest || ids[unnamed[2].Product] != oldest || ids[unnamed[1].Product] == oldest {
			t.Errorf("ids are %v, the oldest had %s", ids, oldest)
		}
		if now := w.view().Moved(catalog.ConsoleStore, "0LD0LD0X"); len(now) != 1 || now[0] != oldest {
			t.Errorf("the id that is gone has the successors %v, want %s", now, oldest)
		}
	})
}

// TestLoneCardsAreReported checks that the log and check count, once, the cards that only
// differing titles keep in a single region, and that they name the way out, which works.
func TestLoneCardsAreReported(t *testing.T) {
	named := ct.Console("TR", unnamed[1].Product, ct.Family("5"), ct.Title("Ay Çiftliği"), ct.Name("Moon Farm"), ct.Price("TRY", 9900), ct.On(3))
	japan := ct.Console("JP", "JP-D-0000000000000004", ct.Family("5"), ct.Title("ムーンファーム"), ct.Price("JPY", 9900), ct.On(2))
	alone := ct.Console("TR", "EP-E-0000000000000005", ct.Family("6"), ct.Title("Dust Runner"), ct.Price("TRY", 9900), ct.On(2))
	season := ct.Console("TR", "EP-F-0000000000000006", ct.Family("6"), ct.Title("Dust Runner Pass"), ct.Type(catalog.SeasonPass), ct.Price("TRY", 9900), ct.On(2))
	coins := ct.Console("UA", "EP-G-0000000000000007", ct.Family("6"), ct.Title("Монети"), ct.Type(catalog.DLC), ct.Price("UAH", 9900), ct.On(2))
	const text = "cards in a single region whose family has cards in other regions: "
	standard := ""
	var both []override.Rule
	for _, l := range unnamed[:2] {
		both = append(both, override.Rule{Platform: l.Platform, Product: l.Product, Edition: &standard})
	}
	for _, tt := range []struct {
		name      string
		lines     []catalog.Listing
		overrides []override.Rule
		want      string // "" is none
	}{
		{"equal titles", []catalog.Listing{unnamed[0], unnamed[2]}, nil, ""},
		{"another title", unnamed, nil, "1 (the first: product EP-B-0000000000000002 in TR, family 5)"},
		{"three titles", []catalog.Listing{unnamed[0], unnamed[1], japan}, nil, "3 (the first: "},
		{"a name on one side", []catalog.Listing{unnamed[0], named}, nil, "1 (the first: product EP-A-0000000000000001 in UA, family 5)"},
		{"the same name on both", []catalog.Listing{named, ct.Console("UA", unnamed[0].Product, ct.Family("5"), ct.Name("Moon Farm"), ct.Title("x"), ct.On(2))}, nil, ""},
		{"overrides", unnamed[:2], both, ""},
		{"a family of one card, and of another class", []catalog.Listing{alone, season}, nil, ""},
		{"add-ons", []catalog.Listing{alone, season, coins}, nil, "2 (the first: "},
		{"two in one region", []catalog.Listing{unnamed[0], ct.Console("UA", "EP-H-0000000000000008", ct.Family("5"), ct.Title("Moon Farm Gold"))}, nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T, w *world) {
				w.set(func() { w.overrides = override.New(tt.overrides...) })
				w.start(w.bucket)
				w.save(append([]catalog.Listing{elsewhere}, tt.lines...)...)
				w.nextBuild()
				_, lone, err := AboutListings(t.Context(), w.db, override.New(tt.overrides...))
				if err != nil {
					t.Fatal(err)
				}
				logged := strings.Count(w.log.String(), text)
				if tt.want == "" {
					if lone != "" || logged > 0 {
						t.Errorf("it reports %q, and logs it %d times", lone, logged)
					}
					return
				}
				if !strings.HasPrefix(lone, text+tt.want) || !strings.Contains(lone, `invariantName, or overrides with "edition":""`) || logged != 1 {
					t.Errorf("it reports %q, and logs it %d times; want %s", lone, logged, tt.want)
				}
				w.save(ct.Console("UA", elsewhere.Product, ct.Family("2"), ct.Title("Elsewhere"), ct.Price("UAH", 999), ct.On(2)))
				w.nextBuild()
				if logged := strings.Count(w.log.String(), text); logged != 1 {
					t.Errorf("after the next build it is logged %d times", logged)
				}
			})
		})
	}
}
