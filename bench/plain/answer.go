package plain

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// Item is one game of an answer.
type Item struct {
	ID           string           `json:"id"`
	Platform     string           `json:"platform"`
	Title        string           `json:"title"`
	Regions      map[string]Price `json:"regions"`
	RegionsCount int              `json:"regionsCount"`
	Cheapest     *Cheapest        `json:"cheapest"`
	UpdatedAt    string           `json:"updatedAt"`
}

// Cheapest is the region with the lowest price in dollars.
type Cheapest struct {
	Region string  `json:"region"`
	USD    float64 `json:"usd"`
	Text   string  `json:"text"`
}

// Price is a game's price in a region.
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

// Answer is the part of an answer that takes the time.
type Answer struct {
	OK   bool `json:"ok"`
	Data struct {
		Items    []Item   `json:"items"`
		NotFound []string `json:"notFound"`
	} `json:"data"`
	Regions []string `json:"regions"`
}

// Of builds the answer for ids in the active regions at a moment (Unix
// milliseconds).
func Of(v *index.View, ids []string, now int64) *Answer {
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

// Marshal builds and encodes.
func Marshal(v *index.View, ids []string, now int64) ([]byte, error) {
	return json.Marshal(Of(v, ids, now))
}

// Compare tells the first item that is not as wanted.
func Compare(got, want []Item) error {
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) || !reflect.DeepEqual(got[i], want[i]) {
			return fmt.Errorf("of %d items, item %d is %s, want of %d items %s", len(got), i, at(got, i), len(want), at(want, i))
		}
	}
	return nil
}

// at is an item as JSON, which shows what its pointers point to.
func at(items []Item, i int) []byte {
	if i >= len(items) {
		return []byte("missing")
	}
	text, err := json.Marshal(items[i])
	if err != nil {
		return []byte(err.Error())
	}
	return text
}

func itemOf(v *index.View, c index.Card, now int64) Item {
	item := Item{ID: c.ID(), Platform: c.Platform().String(), Title: c.Title(), Regions: map[string]Price{}}
	var newest int64
	var doubtful bool // whether the cheapest so far is one that not everybody pays
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
		spare := row.Subscription || row.Doubtful
		if item.Cheapest == nil || doubtful && !spare || doubtful == spare && *p.USD < item.Cheapest.USD {
			item.Cheapest, doubtful = &Cheapest{key, *p.USD, p.CurrentText}, spare
		}
	}
	item.RegionsCount, item.UpdatedAt = len(item.Regions), moment(newest)
	return item
}

func priceOf(v *index.View, c index.Card, region *index.Region, row index.Row) Price {
	p := Price{
		Alpha2: region.Alpha2, Currency: string(v.Currency(row.Currency)),
		Base: number(int64(row.Base)), Current: number(int64(row.Current)), BaseText: row.BaseText(), CurrentText: row.CurrentText(),
		DiscountLabel: text(row.Label()), IsFree: row.Current == 0, IsTrial: row.Trial, IsSubPlus: row.Subscription,
		Edition: text(row.Edition()), Source: text(row.Source()), PricedAt: moment(row.PricedAt), VariantsCount: row.Variants,
	}
	if row.Percent != catalog.NoPercent {
		p.DiscountPercent = &row.Percent
	}
	if cents, ok := v.USD(&row); ok {
		usd := float64(cents) / 100
		p.USD = &usd
	}
	if row.EndsAt != 0 {
		end := moment(row.EndsAt)
		p.DiscountEndAt = &end
	}
	if c.Platform() == catalog.ConsoleStore {
		p.SKU = text(row.Product())
	}
	return p
}

func number(v int64) *int64 {
	if v < 0 {
		return nil
	}
	return &v
}

func text(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func moment(ms int64) string { return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.999Z07:00") }
