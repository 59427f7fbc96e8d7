package index_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
)

func TestOnlyCardsInActiveRegionsAreServed(t *testing.T) {
	s := newSample("UA", "TR")
	s.console("AAAAAAAA", "1", "Here", s.rows("P1", "UA", "US"))
	s.console("BBBBBBBB", "1", "Elsewhere", s.rows("P2", "US"))
	s.console("CCCCCCCC", "1", "Announced", []uint32{s.row("TR", "P3", nil)})
	s.console("DDDDDDDD", "1", "Pack", s.rows("P4", "UA"), func(c *catalog.Card) {
		c.Type, c.Members = catalog.Bundle, []string{"P3", "P2", "P1", "P9", "P4"}
	})
	snap := s.open(t)

	if got, want := allIDs(snap), []string{"CCCCCCCC", "AAAAAAAA", "DDDDDDDD"}; !slices.Equal(got, want) {
		t.Errorf("served %v, want %v", got, want)
	}
	if _, ok := snap.Lookup(0, "BBBBBBBB"); ok {
		t.Error("a card of inactive regions is found by id")
	}
	if _, total, _ := snap.Find("elsewhere", 0, 10, 0, true, nil); total != 0 {
		t.Error("a card of inactive regions is found by title")
	}
	if _, total, _ := snap.Find("P2", 0, 10, 0, false, nil); total != 0 {
		t.Error("a card of inactive regions is found by product id")
	}
	here := find(t, snap, "AAAAAAAA")
	if got, want := ids(here.Variants()), []string{"CCCCCCCC", "DDDDDDDD"}; !slices.Equal(got, want) {
		t.Errorf("variants %v, want %v", got, want)
	}
	if got, want := ids(find(t, snap, "DDDDDDDD").Members()), []string{"CCCCCCCC", "AAAAAAAA"}; !slices.Equal(got, want) {
		t.Errorf("members %v, want %v in feed order, itself left out", got, want)
	}
	if here.Rows().Len() != 2 {
		t.Errorf("%d rows, want also the one in an inactive region", here.Rows().Len())
	}
}

func TestSameInputSameBytes(t *testing.T) {
	s := newSample("UA")
	for i, title := range []string{"One", "Two", "Three", "Four"} {
		s.console(gameID(i), "1", title, s.rows("P"+title, "UA", "TR"))
	}
	s.in.Moved = map[string][]string{"OLD00001": {gameID(1)}, "OLD00002": {gameID(2), gameID(3)}}
	s.in.Regions = map[catalog.Platform][]catalog.Region{1: {catalog.MustRegion("UA")}, 2: {catalog.MustRegion("TR")}}
	first := s.build(t)
	for range 5 {
		slices.Reverse(s.in.Cards)
		if diff := cmp.Diff(first, s.build(t)); diff != "" {
			t.Fatal("another build of the same input has other bytes")
		}
	}
}

// family is a game with every kind of related card.
func family() *sample {
	s := newSample("UA", "TR")
	kind := func(typ catalog.Type, class catalog.Class) func(*catalog.Card) {
		return func(c *catalog.Card) { c.Type, c.Class = typ, class }
	}
	s.console("GAME0000", "7", "Star", s.rows("G", "UA", "TR"))
	s.console("DELUXE00", "7", "Star - Deluxe", s.rows("D", "UA"), kind(catalog.EditionType, catalog.GameClass))
	s.console("BUNDLE00", "7", "Star Pack", s.rows("B", "TR", "US"), kind(catalog.Bundle, catalog.GameClass))
	s.console("DEMO0000", "7", "Star Demo", s.rows("T", "UA"), kind(catalog.Game, catalog.DemoClass))
	s.console("PASS0000", "7", "Star Pass", s.rows("S", "UA"), kind(catalog.SeasonPass, catalog.AddOnClass))
	s.console("DLC00000", "7", "Star Map", s.rows("M", "UA"), kind(catalog.DLC, catalog.AddOnClass))
	s.console("SUB00000", "7", "Star Club", s.rows("C", "UA"), kind(catalog.Subscription, catalog.SubscriptionClass))
	s.console("OTHER000", "8", "Moon", s.rows("O", "UA"))
	s.pc("star", "Star", []catalog.Offer{
		{ID: "base", Title: "Star", Type: catalog.Base, Rows: s.rows("base", "UA", "TR")},
		{ID: "gold", Title: "Star Gold", Type: catalog.EditionType, Edition: "Gold", Rows: s.rows("gold", "UA")},
		{ID: "hat", Title: "Hat", Type: catalog.DLC, Rows: s.rows("hat", "UA")},
		{ID: "far", Title: "Far", Type: catalog.Game, Rows: s.rows("far", "US")},
	})
	return s
}

func TestLinksBetweenCards(t *testing.T) {
	snap := family().open(t)
	for _, tt := range []struct{ id, variants, related, editions string }{
		{"GAME0000", "DELUXE00 BUNDLE00", "PASS0000 DLC00000", "GAME0000 DELUXE00 BUNDLE00"},
		{"DELUXE00", "GAME0000 BUNDLE00", "PASS0000 DLC00000", "GAME0000 DELUXE00 BUNDLE00"},
		{"PASS0000", "", "GAME0000 DELUXE00 BUNDLE00 DLC00000", "PASS0000"},
		{"DLC00000", "", "GAME0000 DELUXE00 BUNDLE00 PASS0000", "DLC00000"},
		{"DEMO0000", "", "GAME0000 DELUXE00 BUNDLE00 PASS0000 DLC00000", "DEMO0000"},
		{"SUB00000", "", "GAME0000 DELUXE00 BUNDLE00 PASS0000 DLC00000", "SUB00000"},
		{"OTHER000", "", "", "OTHER000"},
		{"star", "", "", ""},
	} {
		c := find(t, snap, tt.id)
		got := []string{tt.id, strings.Join(ids(c.Variants()), " "), strings.Join(ids(c.Related()), " "), strings.Join(ids(c.Editions()), " ")}
		if want := []string{tt.id, tt.variants, tt.related, tt.editions}; !slices.Equal(got, want) {
			t.Errorf("links\n got %q\nwant %q", got, want)
		}
	}
}

// TestVariantsCountIsTheSameOnBothStores lists the same editions on both stores:
// what is listed only where no region is active counts, a demo does not.
func TestVariantsCountIsTheSameOnBothStores(t *testing.T) {
	s := newSample("UA")
	s.console("GAME0000", "7", "Star", s.rows("G", "BR", "DE", "UA", "US"))
	s.console("GOLD0000", "7", "Star - Gold", s.rows("A", "DE", "UA"))
	s.console("FARAWAY0", "7", "Star - Far", s.rows("F", "DE", "FR", "JP")) // not served
	s.console("DEMO0000", "7", "Star Demo", s.rows("T", "DE", "UA"), func(c *catalog.Card) { c.Class = catalog.DemoClass })
	s.console("STRANGER", "8", "Moon", s.rows("M", "DE", "UA"))
	s.pc("star", "Star", []catalog.Offer{
		{ID: "g", Title: "Star", Type: catalog.Base, Rows: s.rows("g", "BR", "DE", "UA", "US")},
		{ID: "a", Title: "Star Gold", Type: catalog.EditionType, Rows: s.rows("a", "DE", "UA")},
		{ID: "f", Title: "Star Far", Type: catalog.Game, Rows: s.rows("f", "DE", "FR")},
		{ID: "t", Title: "Star Demo", Type: catalog.Game, Demo: true, Rows: s.rows("t", "DE", "UA")},
	})
	snap := s.open(t)
	for region, want := range map[string]int{"UA": 2, "DE": 3, "US": 1, "BR": 1} {
		for _, id := range []string{"GAME0000", "star"} {
			if got := inRegion(t, snap, find(t, snap, id).Rows(), region).Variants; got != want {
				t.Errorf("%s in %s: %d variants, want %d", id, region, got, want)
			}
		}
	}
	if n := inRegion(t, snap, find(t, snap, "DEMO0000").Rows(), "UA").Variants; n != 1 {
		t.Errorf("a demo is one of %d variants", n)
	}
	if demo := find(t, snap, "star").Offers().At(3); demo.ID() != "t" || demo.IsEdition() {
		t.Error("a demo is an edition of its game")
	}
}

func TestOffers(t *testing.T) {
	snap := family().open(t)
	offers := find(t, snap, "STAR").Offers()
	var got []string
	for i := range offers.Len() {
		o := offers.At(i)
		line := []string{o.ID(), o.Title(), o.Type().String(), o.Edition()}
		if o.IsEdition() {
			line = append(line, "counts")
		}
		if !o.InActive() {
			line = append(line, "inactive")
		}
		got = append(got, strings.Join(line, "|"))
	}
	want := []string{"base|Star|base||counts", "gold|Star Gold|edition|Gold|counts", "hat|Hat|dlc|", "far|Far|game||counts|inactive"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("offers (-want +got):\n%s", diff)
	}
	if n := find(t, snap, "GAME0000").Offers().Len(); n != 0 {
		t.Errorf("a console card has %d offers", n)
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(*sample)
		want   string
	}{
		{"rows out of order", func(s *sample) { s.in.Cards[0].Rows = []uint32{0, 1} },
			`build index: card "AAAAAAAA": region "TR" comes after "UA"`},
		{"a row without an entry", func(s *sample) { s.in.Cards[0].Rows = []uint32{9} },
			`build index: card "AAAAAAAA": row 9 of 2 entries`},
		{"an entry without facts", func(s *sample) { s.in.Entries[0].Facts = nil },
			`build index: card "AAAAAAAA": product "P" in region "UA" has no facts`},
		{"no platform", func(s *sample) { s.in.Cards[0].Platform = 0 },
			`build index: card "AAAAAAAA": platform 0, type 1, class 1`},
		{"a region that does not exist", func(s *sample) { s.in.Active = append(s.in.Active, catalog.Region{'E', 'U'}) },
			`build index: region "EU" is not a country code`},
		{"a listed region that does not exist", func(s *sample) {
			s.in.Regions = map[catalog.Platform][]catalog.Region{catalog.PCStore: {{'Z', 'Z'}}}
		}, `build index: regions of "pcstore": region "ZZ" is not a country code`},
		{"prose that is missing", func(s *sample) { s.in.Cards[0].Prose.Logo = 5 },
			`build index: card "AAAAAAAA": prose 5 is missing`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSample("UA")
			s.console("AAAAAAAA", "1", "Star", []uint32{s.row("UA", "P", nil)})
			s.row("TR", "P", nil)
			tt.change(s)
			if _, err := buildErr(s); err == nil || err.Error() != tt.want {
				t.Errorf("error %v\nwant  %s", err, tt.want)
			}
		})
	}
}
