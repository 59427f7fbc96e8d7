package game

import (
	"cmp"
	"fmt"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// The structured data of a page, in the vocabulary of schema.org: search engines show the
// price beside the title.
type (
	product struct {
		Context     string `json:"@context"`
		Type        string `json:"@type"`
		Name        string `json:"name"`
		Description string `json:"description,omitempty"`
		Image       string `json:"image,omitempty"`
		SKU         string `json:"sku"`
		URL         string `json:"url"`
		Category    string `json:"category"`
		Brand       *named `json:"brand,omitempty"`
		Offers      offer  `json:"offers"`
	}

	offer struct {
		Type            string `json:"@type"`
		Price           string `json:"price"`
		PriceCurrency   string `json:"priceCurrency"`
		PriceValidUntil string `json:"priceValidUntil,omitempty"`
		Availability    string `json:"availability"`
		URL             string `json:"url"`
		EligibleRegion  named  `json:"eligibleRegion"`
	}

	named struct {
		Type string `json:"@type"`
		Name string `json:"name"`
	}
)

// addProduct adds the structured data of a card with the offer of a price, if it is one.
func (view *cardView) addProduct(shown shownCard, c *gameCard, p *explore.RegionPrice, address, image string) {
	o, ok := offerOf(p, address)
	if !ok || image == "" { // search engines require a picture
		return
	}
	view.Product = &product{Context: "https://schema.org", Type: "Product", Name: web.OneLine(c.Title), Image: image, SKU: shown.id, URL: address, Category: "Video games", Offers: o}
	if len(view.Short) > 0 {
		view.Product.Description = web.OneLine(view.Short[0])
	}
	if c.Publisher != "" {
		view.Product.Brand = &named{"Brand", web.OneLine(c.Publisher)}
	}
}

// offerOf returns the offer of a region price. It reports false if not everybody can buy at a
// known price: for a trial, a price for subscribers, a doubtful one, or none at all.
func offerOf(p *explore.RegionPrice, address string) (offer, bool) {
	currency, err := money.ParseCurrency(p.Currency)
	if p.Current == nil || p.IsTrial || p.IsSubPlus || p.Source == catalog.SourceDoubtful || err != nil {
		return offer{}, false
	}
	o := offer{Type: "Offer", Price: fmt.Sprintf("%d.%02d", *p.Current/100, *p.Current%100), PriceCurrency: string(currency),
		Availability: "https://schema.org/InStock", URL: cmp.Or(webAddress(p.StoreURL), address), EligibleRegion: named{"Country", p.Alpha2}}
	if p.DiscountPercent > 0 && p.DiscountEndAt > 0 {
		o.PriceValidUntil = time.UnixMilli(int64(p.DiscountEndAt)).UTC().Format(time.RFC3339)
	}
	return o, true
}
