package api_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/testing/historytest"
)

// plainDeals lists deals by the plain reading of the contract, from the bulk prices of all
// cards.
type plainDeals struct {
	query url.Values
	now   int64
	rates money.Rates
	cards []pricedCard // that pass the filters of cards
}

// pricedCard is a card with its region prices in the order of the answer.
type pricedCard struct {
	*catalog.Card
	rows []pricedRow
}

// pricedRow is a region price of bulk prices with include=lows.
type pricedRow struct {
	key   string
	plain json.RawMessage // without include
	lows  json.RawMessage
	dealRow
}

type dealRow struct {
	plainRegion
	Lows *historytest.Lows `json:"lows"`
}

// bulkRows returns the region prices of cards.
func (w *world) bulkRows(t *rapid.T, cards []*catalog.Card, regions, currency string) (list []pricedCard) {
	t.Helper()
	if len(cards) == 0 {
		return nil
	}
	var ids []string
	for _, c := range cards {
		ids = append(ids, c.ID)
	}
	query := url.Values{"ids": {strings.Join(ids, ",")}, "regions": {regions}, "currency": {currency}}
	plain := regionsOfItems(t, w.get("/catalog/prices?"+query.Encode()).want(200).body)
	query.Set("include", "lows")
	withLows := regionsOfItems(t, w.get("/catalog/prices?"+query.Encode()).want(200).body)
	for i, c := range cards {
		priced := pricedCard{Card: c}
		for j, row := range withLows[i] {
			var lows struct{ Lows json.RawMessage }
			if err := cmp.Or(json.Unmarshal(row.plain, &row.dealRow), json.Unmarshal(row.plain, &lows)); err != nil {
				t.Fatal(err)
			}
			row.plain, row.lows = plain[i][j].plain, lows.Lows
			priced.rows = append(priced.rows, row)
		}
		list = append(list, priced)
	}
	return list
}

// regionsOfItems returns the members of regions of each item, as they are written.
func regionsOfItems(t *rapid.T, body []byte) (list [][]pricedRow) {
	t.Helper()
	var answer struct {
		Data struct {
			Items []struct{ Regions json.RawMessage }
		}
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		t.Fatal(err)
	}
	for _, item := range answer.Data.Items {
		var rows []pricedRow
		d := json.NewDecoder(bytes.NewReader(item.Regions))
		_, err := d.Token()
		for err == nil && d.More() {
			key, _ := d.Token()
			row := pricedRow{key: fmt.Sprint(key)}
			err = d.Decode(&row.plain)
			rows = append(rows, row)
		}
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, rows)
	}
	return list
}

// number returns an integer parameter.
func (p *plainDeals) number(name string, absent int64) int64 {
	if n, err := strconv.ParseInt(p.query.Get(name), 10, 64); err == nil {
		return n
	}
	return absent
}

// duration returns a parameter in milliseconds; ok is false if it was not sent.
func (p *plainDeals) duration(name string) (ms int64, ok bool) {
	text := p.query.Get(name)
	if text == "" {
		return 0, false
	}
	n, _ := strconv.ParseInt(text[:len(text)-1], 10, 64)
	return n * map[byte]int64{'m': 60_000, 'h': hour, 'd': day}[text[len(text)-1]], true
}

func millisOf(text string) int64 {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at.UnixMilli()
}

func centsOf(dollars float64) int64 { return int64(math.Round(dollars * 100)) }

// passes applies the filters of prices to a row.
func (p *plainDeals) passes(r *pricedRow) bool {
	switch {
	case r.DiscountPercent == nil || *r.DiscountPercent == 0 || r.Current == nil || r.IsTrial || r.Source != nil && *r.Source == "doubtful":
		return false
	case int64(*r.DiscountPercent) < p.number("minDiscount", 0) || int64(*r.DiscountPercent) > p.number("maxDiscount", 100):
		return false
	case p.query.Has("maxPrice") && *r.Current > p.number("maxPrice", 0):
		return false
	case !isChosen(p.query.Get("free"), "any", r.IsFree) || !isChosen(p.query.Get("subscription"), "no", r.IsSubPlus):
		return false
	}
	if limit := p.query.Get("maxUsd"); limit != "" {
		dollars, _ := new(big.Rat).SetString(limit)
		cents := dollars.Mul(dollars, big.NewRat(100, 1))
		if r.USD == nil || new(big.Rat).SetInt64(centsOf(*r.USD)).Cmp(cents) > 0 {
			return false
		}
	}
	if within, sent := p.duration("endsWithin"); sent && (r.DiscountEndAt == nil || millisOf(*r.DiscountEndAt) > p.now+within) {
		return false
	}
	if within, sent := p.duration("startedWithin"); sent && millisOf(r.startedAt()) < p.now-within {
		return false
	}
	return p.passesLows(r)
}

func isChosen(choice, absent string, is bool) bool {
	return cmp.Or(choice, absent) == "any" || (cmp.Or(choice, absent) == "only") == is
}

func (p *plainDeals) passesLows(r *pricedRow) bool {
	low, near, real := p.query.Get("low"), p.query.Has("nearLow"), p.query.Get("real") == "1"
	if low == "" && !near && !real {
		return true
	}
	if r.Lows == nil || real && (r.Lows.Real == nil || r.Lows.Real.Verdict != "real") {
		return false
	}
	watched := map[string]int64{"": 30, "allTime": 30, "year": 365, "days90": 90}[low]
	if (low != "" || near) && r.Lows.WatchedSince > plainTimestamp(start/day*day-watched*day) {
		return false
	}
	if near {
		window := map[string]*historytest.Low{"": r.Lows.AllTime, "allTime": r.Lows.AllTime, "year": r.Lows.Year, "days90": r.Lows.Days90}[low]
		return window != nil && !r.IsFree && !r.IsSubPlus && 100*(*r.Current-window.Current) <= p.number("nearLow", 0)*window.Current
	}
	longer := map[string][]string{"": {"allTime", "year", "days90", ""}, "allTime": {"allTime"}, "year": {"allTime", "year"}, "days90": {"allTime", "year", "days90"}}
	meets := ""
	if r.Lows.Meets != nil {
		meets = *r.Lows.Meets
	}
	return slices.Contains(longer[low], meets)
}

func (r *pricedRow) startedAt() string {
	if r.Lows != nil && r.Lows.Real != nil {
		return r.Lows.Real.Since
	}
	return r.PricedAt
}

// plainDeal is an item of the list.
type plainDeal struct {
	*catalog.Card
	shown   *pricedRow
	regions []string
}

// list returns all deals in the order of the query.
func (p *plainDeals) list() (list []plainDeal) {
	for i := range p.cards {
		deal := plainDeal{Card: p.cards[i].Card}
		for j := range p.cards[i].rows {
			r := &p.cards[i].rows[j]
			if !p.passes(r) {
				continue
			}
			deal.regions = append(deal.regions, r.key)
			if deal.shown == nil || r.USD != nil && (deal.shown.USD == nil || *r.USD < *deal.shown.USD) {
				deal.shown = r
			}
		}
		if deal.shown != nil {
			list = append(list, deal)
		}
	}
	slices.SortFunc(list, func(a, b plainDeal) int {
		return cmp.Or(slices.Compare(p.sortedBy(a), p.sortedBy(b)), cmp.Compare(a.Platform, b.Platform), strings.Compare(a.ID, b.ID))
	})
	return list
}

// sortedBy returns what a deal is sorted by, ascending; the first number says whether it is
// not known.
func (p *plainDeals) sortedBy(d plainDeal) []float64 {
	unknown, known := []float64{1}, func(n float64) []float64 { return []float64{0, n} }
	r := d.shown
	switch p.query.Get("sort") {
	case "price":
		return known(float64(*r.Current))
	case "usd":
		if r.USD == nil {
			return unknown
		}
		return known(*r.USD)
	case "saving":
		if r.Base == nil {
			return unknown
		}
		saving := convertPlainly(p.rates, *r.Base-*r.Current, money.Currency(r.Currency), money.USD)
		if saving == nil {
			return unknown
		}
		return known(-float64(saving.Value))
	case "ends":
		if r.DiscountEndAt == nil {
			return unknown
		}
		return known(float64(millisOf(*r.DiscountEndAt)))
	case "started":
		return known(-float64(millisOf(r.startedAt())))
	case "popularity":
		return known(-d.Popularity)
	case "title":
		var points []float64
		for _, r := range strings.ToLower(d.Title) {
			points = append(points, float64(r))
		}
		return points
	}
	return known(-float64(*r.DiscountPercent))
}
