package game

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

type pages struct{ *explore.Explorer }

// New registers the pages with the site.
func New(e *explore.Explorer) {
	p := &pages{e}
	e.Site.HandleCatalog("/games/{platform}/{id}", p.game)
	e.Site.HandleCatalog("/games/{platform}/{id}/{title}", p.game)
	e.Site.Handle("GET /answers/{path}", web.SignedIn, p.answer)
	e.Site.Handle("GET /explore/{platform}/{id}", web.Anyone, func(v *web.Visit) error { // the former address
		platform, err := catalog.ParsePlatform(v.R.PathValue("platform"))
		if err != nil {
			return web.NotFound()
		}
		return v.MovedPermanently(v.Locale.Game(platform, v.R.PathValue("id"), "", v.R.URL.Query()))
	})
}

// game shows a card at its only address: former ids lead to the card that has their listings now,
// and so does another title.
func (p *pages) game(v *web.Visit) error {
	platform, err := catalog.ParsePlatform(v.R.PathValue("platform"))
	if err != nil {
		return web.NotFound()
	}
	path := "games/"
	if platform == catalog.PCStore {
		path = "pcstore/games/"
	}
	var card struct {
		Data gameCard `json:"data"`
	}
	err = p.Call(v, path+url.PathEscape(v.R.PathValue("id")), url.Values{"lang": {v.Lang()}}, &card)
	if g, ok := errors.AsType[*explore.CardGoneError](err); ok {
		return p.gone(v, g)
	} else if _, ok := errors.AsType[*explore.RefusedError](err); ok { // of the id, which is not UTF-8
		return p.gone(v, &explore.CardGoneError{})
	} else if err != nil {
		return err
	}
	address := card.Data.address(v, v.Locale, choices(v))
	if u, err := url.Parse(address); err != nil || u.Path != v.R.URL.Path {
		return errors.Join(err, v.MovedPermanently(address))
	}
	return p.card(v, &card.Data)
}

// choices returns what the visitor chose for the history, so that another address of the page
// keeps it.
func choices(v *web.Visit) url.Values {
	query := url.Values{}
	_ = v.Form("region") // parses the query
	for _, code := range v.R.Form["region"] {
		region, err := catalog.ParseRegion(code)
		if err == nil && len(query["region"]) < maxLines && !slices.Contains(query["region"], region.String()) {
			query.Add("region", region.String())
		}
	}
	if period := periods[chosenPeriod(v)].value; period == v.Form("period") {
		query.Set("period", period)
	}
	if strings.EqualFold(v.Form("units"), "usd") {
		query.Set("units", "usd")
	}
	return query
}

// describe says what the page of a card is about, and what search engines show of it: the price
// in the country of the page, and nothing that is for sale elsewhere as if it were there.
func (p *pages) describe(v *web.Visit, view *cardView, c *gameCard) {
	row := view.Prices.in(cmp.Or(v.Locale.Country, view.Prices.cheapest, view.Prices.firstPrice))
	keep := view.Market.Keep
	about := web.About{Title: c.Title, Image: webAddress(cmp.Or(c.Images.Cover, c.Thumbnail)),
		Hidden: len(keep) > 0 || row == nil && v.Locale.Country != ""} // pages of countries without a price are alike
	if row != nil {
		short := explore.ShortPriceOf(v, row.price)
		view.Price, about.Description = &short, v.T("card.price.is", priceText(v, row.price))
		view.Store = cmp.Or(row.Store, view.Store)
		d := explore.Judge(row.price, v.Now())
		view.Kind, view.Verdict, short.Verdict = d.Kind, d.Sentence(v), explore.Badge{} // the sentence says more than the word
		if view.Verdict != "" {
			about.Description += " " + view.Verdict
		}
	} else {
		view.Unsold = view.Prices.unsold(v)
		about.Description = view.Unsold
	}
	if len(view.Short) > 0 {
		about.Description += " " + view.Short[0]
	}
	v.Describe(about, func(l web.Locale) string { return c.address(v, l, keep) })
	if v.Public && row != nil && !about.Hidden {
		view.addProduct(c, row.price, v.Canonical(), about.Image)
	}
}

// unsold returns a sentence that the game has no price in the visitor's country, or anywhere.
func (view *pricesView) unsold(v *web.Visit) string {
	if view.firstPrice == "" {
		return v.T("card.unsold.anywhere")
	}
	text := v.T("card.unsold.here", explore.InCountry(v, "", v.Locale.Country))
	if best := view.in(view.cheapest); best != nil {
		text += " " + v.T("card.unsold.elsewhere", priceText(v, best.price))
	}
	return text
}

// priceText returns a price as part of a sentence: "$8.44 · ₹749.00 in India". It leaves out what
// past prices say.
func priceText(v *web.Visit, p *explore.RegionPrice) string {
	short := explore.ShortPriceOf(v, p)
	var parts []string
	if short.Main != "" {
		parts = append(parts, short.Main)
	}
	for _, b := range short.Badges {
		parts = append(parts, b.Text)
	}
	text := strings.Join(parts, " · ")
	if short.Country == explore.InCountry(v, "", p.Alpha2) {
		return explore.InCountry(v, text, p.Alpha2)
	}
	return text + " · " + short.Country
}

type goneView struct {
	Search explore.SearchBox
	Lead   string
	Tiles  []explore.Tile // where its listings are now
}

// gone answers for an id that no card has. It leads to the only card that has its listings now, or
// names all of them.
func (p *pages) gone(v *web.Visit, g *explore.CardGoneError) error {
	if len(g.Cards) == 1 {
		only := &g.Cards[0].Game.Versions[0]
		return v.MovedPermanently(only.Address(v.Locale, choices(v)))
	}
	view, status := goneView{Search: explore.NewSearchBox(v), Lead: v.T("explore.gone")}, http.StatusNotFound
	switch {
	case len(g.Cards) > 1:
		view.Lead, status = v.T("explore.moved"), http.StatusMultipleChoices
	case g.Served:
		status = http.StatusGone
	}
	for i := range g.Cards {
		view.Tiles = append(view.Tiles, p.Tile(v.Locale, &g.Cards[i]))
	}
	return v.Render(status, "gone", view)
}

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
func (view *cardView) addProduct(c *gameCard, p *explore.RegionPrice, address, image string) {
	o, ok := offerOf(p, address)
	if !ok || image == "" { // search engines require a picture
		return
	}
	view.Product = &product{Context: "https://schema.org", Type: "Product", Name: web.OneLine(c.Title), Image: image, SKU: c.id(), URL: address, Category: "Video games", Offers: o}
	view.Product.Description = web.OneLine(strings.Join(append([]string{view.Verdict}, view.Short[:min(1, len(view.Short))]...), " "))
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
	if p.DiscountPercent > 0 {
		o.PriceValidUntil = explore.RFC3339(int64(p.DiscountEndAt))
	}
	return o, true
}
