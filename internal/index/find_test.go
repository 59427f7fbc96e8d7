package index_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

func TestLookup(t *testing.T) {
	s := newSample("UA")
	s.console("STARSTAR", "1", "Star", s.rows("P", "UA"))
	s.pc("starstar", "Star", []catalog.Offer{{ID: "o1", Type: catalog.Base, Rows: s.rows("o1", "UA")}})
	s.pc("moon", "Moon", []catalog.Offer{{ID: "o2", Type: catalog.Base, Rows: s.rows("o2", "UA")}}, func(c *catalog.Card) {
		c.Aliases = []string{"old-moon", "sun"}
	})
	s.pc("mars", "Mars", []catalog.Offer{{ID: "o4", Type: catalog.Base, Rows: s.rows("o4", "UA")}}, func(c *catalog.Card) {
		c.Aliases = []string{"old-moon"}
	})
	s.pc("sun", "Sun", []catalog.Offer{{ID: "o3", Type: catalog.Base, Rows: s.rows("o3", "UA")}})
	for _, slug := range []string{"кузня_2.0", "кузня_20", "rally-citroën"} {
		s.pc(slug, "Кузня", []catalog.Offer{{ID: slug, Type: catalog.Base, Rows: s.rows(slug, "UA")}}, func(c *catalog.Card) {
			if slug == "rally-citroën" {
				c.Aliases = []string{"星の鍛冶"}
			}
		})
	}
	snap := s.open(t)
	for _, tt := range []struct {
		name, id string
		platform catalog.Platform
		want     string
	}{
		{"console first", "starStar", 0, "STARSTAR"},
		{"only PC", "STARSTAR", catalog.PCStore, "starstar"},
		{"only console", "moon", catalog.ConsoleStore, ""},
		{"a slug in any case", "Moon", 0, "moon"},
		{"an alias of two cards is the first one's", "OLD-MOON", 0, "mars"},
		{"an alias", "old-moon", catalog.PCStore, "mars"},
		{"a slug before an alias", "sun", 0, "sun"},
		{"nothing", "pluto", 0, ""},
		{"a slug of another script", "кузня_2.0", 0, "кузня_2.0"},
		{"in upper case, with home and white space", " КУЗНЯ_2.0/home", 0, "кузня_2.0"},
		{"in NFC", "rally-citroën", 0, "rally-citroën"},
		{"in NFD and upper case", "RALLY-CITROE\u0308N", 0, "rally-citroën"},
		{"an alias of another script", "星の鍛冶", 0, "rally-citroën"},
		{"of 8 characters that are not ASCII", "КУЗНЯ_20", 0, "кузня_20"},
		{"without its marks", "rally-citroen", 0, ""},
		{"empty", "", 0, ""},
		{"bytes", "\xff\x00", 0, ""},
		{"long", strings.Repeat("x", 5000), 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c, ok := snap.Lookup(tt.platform, tt.id)
			if ok != (tt.want != "") || ok && c.ID() != tt.want {
				t.Errorf("Lookup(%v, %q) = %v, want %q", tt.platform, tt.id, ok, tt.want)
			}
			found := new([index.PrefetchStep]index.Card)
			if snap.LookupEach(tt.platform, []string{"NOSUCHID", catalog.CardID(tt.id)}, found); found[1] != c {
				t.Errorf("LookupEach(%v, %q) finds another card, want %q", tt.platform, tt.id, tt.want)
			}
		})
	}
}

func TestMoved(t *testing.T) {
	s := newSample("UA")
	s.console("NEWONE00", "1", "One", s.rows("P1", "UA"))
	s.console("NEWTWO00", "1", "Two", s.rows("P2", "UA"))
	s.console("FARAWAY0", "1", "Far", s.rows("P3", "US"))
	s.pc("newone00", "One", []catalog.Offer{{ID: "O1", Title: "One", Type: catalog.Base, Rows: s.rows("O1", "UA")}})
	s.pc("two-pc", "Two", []catalog.Offer{{ID: "O2", Title: "Two", Type: catalog.Base, Rows: s.rows("O2", "UA")}})
	s.in.Moved = map[string][]string{
		"OLD00001": {"NEWTWO00", "FARAWAY0", "NEWONE00"}, "OLD00002": {"FARAWAY0"}, "OLD00003": {"GONE0000"},
		"NEWONE00": {"NEWTWO00"}, "AAAAAAAA": {"NEWONE00"}, "ZZZZZZZZ": {"NEWONE00"},
		"one-pc": {"newone00", "two-pc"}, "OLD00004": {"NEWTWO00", "two-pc"},
	}
	snap := s.open(t)
	for _, tt := range []struct {
		platform catalog.Platform
		id, want string
	}{
		{0, "OLD00001", "NEWTWO00 NEWONE00"}, {0, "old00001", "NEWTWO00 NEWONE00"}, {0, "AAAAAAAA", "NEWONE00"},
		{0, "ZZZZZZZZ", "NEWONE00"}, {0, "OLD00002", ""}, {0, "OLD00003", ""}, {0, "NEWONE00", ""}, {0, "UNKNOWN0", ""},
		{0, "", ""}, {0, "ZZZZZZZZZ", ""},
		// Only what a request for the platform finds: newone00 is NEWONE00 there.
		{0, "one-pc", "two-pc"}, {catalog.PCStore, "one-pc", "newone00 two-pc"}, {catalog.ConsoleStore, "one-pc", ""},
		{0, "OLD00004", "NEWTWO00 two-pc"}, {catalog.PCStore, "OLD00004", "two-pc"}, {catalog.ConsoleStore, "OLD00004", "NEWTWO00"},
	} {
		served := strings.HasPrefix(strings.ToUpper(tt.id), "OLD") || tt.id == "AAAAAAAA" || tt.id == "ZZZZZZZZ" || tt.id == "one-pc"
		if got := snap.WasServed(tt.id); got != served {
			t.Errorf("WasServed(%q) = %v", tt.id, got)
		}
		if got := strings.Join(snap.Moved(tt.platform, tt.id), " "); got != tt.want {
			t.Errorf("Moved(%v, %q) = %q, want %q", tt.platform, tt.id, got, tt.want)
		}
	}
}

// hits runs a search and returns the ids, and the total if it differs.
func hits(s *index.Snapshot, q string, p catalog.Platform, typos bool) string {
	found, total, _ := s.Find(q, p, 10, 0, typos, nil)
	var list []string
	for _, h := range found {
		list = append(list, h.Card.ID())
	}
	if total != len(found) {
		list = append(list, fmt.Sprint("of ", total))
	}
	return strings.Join(list, " ")
}

func TestFindByExactID(t *testing.T) {
	link := func(url, product, slug string) func(*catalog.Entry) {
		return func(e *catalog.Entry) {
			e.URL = catalog.PatternOf(url, product, slug)
			e.Facts = &catalog.Facts{Slug: slug}
		}
	}
	s := newSample("UA")
	s.console("STAR0000", "1", "Star", []uint32{
		s.row("TR", "EP1-CUSA1_00-STAR", price(1), link("https://c.example/tr/product/EP1-CUSA1_00-STAR", "EP1-CUSA1_00-STAR", "")),
		s.row("UA", "EP1-CUSA1_00-STAR", price(1), link("https://c.example/ua/star?x=1", "EP1-CUSA1_00-STAR", "")),
	}, func(c *catalog.Card) { c.TitleIDs = []string{"CUSA00001", "PPSA00002_00"}; c.Popularity = 5 })
	s.console("MAP00000", "1", "Star Map", s.rows("EP1-MAP", "UA"), func(c *catalog.Card) {
		c.Type, c.Class, c.TitleIDs = catalog.DLC, catalog.AddOnClass, []string{"CUSA00001"}
	})
	s.console("OTHER000", "2", "Star0000 and Star Wars", s.rows("EP2-OTHER", "UA"), func(c *catalog.Card) { c.Popularity = 9 })
	s.pc("star-wars", "Wars", []catalog.Offer{
		{ID: "ns/0f1e", Type: catalog.Base, Rows: []uint32{s.row("UA", "ns/0f1e", nil, link("https://p.example/uk/p/star-wars", "ns/0f1e", "star-wars"))}},
		{ID: "2d3c", Type: catalog.DLC, Rows: []uint32{s.row("UA", "2d3c", nil, link("https://p.example/item?id=2d3c", "2d3c", "star-wars"))}},
	}, func(c *catalog.Card) { c.Aliases = []string{"wars-old"} })
	s.pc("zone", "Namespace", []catalog.Offer{
		{ID: "ns/9999", Type: catalog.Base, Rows: []uint32{s.row("UA", "ns/9999", nil, link("https://p.example/o/ns/9999", "ns/9999", "zone"))}},
	})
	for slug, address := range map[string]string{"rally-citroën": "https://p.example/fr/p/rally-citro%C3%ABn", "кузня_2": "https://p.example/p/кузня_2"} {
		s.pc(slug, "Dirt", []catalog.Offer{{ID: slug, Type: catalog.Base, Rows: []uint32{s.row("UA", "o/"+slug, nil, link(address, "o/"+slug, slug))}}})
	}
	snap := s.open(t)
	const both = catalog.Platform(0)
	for _, tt := range []struct {
		name, q  string
		platform catalog.Platform
		want     string
	}{
		{"a game id, titles after it", "star0000", both, "STAR0000 OTHER000"},
		{"a slug, titles after it", "Star-Wars", both, "star-wars OTHER000"},
		{"an alias", "wars-old", both, "star-wars"},
		{"a product id", " ep1-cusa1_00-star ", both, "STAR0000"},
		{"an offer's product id", "2d3c", both, "star-wars"},
		{"a title id of two cards, in final order", "cusa00001", both, "STAR0000 MAP00000"},
		{"a title id with _00", "CUSA00001_00", both, "STAR0000 MAP00000"},
		{"a title id that the feed gave with _00", "PPSA00002", both, "STAR0000"},
		{"a link with the product id", "https://c.example/tr/product/EP1-CUSA1_00-STAR", both, "STAR0000"},
		{"a link without", "https://c.example/ua/star?x=1", both, "STAR0000"},
		{"a link with the slug", "https://p.example/uk/p/star-wars", both, "star-wars"},
		{"a link with the product id as a parameter", "HTTPS://p.example/item?id=2d3c", both, "star-wars"},
		{"a link with a product id of two parts", "https://p.example/o/ns/9999", both, "zone"},
		{"a slug of another script", "Rally-Citroe\u0308n/home", both, "rally-citroën"},
		{"a link with percent escapes", "https://p.example/fr/p/rally-citro%C3%ABn", both, "rally-citroën"},
		{"the same without them", "https://p.example/fr/p/rally-citroën", both, "rally-citroën"},
		{"a link without percent escapes", "https://p.example/p/кузня_2", both, "кузня_2"},
		{"the same with them", "https://p.example/p/%D0%BA%D1%83%D0%B7%D0%BD%D1%8F_2", both, "кузня_2"},
		{"another platform", "2d3c", catalog.ConsoleStore, ""},
		{"titles of one platform", "wars", catalog.ConsoleStore, "OTHER000"},
		{"titles of the other", "wars", catalog.PCStore, "star-wars"},
		{"an id, then titles of one platform", "star-wars", catalog.PCStore, "star-wars"},
		{"a part of an id", "EP1", both, ""},
		{"another link with the same id", "https://c.example/de/product/EP1-CUSA1_00-STAR", both, ""},
		{"an id and a word", "STAR0000 map", both, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := hits(snap, tt.q, tt.platform, false); got != tt.want {
				t.Errorf("Find(%q) = %q, want %q", tt.q, got, tt.want)
			}
		})
	}
}

func TestNoTyposBesideAnExactID(t *testing.T) {
	s := newSample("UA")
	s.console("WITCHERX", "1", "Star", s.rows("P1", "UA"))
	s.console("AAAAAAAA", "2", "Witchery", s.rows("P2", "UA"))
	snap := s.open(t)
	if got := hits(snap, "witcherx", 0, true); got != "WITCHERX" {
		t.Errorf("found %q, want the exact id alone", got)
	}
	if got := hits(snap, "witcherz", 0, true); got != "AAAAAAAA" {
		t.Errorf("found %q, want the title with a typo", got)
	}
}

func TestShownTitle(t *testing.T) {
	s := newSample("UA")
	s.console("WITCHER0", "1", "The Witcher - Deluxe", s.rows("P1", "UA"), func(c *catalog.Card) {
		c.Titles = []string{"The Witcher - Deluxe", "Відьмак - Deluxe"}
		c.Names = []catalog.Name{{Text: "The Witcher - Deluxe"}, {Text: "Відьмак - Deluxe", Shown: 1}}
	})
	s.pc("vidmak", "Witcher", []catalog.Offer{{ID: "o", Type: catalog.Base, Rows: s.rows("o", "UA")}}, func(c *catalog.Card) {
		c.Type, c.Titles = catalog.EditionType, []string{"Wiedźmin", "Vidmak"}
		c.Names = []catalog.Name{{Text: "Wiedźmin"}, {Text: "Vidmak", Shown: 1}}
	})
	snap := s.open(t)
	for q, want := range map[string]string{
		"witcher": "The Witcher - Deluxe", "відьмак": "Відьмак - Deluxe", "deluxe": "The Witcher - Deluxe", "WITCHER0": "The Witcher - Deluxe",
		"vidmak": "Vidmak",
	} {
		found, _, _ := snap.Find(q, 0, 1, 0, false, nil)
		if len(found) != 1 || found[0].Title != want {
			t.Errorf("Find(%q) = %v, want the title %q", q, found, want)
		}
	}
}

// TestPagesNeverOverlap reads a search page by page, with and without cards
// that are found by id, and checks that no card comes twice.
func TestPagesNeverOverlap(t *testing.T) {
	s := newSample("UA")
	for i := range 30 {
		s.console(gameID(i), fmt.Sprint(i), "Star "+string(rune('a'+i%7)), s.rows(fmt.Sprint("P", i), "UA"), func(c *catalog.Card) {
			if i%4 == 0 {
				c.TitleIDs = []string{"Star"}
			}
		})
	}
	snap := s.open(t)
	rapid.Check(t, func(t *rapid.T) {
		q := rapid.SampledFrom([]string{"star", "star a", "sta", "G0000007"}).Draw(t, "q")
		all, total, _ := snap.Find(q, 0, 100, 0, false, nil)
		if total != len(all) {
			t.Fatalf("total %d, found %d", total, len(all))
		}
		limit := rapid.IntRange(1, 12).Draw(t, "limit")
		var paged []index.Hit
		for offset := 0; offset < total+limit; offset += limit {
			var n int
			if paged, n, _ = snap.Find(q, 0, limit, offset, false, paged); n != total {
				t.Fatalf("total %d at %d, want %d", n, offset, total)
			}
		}
		if !slices.Equal(paged, all) {
			t.Fatalf("pages of %d give %v, want %v", limit, paged, all)
		}
	})
}
