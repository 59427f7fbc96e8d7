package api_test

import (
	"bytes"
	"encoding/json"
	"math/big"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/testing/historytest"
)

// This file builds bulk prices in the simplest way: structs, filled from the
// index by the plain reading of the contract, and encoding/json. Tests compare
// the encoder with it.

// plainItem is one game.
// Fields of include have type any: nil is left out, a nil pointer is null.
type plainItem struct {
	ID           string         `json:"id"`
	Platform     string         `json:"platform"`
	Title        string         `json:"title"`
	Regions      orderedRegions `json:"regions"`
	RegionsCount int            `json:"regionsCount"`
	Compared     int            `json:"comparedRegions"`
	Cheapest     *plainCheapest `json:"cheapest"`
	UpdatedAt    string         `json:"updatedAt"`
	ImageURL     any            `json:"imageUrl,omitempty"`
	StoreURL     any            `json:"storeUrl,omitempty"`
	Links        any            `json:"links,omitempty"`
	Meta         any            `json:"meta,omitempty"`
	RequestedIDs []string       `json:"requestedIds,omitempty"`
}

type plainCheapest struct {
	Region    string  `json:"region"`
	USD       float64 `json:"usd"`
	Converted any     `json:"converted,omitempty"`
	Text      string  `json:"text"`
}

type plainConverted struct {
	Currency  string `json:"currency"`
	Value     int64  `json:"value"`
	Formatted string `json:"formatted"`
}

// plainPrice holds the fields that a region price and an edition share.
type plainPrice struct {
	Currency        string   `json:"currency"`
	Base            *int64   `json:"base"`
	Current         *int64   `json:"current"`
	BaseText        string   `json:"baseText"`
	CurrentText     string   `json:"currentText"`
	DiscountPercent *int     `json:"discountPercent"`
	USD             *float64 `json:"usd"`
	Converted       any      `json:"converted,omitempty"`
}

type plainFlags struct {
	IsFree    bool `json:"isFree"`
	IsTrial   bool `json:"isTrial"`
	IsSubPlus bool `json:"isSubPlus"`
}

type plainRegion struct {
	Alpha2 string `json:"alpha2"`
	plainPrice
	DiscountLabel *string `json:"discountLabel"`
	DiscountEndAt *string `json:"discountEndAt"`
	plainFlags
	Edition       *string `json:"edition"`
	SKU           *string `json:"sku"`
	Source        *string `json:"source"`
	PricedAt      string  `json:"pricedAt"`
	VariantsCount int     `json:"variantsCount"`
	StoreURL      any     `json:"storeUrl,omitempty"`
	Editions      any     `json:"editions,omitempty"`
	Lows          any     `json:"lows,omitempty"`
}

type plainEdition struct {
	ID      string  `json:"id"`
	Title   string  `json:"title"`
	Edition *string `json:"edition"`
	Type    string  `json:"type"`
	plainPrice
	plainFlags
	SKU *string `json:"sku"`
}

type plainLinks struct {
	Card  string  `json:"card"`
	Store *string `json:"store"`
}

type plainMeta struct {
	EditionName   *string  `json:"editionName"`
	Publisher     string   `json:"publisher"`
	ReleaseDate   string   `json:"releaseDate"`
	Genres        []string `json:"genres"`
	Platforms     []string `json:"platforms"`
	InvariantName string   `json:"invariantName"`
}

// namedRegion is a member of an ordered object.
type namedRegion struct {
	key string
	plainRegion
}

type orderedRegions []namedRegion

func (o orderedRegions) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, r := range o {
		if i > 0 {
			out.WriteByte(',')
		}
		out.WriteString(`"` + r.key + `":`)
		raw, err := json.Marshal(r.plainRegion)
		if err != nil {
			return nil, err
		}
		out.Write(raw)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// plainPrices fills the structs.
type plainPrices struct {
	v       *index.View
	now     int64
	regions []string // alpha-2 in the requested order; nil: all
	include string

	currency money.Currency // that was sent
}

func (p *plainPrices) has(block string) bool { return strings.Contains(p.include, block) }

func (p *plainPrices) dollars(r index.Row) *float64 {
	cents, ok := p.v.USD(&r)
	if !ok {
		return nil
	}
	usd := float64(cents) / 100
	return &usd
}

// converted returns the current price in the currency that was sent; nil if none
// was, and a nil pointer if it cannot be computed.
func (p *plainPrices) converted(r index.Row) any {
	if p.currency == "" {
		return nil
	}
	return convertPlainly(p.v.Rates, int64(r.Current), p.v.Currency(r.Currency), p.currency)
}

// convertPlainly converts with rational numbers.
func convertPlainly(rates money.Rates, current int64, from, to money.Currency) *plainConverted {
	if current < 0 {
		return nil
	}
	exact := new(big.Rat).SetInt64(current)
	if from != to {
		over, rate := rates.PerBase(from), rates.PerBase(to)
		if over == nil || rate == nil {
			return nil
		}
		exact.Mul(exact, rate).Quo(exact, over)
	}
	exact.Add(exact, big.NewRat(1, 2)) // half up
	value := new(big.Int).Div(exact.Num(), exact.Denom())
	if !value.IsInt64() {
		return nil
	}
	home, known := string(to[:2]), false
	if own, ok := money.RegionCurrency(home); ok {
		known = own == to
	}
	if !known {
		home = ""
	}
	text := new(money.Formatter).Format(home, to, money.Amount(value.Int64()))
	return &plainConverted{string(to), value.Int64(), text}
}

func (p *plainPrices) price(r index.Row) plainPrice {
	return plainPrice{
		Currency: string(p.v.Currency(r.Currency)), Base: orNull(int64(r.Base), -1), Current: orNull(int64(r.Current), -1),
		BaseText: r.BaseText(), CurrentText: r.CurrentText(), DiscountPercent: orNull(r.Percent, catalog.NoPercent), USD: p.dollars(r), Converted: p.converted(r),
	}
}

func flagsOf(r index.Row) plainFlags { return plainFlags{r.Current == 0, r.Trial, r.Subscription} }

func skuOf(c index.Card, r index.Row) *string {
	if c.Platform() == catalog.PCStore {
		return nil
	}
	return orNull(r.Product(), "")
}

func linkOf(r index.Row) *string { return orNull(string(r.AppendURL(nil)), "") }

func plainTimestamp(ms int64) string {
	return time.UnixMilli(ms).UTC().Format("2006-01-02T15:04:05.000Z")
}

func (p *plainPrices) region(c index.Card, r index.Row) plainRegion {
	out := plainRegion{
		Alpha2: p.v.Region(r.Region).Alpha2, plainPrice: p.price(r), DiscountLabel: orNull(r.Label(), ""),
		plainFlags: flagsOf(r), Edition: orNull(r.Edition(), ""), SKU: skuOf(c, r), Source: orNull(r.Source(), ""),
		PricedAt: plainTimestamp(r.PricedAt), VariantsCount: r.Variants,
	}
	if r.EndsAt != 0 {
		out.DiscountEndAt = orNull(plainTimestamp(r.EndsAt), "")
	}
	if p.has("url") {
		out.StoreURL = linkOf(r)
	}
	if p.has("editions") {
		out.Editions = p.editions(c, r.Region)
	}
	if p.has("lows") {
		out.Lows = p.lows(r)
	}
	return out
}

func (p *plainPrices) lows(r index.Row) *historytest.Lows {
	var s history.Summary
	if !r.Lows(p.now, &s) {
		return nil
	}
	return historytest.Shown(&s)
}

// rows returns the rows of a card in answer order, at the current time.
func (p *plainPrices) rows(c index.Card) []index.Row {
	var list []index.Row
	shown := map[uint8]bool{}
	add := func(no uint8) {
		if row, ok := c.Rows().InRegion(no); ok && !shown[no] {
			shown[no] = true
			list = append(list, row.At(p.now))
		}
	}
	for _, code := range p.regions {
		if no, ok := p.v.RegionNo(catalog.MustRegion(code)); ok {
			add(no)
		}
	}
	if p.regions == nil {
		for _, r := range p.v.Active() {
			add(r.No)
		}
		for i := range c.Rows().Len() {
			add(c.Rows().At(i).Region)
		}
	}
	return list
}

// item returns the item of a card.
func (p *plainPrices) item(c index.Card) plainItem {
	rows := p.rows(c)
	item := plainItem{
		ID: c.ID(), Platform: c.Platform().String(), Title: c.Title(), RegionsCount: len(rows),
	}
	item.Cheapest, item.Compared = p.cheapest(c, rows)
	freshest := int64(0)
	for _, r := range rows {
		freshest = max(freshest, r.PricedAt)
	}
	for i := 0; len(rows) == 0 && i < c.Rows().Len(); i++ {
		freshest = max(freshest, c.Rows().At(i).PricedAt)
	}
	item.UpdatedAt = plainTimestamp(freshest)
	if p.has("image") {
		item.ImageURL = orNull(c.Cover(), "")
	}
	if p.has("url") {
		var link *string
		for _, r := range rows {
			if r.HasURL() {
				link = linkOf(r)
				break
			}
		}
		path := "/api/v1/catalog/games/"
		if c.Platform() == catalog.PCStore {
			path = "/api/v1/catalog/pcstore/games/"
		}
		item.StoreURL, item.Links = link, plainLinks{path + c.ID(), link}
	}
	if p.has("meta") {
		item.Meta = plainMeta{orNull(c.EditionName(), ""), c.Publisher(), c.ReleaseDate(), listOf(c.Genres()), listOf(c.Platforms()), c.InvariantName()}
	}
	for _, r := range rows {
		item.Regions = append(item.Regions, namedRegion{p.v.Region(r.Region).Key(c.Platform()), p.region(c, r)})
	}
	return item
}

func listOf(l index.List) []string {
	out := []string{}
	for i := range l.Len() {
		out = append(out, l.At(i))
	}
	return out
}

// cheapest returns the lowest price in dollars of those without subscription,
// or else of the others, and how many those are; never a trial.
func (p *plainPrices) cheapest(c index.Card, rows []index.Row) (best *plainCheapest, compared int) {
	for _, spare := range []bool{false, true} {
		for _, r := range rows {
			usd := p.dollars(r)
			if usd == nil || r.Trial || (r.Subscription || r.Doubtful) != spare {
				continue
			}
			if compared++; best == nil || *usd < best.USD {
				best = &plainCheapest{p.v.Region(r.Region).Key(c.Platform()), *usd, p.converted(r), r.CurrentText()}
			}
		}
		if best != nil {
			return best, compared
		}
	}
	return nil, 0
}

// editions returns the twelve cheapest editions.
func (p *plainPrices) editions(c index.Card, region uint8) []plainEdition {
	list := []plainEdition{}
	add := func(rows index.Rows, id, title, name string, kind catalog.Type) {
		row, ok := rows.InRegion(region)
		if !ok {
			return
		}
		row = row.At(p.now)
		e := plainEdition{id, title, orNull(name, ""), kind.String(), p.price(row), flagsOf(row), skuOf(c, row)}
		at := len(list)
		for at > 0 && e.Current != nil && (list[at-1].Current == nil || *e.Current < *list[at-1].Current) {
			at--
		}
		list = append(list[:at], append([]plainEdition{e}, list[at:]...)...)
	}
	cards, offers := c.Editions(), c.Offers()
	if c.Platform() == catalog.ConsoleStore || c.Class() != catalog.GameClass {
		for i := range cards.Len() {
			add(cards.At(i).Rows(), cards.At(i).ID(), cards.At(i).Title(), cards.At(i).EditionName(), cards.At(i).Type())
		}
	} else {
		for i := range offers.Len() {
			if o := offers.At(i); o.IsEdition() {
				add(o.Rows(), o.ID(), o.Title(), o.Edition(), o.Type())
			}
		}
	}
	return list[:min(12, len(list))]
}
