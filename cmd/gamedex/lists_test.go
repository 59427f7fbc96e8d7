package main

import (
	"cmp"
	"encoding/json"
	"maps"
	"math"
	"math/big"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gamedex/internal/testing/historytest"
)

// pricedCard is what bulk prices show of a card, and what only lists show of it.
type pricedCard struct {
	ID, Platform, Title string
	Meta                struct {
		EditionName            *string
		Publisher, ReleaseDate string
		Genres, Platforms      []string
	}
	Regions map[string]*pricedRow

	kind       string // its type
	popularity float64
	added      int64
}

// pricedRow is what bulk prices show of a card in a region.
type pricedRow struct {
	Alpha2, Currency     string
	Base, Current        *int64
	DiscountPercent      *int
	DiscountEndAt        *time.Time
	USD                  *float64
	IsTrial, IsSubPlus   bool
	Source               *string
	PricedAt             time.Time
	Lows                 *historytest.Lows
	shown                map[string]any // without lows
	endsAt, cents, since int64          // math.MaxInt64 if not known; since is when the discount began
}

// UnmarshalJSON implements json.Unmarshaler.
func (r *pricedRow) UnmarshalJSON(text []byte) error {
	type plain pricedRow
	if err := json.Unmarshal(text, (*plain)(r)); err != nil {
		return err
	}
	r.endsAt, r.cents, r.since = math.MaxInt64, math.MaxInt64, r.PricedAt.UnixMilli()
	if r.DiscountEndAt != nil {
		r.endsAt = r.DiscountEndAt.UnixMilli()
	}
	if r.USD != nil {
		r.cents = int64(math.Round(*r.USD * 100))
	}
	if r.Lows != nil && r.Lows.Real != nil {
		began, err := time.Parse(time.RFC3339, r.Lows.Real.Since)
		if err != nil {
			return err
		}
		r.since = began.UnixMilli()
	}
	err := json.Unmarshal(text, &r.shown)
	delete(r.shown, "lows")
	return err
}

// priced reports whether the row has a price that is a number.
func (r *pricedRow) priced() bool { return r != nil && r.Current != nil }

// pricedCards returns what bulk prices show of all cards in all regions.
func pricedCards(t *testing.T, s *shop) (cards []*pricedCard) {
	t.Helper()
	for some := range slices.Chunk(ids(t, s.dir), 200) {
		body, err := json.Marshal(map[string]any{"ids": some, "regions": "all", "include": "lows,meta"})
		if err != nil {
			t.Fatal(err)
		}
		var got struct{ Data struct{ Items []*pricedCard } }
		if err := json.Unmarshal(unchecked(t, s).post(string(body)).want(200).body, &got); err != nil {
			t.Fatal(err)
		}
		cards = append(cards, got.Data.Items...)
	}
	byID := map[string]*pricedCard{}
	for _, c := range cards {
		byID[c.ID] = c
	}
	view := viewOf(t, s.dir)
	for i := range view.Len() {
		c := view.Card(i)
		byID[c.ID()].kind, byID[c.ID()].popularity, byID[c.ID()].added = c.Type().String(), c.Popularity(), c.AddedAt()
	}
	return cards
}

// unchecked returns a client whose answers are too many to compare each with the API
// reference. Other tests do that.
func unchecked(t *testing.T, s *shop) *apiUser {
	return &apiUser{t, s.api, s.token, http.DefaultClient}
}

// lists compares deals and browse of a service with naive filters over all cards.
type lists struct {
	*rand.Rand
	t       *testing.T
	user    *apiUser
	cards   []*pricedCard
	regions []string // all, as bulk prices order them
	active  []string
	rates   map[string]*big.Rat // per dollar
}

func newLists(t *testing.T, s *shop, chance *rand.Rand) *lists {
	t.Helper()
	l := &lists{Rand: chance, t: t, user: unchecked(t, s), cards: pricedCards(t, s), rates: map[string]*big.Rat{}}
	view := viewOf(t, s.dir)
	for _, r := range view.Active() {
		l.active = append(l.active, r.Alpha2)
	}
	seen := map[string]bool{}
	for _, c := range l.cards {
		for _, r := range c.Regions {
			seen[r.Alpha2] = true
		}
	}
	l.regions = append(l.regions, l.active...)
	for _, region := range slices.Sorted(maps.Keys(seen)) {
		if !slices.Contains(l.active, region) {
			l.regions = append(l.regions, region)
		}
	}
	var table struct {
		Data struct {
			Base  string
			Rates map[string]json.Number
		}
	}
	if err := json.Unmarshal(l.user.get("/catalog/exchange-rates").want(200).body, &table); err != nil {
		t.Fatal(err)
	}
	dollar := rational(t, table.Data.Rates["USD"])
	for currency, rate := range table.Data.Rates {
		l.rates[currency] = new(big.Rat).Quo(rational(t, rate), dollar)
	}
	return l
}

func rational(t *testing.T, n json.Number) *big.Rat {
	t.Helper()
	r, ok := new(big.Rat).SetString(n.String())
	if !ok {
		t.Fatalf("the rate %q", n)
	}
	return r
}

// in returns the row of a card in a region, nil if there is none.
func (c *pricedCard) in(region string) *pricedRow {
	for _, r := range c.Regions {
		if r.Alpha2 == region {
			return r
		}
	}
	return nil
}

// query is a random query: parameters, and what the cards that it finds have in common.
type query struct {
	url.Values
	keep []func(c *pricedCard, r *pricedRow) bool
}

// maybe adds a parameter once in so many times.
func (l *lists) maybe(q *query, times int, name, value string, keep func(c *pricedCard, r *pricedRow) bool) {
	if value != "" && !q.Has(name) && l.IntN(times) == 0 {
		q.Set(name, value)
		q.keep = append(q.keep, keep)
	}
}

func (q *query) passes(c *pricedCard, r *pricedRow) bool {
	return !slices.ContainsFunc(q.keep, func(keep func(*pricedCard, *pricedRow) bool) bool { return !keep(c, r) })
}

func anyOf[T any](chance *rand.Rand, list ...T) T { return list[chance.IntN(len(list))] }

// drawCards draws filters of cards.
func (l *lists) drawCards(q *query) {
	like := anyOf(l.Rand, l.cards...)
	has := func(list []string, value string) bool {
		return slices.ContainsFunc(list, func(text string) bool { return strings.EqualFold(text, value) })
	}
	l.maybe(q, 5, "platform", like.Platform, func(c *pricedCard, _ *pricedRow) bool { return c.Platform == like.Platform })
	l.maybe(q, 5, "types", like.kind+",bundle", func(c *pricedCard, _ *pricedRow) bool { return c.kind == like.kind || c.kind == "bundle" })
	if len(like.Meta.Platforms) > 0 {
		l.maybe(q, 5, "platforms", like.Meta.Platforms[0], func(c *pricedCard, _ *pricedRow) bool { return has(c.Meta.Platforms, like.Meta.Platforms[0]) })
	}
	if len(like.Meta.Genres) > 0 {
		l.maybe(q, 5, "genres", strings.ToUpper(like.Meta.Genres[0])+";none", func(c *pricedCard, _ *pricedRow) bool { return has(c.Meta.Genres, like.Meta.Genres[0]) })
	}
	l.maybe(q, 8, "publishers", like.Meta.Publisher, func(c *pricedCard, _ *pricedRow) bool {
		return strings.EqualFold(c.Meta.Publisher, like.Meta.Publisher)
	})
}

// drawRegions draws the regions of a query; none stands for absent.
func (l *lists) drawRegions(q *query, absent []string) []string {
	switch l.IntN(4) {
	case 0:
		return absent
	case 1:
		q.Set("regions", "all")
		return l.regions
	}
	list := slices.Clone(l.regions)
	l.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:1+l.IntN(len(list))]
	q.Set("regions", strings.Join(list, ","))
	return list
}

// walk reads all pages of a list, and checks the total of each.
func (l *lists) walk(path string, q url.Values, total int, page func(body []byte) error) {
	l.t.Helper()
	q.Set("limit", strconv.Itoa(min(max(1, (total+l.IntN(7))/(1+l.IntN(6))), 200)))
	for {
		var got struct {
			Data struct {
				Total      int
				NextCursor *string
			}
		}
		body := l.user.get(path + "?" + q.Encode()).want(200).body
		if err := json.Unmarshal(body, &got); err != nil {
			l.t.Fatal(err)
		}
		if got.Data.Total != total {
			l.t.Fatalf("%s?%s: total %d, want %d", path, q.Encode(), got.Data.Total, total)
		}
		if err := page(body); err != nil {
			l.t.Fatalf("%s?%s: %v", path, q.Encode(), err)
		}
		if got.Data.NextCursor == nil {
			return
		}
		q.Set("cursor", *got.Data.NextCursor)
	}
}

// rank is where an item stands in its order.
type rank struct {
	number float64
	text   string
	card   *pricedCard
}

// compare is the order of items: unknown values, which are infinite, come last.
func (p rank) compare(o rank) int {
	return cmp.Or(cmp.Compare(p.number, o.number), strings.Compare(p.text, o.text),
		strings.Compare(p.card.Platform, o.card.Platform), strings.Compare(p.card.ID, o.card.ID))
}

// compareLists compares random queries of deals and browse.
func compareLists(t *testing.T, s *shop, seed uint64) {
	t.Helper()
	l := newLists(t, s, rand.New(rand.NewPCG(seed, seed)))
	deals, cards, queries := 0, 0, 150
	for range queries {
		deals += l.compareDeals()
		cards += l.compareBrowse()
	}
	t.Logf("%d queries: %d deals and %d cards agree with naive filters over %d cards", 2*queries, deals, cards, len(l.cards))
	if deals < queries || cards < queries {
		t.Error("the queries find too little")
	}
}
