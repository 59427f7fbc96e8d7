package main

import (
	"encoding/json"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"gamedex/internal/testing/historytest"
)

// deal is an item of deals.
type deal struct {
	ID, Platform, Title, Type string
	EditionName               *string
	Platforms                 []string
	Region, StartedAt         string
	Regions                   []string
	Price                     map[string]any
	Lows                      *historytest.Lows
}

// drawDeals draws a query of deals. now is about the present moment.
func (l *lists) drawDeals(now int64) (q *query, regions []string) {
	q = &query{Values: url.Values{}}
	q.keep = append(q.keep, func(_ *pricedCard, r *pricedRow) bool {
		return r.DiscountPercent != nil && *r.DiscountPercent > 0 && r.priced() && !r.IsTrial && (r.Source == nil || *r.Source != "doubtful")
	})
	regions = l.drawRegions(q, l.active[:1])
	l.drawCards(q)
	l.maybe(q, 5, "minDiscount", "30", func(_ *pricedCard, r *pricedRow) bool { return *r.DiscountPercent >= 30 })
	l.maybe(q, 5, "maxDiscount", "40", func(_ *pricedCard, r *pricedRow) bool { return *r.DiscountPercent <= 40 })
	l.maybe(q, 5, "maxUsd", "19.99", func(_ *pricedCard, r *pricedRow) bool { return r.cents <= 1999 })
	if len(regions) == 1 {
		l.maybe(q, 3, "maxPrice", "50000", func(_ *pricedCard, r *pricedRow) bool { return *r.Current <= 50000 })
	}
	l.drawPast(q)
	for _, within := range []string{"1000h", "61d", "65d"} {
		length, _ := time.ParseDuration(strings.NewReplacer("61d", "1464h", "65d", "1560h").Replace(within))
		l.maybe(q, 12, "endsWithin", within, func(_ *pricedCard, r *pricedRow) bool { return r.endsAt <= now+length.Milliseconds() })
		l.maybe(q, 12, "startedWithin", within, func(_ *pricedCard, r *pricedRow) bool { return r.since >= now-length.Milliseconds() })
	}
	free, paid := func(_ *pricedCard, r *pricedRow) bool { return *r.Current == 0 }, func(_ *pricedCard, r *pricedRow) bool { return *r.Current > 0 }
	l.maybe(q, 8, "free", "only", free)
	l.maybe(q, 8, "free", "no", paid)
	l.maybe(q, 5, "subscription", "any", func(*pricedCard, *pricedRow) bool { return true })
	l.maybe(q, 5, "subscription", "only", func(_ *pricedCard, r *pricedRow) bool { return r.IsSubPlus })
	if !q.Has("subscription") {
		q.keep = append(q.keep, func(_ *pricedCard, r *pricedRow) bool { return !r.IsSubPlus })
	}
	return q, regions
}

// drawPast draws filters by past prices.
func (l *lists) drawPast(q *query) {
	l.maybe(q, 6, "real", "1", func(_ *pricedCard, r *pricedRow) bool {
		return r.Lows != nil && r.Lows.Real != nil && r.Lows.Real.Verdict == "real"
	})
	window := anyOf(l.Rand, "", "", "allTime", "year", "days90")
	near := anyOf(l.Rand, -1, -1, -1, 0, 20, 50)
	if window == "" && near < 0 {
		return
	}
	if window != "" {
		q.Set("low", window)
	}
	percent := int64(near)
	if near >= 0 {
		q.Set("nearLow", strconv.Itoa(near))
	} else {
		percent = 0 // it reaches the low
	}
	q.keep = append(q.keep, func(_ *pricedCard, r *pricedRow) bool {
		if r.Lows == nil || *r.Current == 0 || r.IsSubPlus {
			return false
		}
		low := map[string]*historytest.Low{"": r.Lows.AllTime, "allTime": r.Lows.AllTime, "year": r.Lows.Year, "days90": r.Lows.Days90}[window]
		return low != nil && *r.Current*100 <= low.Current*(100+percent)
	})
}

// compareDeals compares the deals of a random query, and returns how many there are.
func (l *lists) compareDeals() int {
	l.t.Helper()
	now := time.Now().UnixMilli()
	q, regions := l.drawDeals(now)
	orders := []string{"", "discount", "usd", "saving", "ends", "started", "popularity", "title"}
	if len(regions) == 1 {
		orders = append(orders, "price", "price")
	}
	order := anyOf(l.Rand, orders...)
	q.Set("sort", order)
	var want []deal
	var ranks []rank
	for _, c := range l.cards {
		d, at, found := l.deal(q, regions, order, c)
		if found {
			i, _ := slices.BinarySearchFunc(ranks, at, rank.compare)
			ranks, want = slices.Insert(ranks, i, at), slices.Insert(want, i, d)
		}
	}
	got := []deal{}
	l.walk("/catalog/deals", q.Values, len(want), func(body []byte) error {
		var page struct{ Data struct{ Items []deal } }
		err := json.Unmarshal(body, &page)
		got = append(got, page.Data.Items...)
		return err
	})
	if diff := gocmp.Diff(append([]deal{}, want...), got); diff != "" {
		l.t.Fatalf("deals %s (-naive +answer):\n%.4000s", q.Encode(), diff)
	}
	return len(got)
}

// deal returns what deals show of a card, if it passes in any of the regions.
func (l *lists) deal(q *query, regions []string, order string, c *pricedCard) (d deal, at rank, found bool) {
	var shown *pricedRow
	for _, region := range regions {
		r := c.in(region)
		if r == nil || !q.passes(c, r) {
			continue
		}
		for key, row := range c.Regions {
			if row == r {
				d.Regions = append(d.Regions, key)
				if shown == nil || r.cents < shown.cents {
					shown, d.Region = r, key
				}
			}
		}
	}
	if shown == nil {
		return d, at, false
	}
	d.ID, d.Platform, d.Title, d.Type, d.EditionName, d.Platforms = c.ID, c.Platform, c.Title, c.kind, c.Meta.EditionName, c.Meta.Platforms
	d.StartedAt, d.Price, d.Lows = time.UnixMilli(shown.since).UTC().Format("2006-01-02T15:04:05.000Z"), shown.shown, shown.Lows
	return d, rank{l.number(order, c, shown), map[bool]string{true: strings.ToLower(c.Title)}[order == "title"], c}, true
}

// number returns the number by which a deal is sorted.
func (l *lists) number(order string, c *pricedCard, r *pricedRow) float64 {
	orUnknown := func(n int64) float64 {
		if n == math.MaxInt64 {
			return math.Inf(1)
		}
		return float64(n)
	}
	switch order {
	case "", "discount":
		return -float64(*r.DiscountPercent)
	case "price":
		return float64(*r.Current)
	case "usd":
		return orUnknown(r.cents)
	case "saving":
		rate := l.rates[r.Currency]
		if rate == nil || r.Base == nil {
			return math.Inf(1)
		}
		cents := new(big.Rat).Quo(new(big.Rat).SetInt64(*r.Base-*r.Current), rate)
		cents.Add(cents, big.NewRat(1, 2)) // half up
		return -float64(new(big.Int).Quo(cents.Num(), cents.Denom()).Int64())
	case "ends":
		return orUnknown(r.endsAt)
	case "started":
		return -float64(r.since)
	case "popularity":
		return -c.popularity
	}
	return 0
}
