package game

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

const (
	// Characters of a description that are shown at once, and in total.
	shortDescription, longDescription = 500, 6000
)

// cardView is what card.html shows.
type cardView struct {
	Search   explore.SearchBox
	Market   explore.MarketPicker
	Address  string
	Title    string
	Original string // the title in the store; "" if it is the same
	Platform string
	Type     string // key
	Devices  []string
	Cover    explore.Cover
	Facts    []fact
	Short    []string            // paragraphs of the description
	Long     []string            // the rest of them
	Store    string              // address; ""
	Price    *explore.ShortPrice // in the visitor's country, or the cheapest one; nil: there is none
	Unsold   string              // says so, and what it costs elsewhere; "" with a price
	Versions []version           // the others of the game
	Prices   pricesView
	Lists    []entryList
	History  historyView
	Requests []apiRequest
	Product  *product // for search engines; nil: there is no offer
}

// shownCard says which card a page shows.
type shownCard struct {
	web.Locale
	platform catalog.Platform
	id       string
	title    string // in the visitor's language
}

// address returns the address of the page with a query.
func (c shownCard) address(query url.Values) string {
	return c.Game(c.platform, c.id, c.title, query)
}

// fact is a message key and a value.
type fact struct{ Name, Value string }

// apiRequest is an API request that returns what the page shows.
type apiRequest struct {
	ID      string // of the element with the command
	Name    string // key
	Command string
	Answer  string // address of the answer
}

func (p *Pages) card(v *web.Visit, platform catalog.Platform, id string) error {
	path := "games/"
	if platform == catalog.PCStore {
		path = "pcstore/games/"
	}
	var card struct {
		Data gameCard `json:"data"`
	}
	if _, err := p.Call(v, path+url.PathEscape(id), url.Values{"lang": {v.Lang()}}, &card); err != nil {
		if g, ok := errors.AsType[*explore.CardGoneError](err); ok {
			return p.gone(v, http.StatusNotFound, platform, g.Successors)
		}
		return err
	}
	shown := shownCard{v.Locale, platform, cmp.Or(card.Data.ID, card.Data.Slug), card.Data.Title}
	query := url.Values{"ids": {shown.id}, "platform": {platform.String()}, "regions": {"all"}, "include": {"url,lows"},
		"currency": {string(v.Locale.Currency)}}
	var prices explore.PricesAnswer
	if _, err := p.Call(v, "prices", query, &prices); err != nil {
		return err
	}
	view := p.cardView(v, shown, &card.Data)
	view.Prices = regionPrices(v, &prices)
	p.describe(v, shown, &view, &card.Data)
	var err error
	if view.History, err = p.history(v, shown, view.Prices.Rows); err != nil {
		return err
	}
	view.addRequest(p, v, "prices", "card.code.prices", query)
	if view.History.Query != nil {
		view.addRequest(p, v, "history", "card.code.history", view.History.Query)
	}
	return v.Render(http.StatusOK, "card", view)
}

// addRequest adds a request to a path of the API.
func (view *cardView) addRequest(p *Pages, v *web.Visit, path, name string, query url.Values) {
	readable := strings.ReplaceAll(query.Encode(), "%2C", ",")
	view.Requests = append(view.Requests, apiRequest{"request-" + path, name, p.Site.Curl(v.T("card.your-key"), explore.APIPath+path+"?"+readable), "/answers/" + path + "?" + query.Encode()})
}

// answer answers with the JSON of a request that a page shows.
func (p *Pages) answer(v *web.Visit) error {
	path := v.R.PathValue("path")
	if path != "prices" && path != "history" {
		return web.NotFound()
	}
	body, err := p.Call(v, path, v.R.URL.Query(), new(struct{}))
	if _, refused := errors.AsType[*explore.RefusedError](err); refused {
		return web.NotFound()
	} else if err != nil {
		return err
	}
	return v.Send(http.StatusOK, web.JSON, body)
}

func (p *Pages) cardView(v *web.Visit, shown shownCard, c *gameCard) cardView {
	view := cardView{
		Search: explore.NewSearchBox(v), Address: shown.address(nil), Title: c.Title,
		Platform: p.Site.PlatformName(shown.platform), Type: explore.TypeKey(c.Type), Devices: c.Details.Platforms,
		Cover: explore.CoverOf(p.Site.ImageSource(cmp.Or(c.Images.Cover, c.Thumbnail)), c.Title), Store: webAddress(c.StoreURL),
	}
	for _, f := range []fact{
		{"card.edition", c.Details.EditionName},
		{"card.publisher", c.Publisher},
		{"card.developer", c.Developer},
		{"card.released", released(v, c.ReleaseDate)},
		{"card.genres", strings.Join(c.Genres, ", ")},
		{"card.rating", strings.TrimSpace(c.Rating.System + " " + c.Rating.Age)},
	} {
		if f.Value != "" {
			view.Facts = append(view.Facts, f)
		}
	}
	view.Short, view.Long = split(plainText(c.Description), shortDescription, longDescription)
	if live := p.Live.View(); live != nil {
		if found, ok := live.Lookup(shown.platform, shown.id); ok && found.Title() != c.Title {
			view.Original = found.Title()
		}
		view.Versions = p.versions(v, live, shown)
	}
	if shown.platform == catalog.PCStore {
		p.addOffers(v, &view, shown.id, c.Offers)
		return view
	}
	if len(c.Variants) > 0 {
		here := cardLine{ID: shown.id, Title: c.Title, Type: c.Type}
		p.addCards(v, &view, "card.editions", append([]cardLine{here}, c.Variants...), shown.id)
	}
	related := "card.add-ons"
	if c.Type == catalog.DLC.String() || c.Type == catalog.SeasonPass.String() || c.Type == catalog.Subscription.String() {
		related = "card.related"
	}
	p.addCards(v, &view, related, c.Related, shown.id)
	return view
}

// released returns a release date in words; a date in another form as it is.
func released(v *web.Visit, date string) string {
	at, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return v.Day(at.UnixMilli())
}

// The answer of the API with a card of either store.
type (
	// gameCard is a card of either store.
	gameCard struct {
		ID          string `json:"id"`   // console store
		Slug        string `json:"slug"` // PC store
		Platform    string `json:"platform"`
		Title       string `json:"title"`
		Description string `json:"description"`
		Type        string `json:"type"`
		Thumbnail   string `json:"thumbnail"`
		Images      struct {
			Cover string `json:"cover"`
		} `json:"images"`
		ReleaseDate string   `json:"releaseDate"`
		Publisher   string   `json:"publisher"`
		Developer   string   `json:"developer"`
		Genres      []string `json:"genres"`
		Rating      struct {
			Age    string `json:"age"`
			System string `json:"system"`
		} `json:"rating"`
		StoreURL string     `json:"storeUrl"`
		Variants []cardLine `json:"variants"`
		Related  []cardLine `json:"related"`
		Offers   []cardLine `json:"offers"`
		Details  struct {
			EditionName string   `json:"editionName"`
			Platforms   []string `json:"platforms"`
		} `json:"details"`
	}

	// cardLine is a variant, a related card or an offer.
	cardLine struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Type  string `json:"type"`
	}
)

const shownEntries = 40 // of editions, add-ons, offers

// entryList is a table of other cards or offers.
type entryList struct {
	Heading string // key
	Rows    []lineRow
	Left    int // not shown
}

// lineRow is an edition, an add-on or an offer.
type lineRow struct {
	Address string // of its page; ""
	Title   string
	Type    string // key
	Devices string
	Price   explore.ShortPrice // in the visitor's country, or the cheapest one
	Here    bool               // the card of this page
}

// addCards adds a table of cards of the console store. The card with the id here is that of the page.
func (p *Pages) addCards(v *web.Visit, view *cardView, heading string, list []cardLine, here string) {
	live := p.Live.View()
	view.addList(heading, list, func(e *cardLine) lineRow {
		row := lineRow{Here: e.ID == here, Address: explore.Address(v.Locale, live, catalog.ConsoleStore.String(), e.ID, nil)}
		if c, ok := explore.Lookup(live, catalog.ConsoleStore.String(), e.ID); ok {
			row.Devices, row.Price = explore.Devices(c), shortPrice(v, live, c.Rows())
		}
		return row
	})
}

// addOffers adds the table of the offers of a card of the PC store.
func (p *Pages) addOffers(v *web.Visit, view *cardView, slug string, list []cardLine) {
	live, rows := p.Live.View(), map[string]index.Rows{}
	if c, ok := explore.Lookup(live, catalog.PCStore.String(), slug); ok {
		for i := range c.Offers().Len() {
			o := c.Offers().At(i)
			rows[o.ID()] = o.Rows()
		}
	}
	view.addList("card.offers", list, func(e *cardLine) lineRow {
		if of, ok := rows[e.ID]; ok {
			return lineRow{Price: shortPrice(v, live, of)}
		}
		return lineRow{}
	})
}

// addList adds a table of the first entries of a list. It sets what all rows have.
func (view *cardView) addList(heading string, list []cardLine, rowOf func(*cardLine) lineRow) {
	if len(list) == 0 {
		return
	}
	shown := list[:min(len(list), shownEntries)]
	table := entryList{Heading: heading, Rows: make([]lineRow, len(shown)), Left: len(list) - len(shown)}
	for i := range shown {
		table.Rows[i] = rowOf(&shown[i])
		table.Rows[i].Title, table.Rows[i].Type = shown[i].Title, explore.TypeKey(shown[i].Type)
	}
	view.Lists = append(view.Lists, table)
}

// version is the same game for another device or in the other store.
type version struct {
	Name    string
	Address string
	Price   string // in the visitor's country, or the cheapest one; "" without an amount
}

// versions returns the other versions of the game of a page.
func (p *Pages) versions(v *web.Visit, live *index.View, shown shownCard) (list []version) {
	all := explore.GameOf(live, explore.ListedCard{Platform: shown.platform.String(), ID: shown.id}, explore.VersionFilter{}).Versions()
	for i, c := range all {
		if i > 0 {
			list = append(list, version{p.VersionName(c), explore.Address(v.Locale, live, c.Platform().String(), c.ID(), nil), shortPrice(v, live, c.Rows()).Main})
		}
	}
	return list
}

// shortPrice returns a price in the visitor's country or, if they chose none, in the cheapest one;
// the zero value if there is none. It asks the index: bulk prices of forty cards in sixty countries
// are a megabyte of JSON, and they lack those of offers.
func shortPrice(v *web.Visit, live *index.View, rows index.Rows) explore.ShortPrice {
	row, ok := explore.RowFor(v, live, rows)
	if !ok {
		return explore.ShortPrice{}
	}
	currency := live.Currency(row.Currency)
	price := explore.RegionPrice{Alpha2: live.Region(row.Region).Alpha2, Currency: string(currency), CurrentText: row.CurrentText(),
		DiscountPercent: max(row.Percent, 0), DiscountEndAt: explore.Timestamp(row.EndsAt), IsTrial: row.Trial, IsSubPlus: row.Subscription, Source: row.Source()}
	if row.Current.Known() {
		price.Current = (*int64)(&row.Current)
	}
	if to := live.Rates.Converter(currency, v.Locale.Currency).Convert(row.Current); to.Known() {
		price.Converted = &explore.Converted{Currency: string(v.Locale.Currency), Value: int64(to)}
	}
	return explore.ShortPriceOf(v, &price)
}
