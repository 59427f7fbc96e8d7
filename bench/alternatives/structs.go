package alternatives

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Item is a card of an answer to bulk prices.
type Item struct {
	ID           string           `json:"id"`
	Platform     string           `json:"platform"`
	Title        string           `json:"title"`
	Regions      map[string]Price `json:"regions"`
	RegionsCount int              `json:"regionsCount"`
	Compared     int              `json:"comparedRegions"`
	Cheapest     *Cheapest        `json:"cheapest"`
	UpdatedAt    string           `json:"updatedAt"`
}

// Cheapest is the region with the lowest price in dollars.
type Cheapest struct {
	Region string  `json:"region"`
	USD    float64 `json:"usd"`
	Text   string  `json:"text"`
}

// Price is the price of a card in a region.
type Price struct {
	Alpha2          string   `json:"alpha2"`
	Currency        string   `json:"currency"`
	Base            *int64   `json:"base"`
	Current         *int64   `json:"current"`
	BaseText        string   `json:"baseText"`
	CurrentText     string   `json:"currentText"`
	DiscountPercent *int     `json:"discountPercent"`
	USD             *float64 `json:"usd"`
	DiscountLabel   *string  `json:"discountLabel"`
	DiscountEndAt   *string  `json:"discountEndAt"`
	IsFree          bool     `json:"isFree"`
	IsTrial         bool     `json:"isTrial"`
	IsSubPlus       bool     `json:"isSubPlus"`
	Edition         *string  `json:"edition"`
	SKU             *string  `json:"sku"`
	Source          *string  `json:"source"`
	PricedAt        string   `json:"pricedAt"`
	VariantsCount   int      `json:"variantsCount"`
}

// Answer is the part of an answer to bulk prices that takes time to make, as one
// would first write it: structs with pointers for null, and a map of regions.
type Answer struct {
	OK   bool `json:"ok"`
	Data struct {
		Items    []Item   `json:"items"`
		NotFound []string `json:"notFound"`
	} `json:"data"`
	Regions []string `json:"regions"`
}

// NewAnswer returns the answer for ids in the active regions at a time in Unix
// milliseconds.
func NewAnswer(v *index.View, ids []string, now int64) *Answer {
	a := &Answer{OK: true}
	a.Data.Items, a.Data.NotFound = make([]Item, 0, len(ids)), []string{}
	seen := map[string]bool{}
	for _, id := range ids {
		c, ok := v.Lookup(0, id)
		if !ok {
			a.Data.NotFound = append(a.Data.NotFound, id)
			continue
		}
		item := itemOf(v, c, now)
		a.Data.Items = append(a.Data.Items, item)
		for i := range v.Active() {
			key := v.Active()[i].Key(c.Platform())
			if _, has := item.Regions[key]; has && !seen[key] {
				seen[key] = true
				a.Regions = append(a.Regions, key)
			}
		}
	}
	return a
}

// CompareItems returns an error about the first item that differs.
func CompareItems(got, want []Item) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d items, want %d", len(got), len(want))
	}
	for i := range want {
		if !reflect.DeepEqual(got[i], want[i]) {
			g, _ := json.Marshal(got[i]) // JSON shows what pointers point to
			w, _ := json.Marshal(want[i])
			return fmt.Errorf("item %d is %s, want %s", i, g, w)
		}
	}
	return nil
}

func itemOf(v *index.View, c index.Card, now int64) Item {
	item := Item{ID: c.ID(), Platform: c.Platform().String(), Title: c.Title(), Regions: map[string]Price{}}
	var newest int64
	var restricted bool // whether the cheapest price so far is not for everyone, or doubtful
	for i := range v.Active() {
		region := &v.Active()[i]
		row, ok := c.Rows().InRegion(region.No)
		if !ok {
			continue
		}
		row = row.At(now)
		p := priceOf(v, c, region, row)
		key := region.Key(c.Platform())
		item.Regions[key] = p
		newest = max(newest, row.PricedAt)
		if p.USD == nil || row.Trial {
			continue
		}
		r := row.Subscription || row.Doubtful
		better := item.Cheapest == nil || restricted && !r
		if better {
			item.Compared = 0
		}
		if better || restricted == r {
			item.Compared++
		}
		if better || restricted == r && *p.USD < item.Cheapest.USD {
			item.Cheapest, restricted = &Cheapest{Region: key, USD: *p.USD, Text: p.CurrentText}, r
		}
	}
	item.RegionsCount, item.UpdatedAt = len(item.Regions), formatTime(newest)
	return item
}

func priceOf(v *index.View, c index.Card, region *index.Region, row index.Row) Price {
	p := Price{
		Alpha2: region.Alpha2, Currency: string(v.Currency(row.Currency)),
		Base: amountOrNil(int64(row.Base)), Current: amountOrNil(int64(row.Current)), BaseText: row.BaseText(), CurrentText: row.CurrentText(),
		DiscountLabel: textOrNil(row.Label()), IsFree: row.Current == 0, IsTrial: row.Trial, IsSubPlus: row.Subscription,
		Edition: textOrNil(row.Edition()), Source: textOrNil(row.Source()), PricedAt: formatTime(row.PricedAt), VariantsCount: row.Variants,
	}
	if row.Percent != catalog.NoPercent {
		p.DiscountPercent = &row.Percent
	}
	if cents, ok := v.USD(&row); ok {
		usd := float64(cents) / 100
		p.USD = &usd
	}
	if row.EndsAt != 0 {
		end := formatTime(row.EndsAt)
		p.DiscountEndAt = &end
	}
	if c.Platform() == catalog.ConsoleStore {
		p.SKU = textOrNil(row.Product())
	}
	return p
}

func amountOrNil(v int64) *int64 {
	if v < 0 {
		return nil
	}
	return &v
}

func textOrNil(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func formatTime(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z07:00")
}
