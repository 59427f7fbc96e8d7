package api_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// browsePage is an answer of browse.
type browsePage struct {
	Data struct {
		Items      []listedCard
		Total      int
		NextCursor *string
		Facets     map[string]struct {
			Values []facetValue
			More   int
		}
	}
}

type listedCard struct {
	ID, Platform, Title, Type string
	EditionName               *string
	Platforms                 []string
	ReleaseDate, Publisher    string
	Genres                    []string
	Thumbnail                 string
	AddedAt                   string
	Regions                   []string
}

type facetValue struct {
	Value string
	Count int
}

// drawBrowsed draws a catalog in which cards often have equal sort values, or are the same game.
func drawBrowsed(t *rapid.T) *sample {
	s := drawCatalog(t)
	for id := range s.prose {
		s.prose[id].ReleaseDate = rapid.SampledFrom([]string{"", "2024-05-06", "2025-01-02", "2025-12-31", "someday"}).Draw(t, "released")
	}
	for i := range s.in.Cards {
		s.in.Cards[i].Popularity = float64(rapid.IntRange(0, 2).Draw(t, "popularity"))
		s.in.Cards[i].FirstSeen = catalog.Millis(1 + rapid.IntRange(0, 2).Draw(t, "first seen"))
		if rapid.Bool().Draw(t, "a game") {
			s.in.Cards[i].Class, s.in.Cards[i].Type, s.in.Cards[i].InvariantName = catalog.GameClass, catalog.Game, rapid.SampledFrom([]string{"N", "M"}).Draw(t, "name")
		}
	}
	return s
}

// show returns what a page shows of a card.
func (s *sample) show(c *catalog.Card) listedCard {
	list := func(texts []string) []string { return append([]string{}, texts...) }
	prose := func(id catalog.ProseID) catalog.Prose {
		if id == 0 {
			return catalog.Prose{}
		}
		return *s.prose[id]
	}
	shown := listedCard{
		ID: c.ID, Platform: c.Platform.String(), Title: c.Title, Type: c.Type.String(), EditionName: orNull(c.EditionName, ""), Platforms: list(c.Platforms),
		ReleaseDate: prose(c.Prose.ReleaseDate).ReleaseDate, Publisher: prose(c.Prose.Publisher).Publisher, Genres: list(prose(c.Prose.Genres).Genres),
		Thumbnail: prose(c.Prose.Cover).Cover, AddedAt: plainTimestamp(int64(c.FirstSeen)), Regions: []string{},
	}
	for _, active := range s.in.Active {
		if s.listed(c, active) != nil {
			shown.Regions = append(shown.Regions, active.Lower())
		}
	}
	return shown
}

// listed returns the card's entry in a region, nil if there is none.
func (s *sample) listed(c *catalog.Card, r catalog.Region) *catalog.Entry {
	for _, n := range c.Rows {
		if s.in.Entries[n].Region == r {
			return &s.in.Entries[n]
		}
	}
	return nil
}

// hasNumber reports whether a card has a price that is a number in one of some regions.
func (s *sample) hasNumber(c *catalog.Card, regions []catalog.Region, now int64) bool {
	return slices.ContainsFunc(regions, func(r catalog.Region) bool {
		e := s.listed(c, r)
		if e == nil || e.Price == nil {
			return false
		}
		if end := int64(e.Price.DiscountEndsAt); end != 0 && end <= now {
			return e.Price.Base != money.None
		}
		return e.Price.Current != money.None
	})
}

// TestBrowseAgreesWithANaiveFilter walks over the pages of random filters.
func TestBrowseAgreesWithANaiveFilter(t *testing.T) {
	w := newWorld(t, unlimited)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawBrowsed(rt)
		w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		w.now.Store(start + rapid.SampledFrom([]int64{-2000, 0, 5000}).Draw(rt, "later"))
		query, want := s.drawFilters(rt, w.now.Load())
		order := rapid.SampledFrom([]string{"", "id", "popularity", "title", "released", "added"}).Draw(rt, "sort")
		query.Set("sort", order)
		slices.SortFunc(want, func(a, b *catalog.Card) int { return s.compare(order, a, b) })
		counted := want
		if rapid.Bool().Draw(rt, "distinct") {
			query.Set("distinct", "games")
			want = firstOfGames(s, want, func(c *catalog.Card) string { return c.ID })
		}

		for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"types", "genres", "publishers", "platforms", "regions", "years"}), rapid.ID).Draw(rt, "facets") {
			query.Add("facets", name)
		}
		query.Set("limit", fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "limit")))
		var got []listedCard
		for {
			page := w.browse(rt, query)
			got = append(got, page.Data.Items...)
			if page.Data.Total != len(want) {
				rt.Fatalf("%v: total %d, want %d", query, page.Data.Total, len(want))
			}
			s.compareFacets(rt, query["facets"], counted, page)
			if page.Data.NextCursor == nil {
				break
			}
			query.Set("cursor", *page.Data.NextCursor)
		}
		shown := []listedCard{}
		for _, c := range want {
			shown = append(shown, s.show(c))
		}
		if diff := gocmp.Diff(shown, append([]listedCard{}, got...)); diff != "" {
			rt.Fatalf("%v (-want +got):\n%s", query, diff)
		}
	})
}

func (w *world) browse(t *rapid.T, query url.Values) (page browsePage) {
	t.Helper()
	r := w.get("/catalog/browse?" + query.Encode())
	if err := json.Unmarshal(r.body, &page); r.status != 200 || err != nil {
		t.Fatalf("%v: %d %v %s", query, r.status, err, r.body)
	}
	return page
}

// drawFilters draws parameters, and returns the cards that pass.
func (s *sample) drawFilters(t *rapid.T, now int64) (url.Values, []*catalog.Card) {
	query, cards, filter := s.drawCardFilters(t)
	regions := s.in.Active
	filter("regions", "us jp", func(c *catalog.Card) bool {
		regions = regionsOf("US", "JP")
		return slices.ContainsFunc(regions, func(r catalog.Region) bool { return s.listed(c, r) != nil })
	})
	filter("releasedFrom", "2025-01-02", func(c *catalog.Card) bool { return strings.HasPrefix(s.show(c).ReleaseDate, "2025") })
	filter("releasedTo", "2025-01-02", func(c *catalog.Card) bool {
		date := s.show(c).ReleaseDate
		return date == "2024-05-06" || date == "2025-01-02"
	})
	filter("addedAfter", "1970-01-01T00:00:00.001Z", func(c *catalog.Card) bool { return c.FirstSeen > 1 })
	if query.Has("regions") {
		regions = regionsOf("US", "JP")
	}
	filter("priced", "1", func(c *catalog.Card) bool { return s.hasNumber(c, regions, now) })
	return query, *cards
}

// drawCardFilters draws the parameters that all lists have, and returns the cards that
// pass. filter draws whether there is one more.
func (s *sample) drawCardFilters(t *rapid.T) (query url.Values, pass *[]*catalog.Card, filter func(name, value string, keep func(*catalog.Card) bool)) {
	query, pass = url.Values{}, new([]*catalog.Card)
	for i := range s.in.Cards {
		*pass = append(*pass, &s.in.Cards[i])
	}
	like := s.show(rapid.SampledFrom(*pass).Draw(t, "like"))
	filter = func(name, value string, keep func(*catalog.Card) bool) {
		if value == strings.TrimSpace(value) && value != "" && !query.Has(name) && rapid.IntRange(0, 3).Draw(t, "with "+name) == 0 {
			query.Set(name, value)
			*pass = slices.DeleteFunc(*pass, func(c *catalog.Card) bool { return !keep(c) })
		}
	}
	has := func(list []string, value string) bool {
		return slices.ContainsFunc(list, func(text string) bool { return strings.EqualFold(text, value) })
	}
	filter("platform", like.Platform, func(c *catalog.Card) bool { return c.Platform.String() == like.Platform })
	filter("types", strings.ToUpper(like.Type)+", dlc", func(c *catalog.Card) bool { return c.Type == catalog.DLC || c.Type.String() == like.Type })
	filter("platforms", like.Platforms[0]+";PS6", func(c *catalog.Card) bool {
		return like.Platforms[0] != "" && has(c.Platforms, strings.TrimSpace(like.Platforms[0]))
	})
	if len(like.Genres) > 0 {
		filter("genres", like.Genres[0], func(c *catalog.Card) bool { return has(s.show(c).Genres, like.Genres[0]) })
	}
	filter("genres", "action,none", func(c *catalog.Card) bool { return has(s.show(c).Genres, "Action") })
	filter("publishers", "None, Inc.;"+like.Publisher, func(c *catalog.Card) bool {
		return like.Publisher != "" && has([]string{s.show(c).Publisher}, strings.TrimSpace(like.Publisher))
	})
	return query, pass, filter
}

// compare is the order of cards, rule by rule.
func (s *sample) compare(order string, a, b *catalog.Card) int {
	var first int
	switch order {
	case "popularity":
		first = cmp.Compare(b.Popularity, a.Popularity)
	case "title":
		first = slices.Compare([]rune(strings.ToLower(a.Title)), []rune(strings.ToLower(b.Title)))
	case "released":
		date := func(c *catalog.Card) string { return strings.Replace(s.show(c).ReleaseDate, "someday", "", 1) }
		first = strings.Compare(date(b), date(a))
	case "added":
		first = cmp.Compare(b.FirstSeen, a.FirstSeen)
	default:
		first = strings.Compare(a.ID, b.ID)
	}
	return cmp.Or(first, cmp.Compare(a.Platform, b.Platform), strings.Compare(a.ID, b.ID))
}

// compareFacets counts the values of the cards that pass.
func (s *sample) compareFacets(t *rapid.T, names []string, pass []*catalog.Card, page browsePage) {
	t.Helper()
	if len(page.Data.Facets) != len(names) {
		t.Fatalf("%d facets, want %q", len(page.Data.Facets), names)
	}
	for _, name := range names {
		want := map[string]int{}
		for _, c := range pass {
			shown := s.show(c)
			values := map[string][]string{
				"types": {shown.Type}, "genres": shown.Genres, "publishers": {shown.Publisher}, "platforms": shown.Platforms,
			}[name]
			switch date := shown.ReleaseDate; {
			case name == "years" && date != "" && date != "someday":
				values = []string{date[:4]}
			case name == "regions":
				for _, n := range c.Rows {
					values = append(values, s.in.Entries[n].Region.Lower())
				}
			}
			seen := map[string]bool{"": true}
			for _, value := range values {
				if value = strings.ToLower(value); !seen[value] {
					seen[value] = true
					want[value]++
				}
			}
		}
		facet, got := page.Data.Facets[name], map[string]int{}
		for _, value := range facet.Values {
			got[strings.ToLower(value.Value)] = value.Count
		}
		if !maps.Equal(got, want) || facet.More != 0 {
			t.Fatalf("%s: %v and %d more, want %v", name, got, facet.More, want)
		}
		if !slices.IsSortedFunc(facet.Values, func(a, b facetValue) int {
			return cmp.Or(cmp.Compare(b.Count, a.Count), strings.Compare(a.Value, b.Value))
		}) {
			t.Fatalf("%s: %v is not sorted", name, facet.Values)
		}
	}
}

// TestBrowseWhileTheCatalogChanges publishes another catalog after each page. What did
// not change must come exactly once; in the order of ids, nothing may come twice.
func TestBrowseWhileTheCatalogChanges(t *testing.T) {
	w := newWorld(t, unlimited)
	rapid.Check(t, func(rt *rapid.T) {
		s := drawBrowsed(rt)
		for i := range 10 {
			s.console(catalog.Card{ID: fmt.Sprintf("MORE%04d", i), Title: "T", Type: catalog.Game, FirstSeen: 2}, "p"+fmt.Sprint(i), "", offer{"UA", number("UAH", 100)})
		}
		w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		order := rapid.SampledFrom([]string{"id", "popularity", "title", "released", "added"}).Draw(rt, "sort")
		query := url.Values{"sort": {order}, "limit": {fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "limit"))}}
		moved, always := map[string]bool{}, map[string]bool{}
		for _, c := range s.in.Cards {
			always[c.ID] = true
		}
		times := map[string]int{}
		for pages := 0; ; pages++ {
			page := w.browse(rt, query)
			for _, c := range page.Data.Items {
				times[c.ID]++
			}
			if page.Data.NextCursor == nil {
				break
			}
			query.Set("cursor", *page.Data.NextCursor)
			if pages > 6 {
				continue
			}
			i := rapid.IntRange(0, len(s.in.Cards)-1).Draw(rt, "card")
			c := &s.in.Cards[i]
			switch rapid.IntRange(0, 2).Draw(rt, "change") {
			case 0:
				delete(always, c.ID)
				s.in.Cards = slices.Delete(s.in.Cards, i, i+1)
			case 1:
				c.Popularity, c.FirstSeen, c.Title, c.Prose.ReleaseDate = float64(rapid.IntRange(0, 3).Draw(rt, "popularity")), 3, "S", 0
				c.Titles, c.Names = []string{c.Title}, nil
				moved[c.ID] = true
			case 2:
				s.console(catalog.Card{ID: fmt.Sprintf("BORN%04d", pages), Title: "T", Type: catalog.Game}, "new", "", offer{"UA", number("UAH", 100)})
			}
			w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
		}
		for id := range always {
			if n := times[id]; n != 1 && (!moved[id] || order == "id") {
				rt.Fatalf("%v: %s came %d times", query, id, n)
			}
		}
		for id, n := range times {
			if n > 1 && order == "id" {
				rt.Fatalf("%v: %s came %d times", query, id, n)
			}
		}
	})
}

func TestCursorsOfOtherLists(t *testing.T) {
	w := newWorld(t, unlimited)
	next := func(path string) string {
		var page browsePage
		if err := json.Unmarshal(w.get(path).want(200).body, &page); err != nil || page.Data.NextCursor == nil {
			t.Fatalf("%s: no cursor, %v", path, err)
		}
		return *page.Data.NextCursor
	}
	cursor := next("/catalog/browse?limit=1&types=game")
	w.get("/catalog/browse?limit=2&types=GAME&facets=types&cursor=" + cursor).want(200)
	for _, query := range []string{"", "types=game&sort=title", "types=edition", "types=game&platform=pcstore", "types=game&distinct=games"} {
		w.get("/catalog/browse?"+query+"&cursor="+cursor).code(400, "INVALID_PARAMS").is("error.details.constraint", `"cursor"`)
	}
}
