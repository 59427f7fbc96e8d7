package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// dealsPage is an answer of deals.
type dealsPage struct {
	Data struct {
		Items      []listedDeal
		Total      int
		NextCursor *string
	}
}

type listedDeal struct {
	ID, Platform, Title, Type string
	EditionName               *string
	Platforms                 []string
	Thumbnail, Region         string
	Price, Lows               json.RawMessage
	StartedAt                 string
	Regions                   []string
}

func (w *world) deals(t *rapid.T, query url.Values) (page dealsPage) {
	t.Helper()
	r := w.get("/catalog/deals?" + query.Encode())
	if err := json.Unmarshal(r.body, &page); r.status != 200 || err != nil {
		t.Fatalf("%v: %d %v %s", query, r.status, err, r.body)
	}
	return page
}

// drawDiscounts draws a catalog in which most prices are reduced, and many are alike.
func drawDiscounts(tb testing.TB, t *rapid.T) *sample {
	s := drawBrowsed(t)
	for i := range 5 {
		s.console(catalog.Card{ID: fmt.Sprintf("MORE%04d", i), Title: "T", Type: catalog.Game, Popularity: 1, Platforms: []string{"PS5"}}, fmt.Sprint("p", i), "", offer{"UA", nil}, offer{"TR", nil})
	}
	for n := range s.in.Entries {
		e := &s.in.Entries[n]
		e.PricedAt = rapid.SampledFrom([]catalog.Millis{0, start - 41*day, start - day, start - 60_000, start}).Draw(t, "priced at")
		if rapid.IntRange(0, 5).Draw(t, "any price") < 5 {
			e.Price = drawDiscount(t)
		}
		if e.PricedAt > 0 && rapid.Bool().Draw(t, "has changed") {
			s.past(tb, uint32(n), drawDearer(t, e))
		}
	}
	return s
}

func drawDiscount(t *rapid.T) *catalog.Price {
	p := number(rapid.SampledFrom([]money.Currency{"UAH", "UAH", "TRY", "USD", "KZT"}).Draw(t, "currency"), rapid.SampledFrom([]money.Amount{1000, 1001, 200000}).Draw(t, "base"))
	end := rapid.SampledFrom([]catalog.Millis{0, start, start + 1000, start + hour, start + day}).Draw(t, "end")
	off(p.Base*money.Amount(rapid.SampledFrom([]int{0, 50, 89, 90, 90, 100}).Draw(t, "percent"))/100, end)(p)
	for _, change := range []func(*catalog.Price){subscribers, trial, doubtful} {
		if rapid.IntRange(0, 6).Draw(t, "change") == 6 {
			change(p)
		}
	}
	return p
}

// drawDearer draws what an entry showed before, with amounts that are near its present one.
func drawDearer(t *rapid.T, e *catalog.Entry) (steps []history.Step) {
	at := e.PricedAt
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		p := drawDiscount(t)
		if p.DiscountEndsAt = 0; e.Price != nil && rapid.IntRange(0, 3).Draw(t, "as now") > 0 {
			p.Currency, p.Base = e.Price.Currency, max(e.Price.Base, 0)
			p.Current = p.Base * money.Amount(rapid.SampledFrom([]int{85, 90, 100, 100}).Draw(t, "percent")) / 100
		}
		if at -= catalog.Millis(rapid.SampledFrom([]int64{1, hour, 40 * day, 300 * day}).Draw(t, "before")); at <= 0 {
			break
		}
		steps = append(steps, history.StepOf(at, p))
	}
	slices.Reverse(steps)
	return steps
}

var dealSorts = []string{"discount", "usd", "saving", "ends", "started", "popularity", "title"}

// drawPriceFilters draws the parameters that filter prices, often with a value that one of
// the rows has.
func drawPriceFilters(t *rapid.T, query url.Values, cards []pricedCard) {
	chosen := rapid.SliceOfNDistinct(rapid.SampledFrom([]string{
		"minDiscount", "maxDiscount", "maxPrice", "maxUsd", "low", "nearLow", "real", "endsWithin", "startedWithin", "free", "subscription",
	}), 0, 3, rapid.ID).Draw(t, "filters")
	set := func(name string, values ...string) {
		if slices.Contains(chosen, name) {
			query.Set(name, rapid.SampledFrom(values).Draw(t, name))
		}
	}
	sorts := dealSorts
	if one := !strings.ContainsAny(query.Get("regions"), ", l"); one { // not all
		sorts = append(sorts[:len(sorts):len(sorts)], "price")
		set("maxPrice", "0", "500", "899", "900", "1000")
	}
	dollars := []string{"0", "0.01", "24.2", "5.12", "20"}
	for _, c := range cards {
		for _, r := range c.rows {
			if r.USD != nil && *r.USD < 1e9 {
				dollars = append(dollars, fmt.Sprintf("%.2f", *r.USD))
			}
		}
	}
	set("maxUsd", dollars...)
	set("minDiscount", "0", "1", "10", "11", "50", "100")
	set("maxDiscount", "10", "11", "99", "100")
	set("low", "allTime", "year", "days90")
	set("nearLow", "0", "5", "6", "12", "50")
	set("real", "1")
	set("endsWithin", "1m", "60m", "1h", "23h", "1d", "24h")
	set("startedWithin", "1m", "1d", "41d", "365d")
	set("free", "no", "only", "any")
	set("subscription", "no", "only", "any", "any")
	query.Set("sort", rapid.SampledFrom(sorts).Draw(t, "order"))
}

// drawDealsQuery draws a query and the plain reading of it.
func (w *world) drawDealsQuery(t *rapid.T, s *sample, rates money.Rates) *plainDeals {
	query, pass, _ := s.drawCardFilters(t)
	if rapid.IntRange(0, 2).Draw(t, "filters of cards") < 2 {
		query, *pass = url.Values{}, nil
		for i := range s.in.Cards {
			*pass = append(*pass, &s.in.Cards[i])
		}
	}
	query.Set("currency", rapid.SampledFrom([]string{"", "TRY", "KZT"}).Draw(t, "asked currency"))
	p := &plainDeals{query: query, now: w.now.Load(), rates: rates}
	if regions := rapid.SampledFrom([]string{"", "TR", "ua,tr", "us,jp,UA", "all", "in,pl,tr,ua"}).Draw(t, "regions"); regions != "" {
		query.Set("regions", regions)
		p.cards = w.bulkRows(t, *pass, regions, query.Get("currency"))
	} else {
		p.cards = w.bulkRows(t, *pass, "UA", query.Get("currency"))
	}
	drawPriceFilters(t, query, p.cards)
	return p
}

// showDeal returns what a page shows of a deal.
func (s *sample) showDeal(d plainDeal) listedDeal {
	c := s.show(d.Card)
	return listedDeal{c.ID, c.Platform, c.Title, c.Type, c.EditionName, c.Platforms, c.Thumbnail,
		d.shown.key, d.shown.plain, d.shown.lows, d.shown.startedAt(), d.regions}
}

// TestDealsAgreeWithANaiveFilter walks over the pages of random filters, and compares them
// with a filter over the bulk prices of all cards.
func TestDealsAgreeWithANaiveFilter(t *testing.T) {
	w := newWorld(t, unlimited)
	found := 0
	rapid.Check(t, func(rt *rapid.T) {
		s := drawDiscounts(t, rt)
		v := index.NewView(s.open(t), sampleManifest(t))
		w.live.Swap(v)
		w.now.Store(start + rapid.SampledFrom([]int64{-2000, 0, 5000}).Draw(rt, "later"))
		for range 4 {
			p := w.drawDealsQuery(rt, s, v.Rates)
			want := p.list()
			if rapid.Bool().Draw(rt, "distinct") {
				p.query.Set("distinct", "games")
				want = p.cheapestOfGames(s, want)
			}
			found += len(want)
			p.query.Set("limit", fmt.Sprint(rapid.IntRange(1, 4).Draw(rt, "limit")))
			var got []listedDeal
			for {
				page := w.deals(rt, p.query)
				got = append(got, page.Data.Items...)
				if page.Data.Total != len(want) {
					rt.Fatalf("%v: total %d, want %d", p.query, page.Data.Total, len(want))
				}
				if page.Data.NextCursor == nil {
					break
				}
				p.query.Set("cursor", *page.Data.NextCursor)
			}
			shown := []listedDeal{}
			for _, d := range want {
				shown = append(shown, s.showDeal(d))
			}
			if diff := gocmp.Diff(shown, append([]listedDeal{}, got...)); diff != "" {
				rt.Fatalf("%v (-want +got):\n%s", p.query, diff)
			}
		}
	})
	if found == 0 {
		t.Error("no query found a deal: the test compares nothing")
	}
}

// TestEdgesOfDeals checks bounds that random prices rarely have exactly.
func TestEdgesOfDeals(t *testing.T) {
	s := newSample()
	s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "A", "",
		offer{"UA", number("UAH", 1000, off(500, start+hour))}, offer{"TR", number("TRY", 1000, off(500, start+hour), subscribers)})
	for n := range s.in.Entries {
		e := &s.in.Entries[n]
		e.PricedAt = start - hour
		s.past(t, uint32(n), []history.Step{history.StepOf(start-31*day, number(e.Price.Currency, 800))})
	}
	w := worldOf(t, s)
	for query, total := range map[string]string{
		"startedWithin=60m": "1", "startedWithin=59m": "0", "endsWithin=1h": "1", "endsWithin=59m": "0", "endsWithin=61m&startedWithin=61m": "1",
		"regions=TR": "0", "regions=TR&subscription=any": "1", "regions=TR&subscription=only&maxPrice=500": "1", "regions=TR&subscription=only&maxPrice=499": "0",
		// A price for subscribers is below the low, but neither reaches it nor is near it.
		"regions=TR&subscription=any&low=allTime": "0", "regions=TR&subscription=any&nearLow=50": "0",
		"low=allTime": "1", "low=allTime&nearLow=0": "1", "subscription=only": "0", "free=only": "0", "free=no": "1",
	} {
		w.get("/catalog/deals?"+query).want(200).is("data.total", total)
	}
}

// TestDealsOfTheFirstRegionWithListings checks that the default region has something to show.
func TestDealsOfTheFirstRegionWithListings(t *testing.T) {
	s := newSample()
	s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "A", "", offer{"TR", number("TRY", 1000, off(500, start+hour))})
	s.in.Regions = map[catalog.Platform][]catalog.Region{catalog.ConsoleStore: regionsOf("TR")}
	worldOf(t, s).get("/catalog/deals").want(200).is("data.total", "1").is("data.items.0.region", `"TR"`)
}

// TestLowsNeedAPast looks for the lows of deals that were watched for different times, and
// that all are the lowest price until now.
func TestLowsNeedAPast(t *testing.T) {
	for _, watched := range []struct {
		days                        int64
		meets, allTime, year, day90 string
	}{
		{10, "null", "0", "0", "0"}, {29, "null", "0", "0", "0"}, {30, `"allTime"`, "1", "0", "0"}, {89, `"allTime"`, "1", "0", "0"},
		{90, `"allTime"`, "1", "0", "1"}, {100, `"allTime"`, "1", "0", "1"}, {364, `"allTime"`, "1", "0", "1"},
		{365, `"allTime"`, "1", "1", "1"}, {730, `"allTime"`, "1", "1", "1"},
	} {
		t.Run(fmt.Sprint(watched.days, " days"), func(t *testing.T) {
			s := newSample()
			s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "A", "", offer{"UA", number("UAH", 1000, off(500, start+hour))})
			s.in.Entries[0].PricedAt = start - hour
			s.past(t, 0, []history.Step{history.StepOf(catalog.Millis(start/day*day-watched.days*day), number("UAH", 800))})
			w := worldOf(t, s)
			for query, total := range map[string]string{"low=allTime": watched.allTime, "low=year": watched.year, "low=days90": watched.day90,
				"nearLow=0": watched.allTime, "nearLow=0&low=year": watched.year, "nearLow=0&low=days90": watched.day90} {
				w.get("/catalog/deals?"+query).want(200).is("data.total", total)
			}
			w.get("/catalog/deals").want(200).is("data.items.0.lows.meets", watched.meets).is("data.items.0.lows.allTime.current", "500")
		})
	}
}

func TestCursorsOfOtherDeals(t *testing.T) {
	w := worldOf(t, twoDeals())
	var page dealsPage
	if err := json.Unmarshal(w.get("/catalog/deals?limit=1&minDiscount=10").want(200).body, &page); err != nil || page.Data.NextCursor == nil {
		t.Fatalf("no cursor, %v", err)
	}
	cursor := "&cursor=" + *page.Data.NextCursor
	w.get("/catalog/deals?minDiscount=10&limit=2&currency=EUR"+cursor).want(200).is("data.items.0.id", `"BBBBBBBB"`).is("data.items.1", "null").
		is("data.total", "2").is("data.nextCursor", "null")
	for _, query := range []string{"", "minDiscount=11", "minDiscount=10&sort=usd", "minDiscount=10&regions=UA", "minDiscount=10&endsWithin=7d", "minDiscount=10&distinct=games"} {
		w.get("/catalog/deals?"+query+cursor).code(400, "INVALID_PARAMS").is("error.details.constraint", `"cursor"`)
	}
	w.get("/catalog/browse?"+cursor).code(400, "INVALID_PARAMS").is("error.details.constraint", `"cursor"`)
	w.get("/catalog/deals?minDiscount=10"+cursor[:len(cursor)-2]).code(400, "INVALID_PARAMS").is("error.details.constraint", `"cursor"`)
}

// twoDeals returns a catalog with two deals.
func twoDeals() *sample {
	s := newSample()
	for _, id := range []string{"AAAAAAAA", "BBBBBBBB"} {
		s.console(catalog.Card{ID: id, Type: catalog.Game, Title: id}, "P"+id, "",
			offer{"UA", number("UAH", 1000, off(500, 0))}, offer{"TR", number("TRY", 1000, off(800, 0))})
	}
	return s
}

// TestTagsOfDeals changes one thing at a time, and checks that the tag follows the data.
func TestTagsOfDeals(t *testing.T) {
	for name, change := range map[string]func(*world, *sample, *index.Published){
		"another day of the lows": func(_ *world, s *sample, _ *index.Published) { s.lows = pack.NewLows(start/day + 1) },
		"the lows": func(_ *world, s *sample, _ *index.Published) {
			s.past(t, 1, []history.Step{history.StepOf(1, number("UAH", 900))})
		},
		"another region": func(_ *world, s *sample, _ *index.Published) {
			s.in.Entries[0].Price = number("TRY", 1000, off(100, 0))
		},
		"the title":     func(_ *world, s *sample, _ *index.Published) { s.in.Cards[0].Title = "C" },
		"one deal less": func(_ *world, s *sample, _ *index.Published) { s.in.Cards = s.in.Cards[:1] },
		"the rates":     func(_ *world, _ *sample, m *index.Published) { m.Rates = money.Rates{} },
	} {
		t.Run(name, func(t *testing.T) {
			w, s, m := worldOf(t, twoDeals()), twoDeals(), sampleManifest(t)
			const path = "/catalog/deals?limit=1&regions=UA,TR"
			before := w.get(path).want(200).header.Get("ETag")
			w.live.Swap(index.NewView(s.open(t), m))
			if w.get(path).want(200).header.Get("ETag") != before {
				t.Fatal("the tag changed with a rebuild")
			}
			change(w, s, &m)
			w.live.Swap(index.NewView(s.open(t), m))
			if w.get(path).want(200).header.Get("ETag") == before {
				t.Error("the tag is the same")
			}
		})
	}
}
