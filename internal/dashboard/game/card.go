package game

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/fold"
)

const (
	// Characters of a description that are shown at once, and in total.
	shortDescription, longDescription = 500, 6000
)

type cardView struct {
	Search   explore.SearchBox
	Market   *web.MarketPicker
	Watch    string // address of the page on which a user begins to watch the game
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
	Verdict  string              // on the price, in sentences; ""
	Kind     explore.Kind        // of the verdict
	Versions []version           // the others of the game
	Prices   pricesView
	Lists    []entryList
	History  historyView
	Requests []apiRequest
	Product  *product // for search engines; nil: there is no offer
}

type fact struct{ Name, Value string }

// apiRequest is an API request that returns what the page shows.
type apiRequest struct {
	ID      string // of the element with the command
	Name    string // key
	Command string
	Answer  string // address of the answer
}

func (p *pages) card(v *web.Visit, c *gameCard) error {
	live, err := p.Overview()
	if err != nil {
		return err
	}
	query := url.Values{"ids": {c.id()}, "platform": {c.Platform}, "regions": {"all"}, "include": {"url,lows"},
		"currency": {string(v.Locale.Currency)}}
	var prices explore.PricesAnswer
	if err := p.Call(v, "prices", query, &prices); err != nil {
		return err
	}
	view := p.cardView(v, c)
	view.Prices = regionPrices(v, &prices)
	view.Market = p.ShowMarket(v, live, choices(v))
	p.describe(v, &view, c)
	if view.History, err = p.history(v, c, view.Prices.Rows); err != nil {
		return err
	}
	view.addRequest(p, v, "prices", "card.code.prices", query)
	if view.History.Query != nil {
		view.addRequest(p, v, "history", "card.code.history", view.History.Query)
	}
	return v.Render(http.StatusOK, "card", view)
}

func (view *cardView) addRequest(p *pages, v *web.Visit, path, name string, query url.Values) {
	readable := strings.ReplaceAll(query.Encode(), "%2C", ",")
	view.Requests = append(view.Requests, apiRequest{"request-" + path, name, p.Site.Curl(v.T("card.your-key"), explore.APIPath+path+"?"+readable), "/answers/" + path + "?" + query.Encode()})
}

// answer answers with the JSON of a request that a page shows.
func (p *pages) answer(v *web.Visit) error {
	path := v.R.PathValue("path")
	if path != "prices" && path != "history" {
		return web.NotFound()
	}
	address := explore.APIPath + path + "?" + v.R.URL.Query().Encode()
	body, err := explore.Request(v, p.Person(v.User.ID), http.MethodGet, address, nil)
	if _, refused := errors.AsType[*explore.RefusedError](err); refused {
		return web.NotFound()
	} else if err != nil {
		return err
	}
	return v.Send(http.StatusOK, web.JSON, body)
}

func genreNames(v *web.Visit, stored []string) string {
	var names []string
	for _, genre := range stored {
		if name := v.Genre(genre); !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ", ")
}

func (p *pages) cardView(v *web.Visit, c *gameCard) cardView {
	view := cardView{
		Search: explore.NewSearchBox(v), Watch: v.Locale.Watch(c.Platform + "/" + c.id()), Address: c.address(v, v.Locale, nil), Title: c.Title,
		Platform: p.Site.PlatformName(c.platform()), Type: explore.TypeKey(c.Type), Devices: c.Details.Platforms,
		Cover: explore.CoverOf(p.Site.ImageSource(cmp.Or(c.Images.Cover, c.Thumbnail)), c.Title), Store: webAddress(c.StoreURL),
	}
	for _, f := range []fact{
		{"card.edition", c.Details.EditionName},
		{"card.publisher", c.Publisher},
		{"card.developer", c.Developer},
		{"card.released", released(v, c.ReleaseDate)},
		{"card.genres", genreNames(v, c.Genres)},
		{"card.rating", strings.TrimSpace(c.Rating.System + " " + c.Rating.Age)},
	} {
		if f.Value != "" {
			view.Facts = append(view.Facts, fact{v.T(f.Name), f.Value})
		}
	}
	view.Short, view.Long = split(plainText(c.Description), shortDescription, longDescription)
	if fold.Fold(c.Game.StoreTitle) != fold.Fold(c.Title) {
		view.Original = c.Game.StoreTitle
	}
	for i := range c.Game.Versions[1:] {
		other := &c.Game.Versions[1+i]
		view.Versions = append(view.Versions, version{p.VersionName(other), other.Address(v.Locale, nil), explore.ShortPriceOf(v, other.Offer).Main})
	}
	if len(c.Variants) > 0 {
		here := cardLine{Version: c.Game.Versions[0], Type: c.Type}
		view.addList(v, "card.editions", append([]cardLine{here}, c.Variants...), c.id())
	}
	related := "card.add-ons"
	if c.Type == catalog.DLC.String() || c.Type == catalog.SeasonPass.String() || c.Type == catalog.Subscription.String() {
		related = "card.related"
	}
	view.addList(v, related, c.Related, c.id())
	view.addList(v, "card.offers", c.Offers, "")
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
		StoreURL string       `json:"storeUrl"`
		Game     explore.Game `json:"game"`
		Variants []cardLine   `json:"variants"`
		Related  []cardLine   `json:"related"`
		Offers   []cardLine   `json:"offers"`
		Details  struct {
			EditionName string   `json:"editionName"`
			Platforms   []string `json:"platforms"`
		} `json:"details"`
	}

	// cardLine is a variant, a related card or an offer.
	cardLine struct {
		explore.Version
		Type string `json:"type"`
	}
)

func (c *gameCard) id() string { return cmp.Or(c.ID, c.Slug) }

func (c *gameCard) platform() catalog.Platform {
	if c.Slug != "" {
		return catalog.PCStore
	}
	return catalog.ConsoleStore
}

// address returns the address of the page of the card with a query. The title in it is in the
// language of the locale.
func (c *gameCard) address(v *web.Visit, l web.Locale, query url.Values) string {
	title := c.Title
	for i, known := range v.Languages() {
		if known.Code == l.Lang {
			title = c.Game.Titles[i]
		}
	}
	return l.Game(c.platform(), c.id(), title, query)
}

const shownEntries = 40 // of editions, add-ons, offers

type entryList struct {
	Heading string // key
	Rows    []lineRow
	Left    int // not shown
}

type lineRow struct {
	Address string // of its page; ""
	Title   string
	Type    string // key
	Devices string
	Price   explore.ShortPrice // in the visitor's country, or the cheapest one
	Here    bool               // the card of this page
}

// addList adds a table of the first cards or offers of a list. The card with the id here is that of
// the page.
func (view *cardView) addList(v *web.Visit, heading string, list []cardLine, here string) {
	if len(list) == 0 {
		return
	}
	shown := list[:min(len(list), shownEntries)]
	table := entryList{Heading: heading, Rows: make([]lineRow, len(shown)), Left: len(list) - len(shown)}
	for i := range shown {
		e := &shown[i]
		row := lineRow{Title: e.Title, Type: explore.TypeKey(e.Type), Devices: strings.Join(e.Platforms, ", "), Price: explore.ShortPriceOf(v, e.Offer), Here: e.ID == here}
		if here != "" { // offers have no pages
			row.Address = v.Locale.Game(catalog.ConsoleStore, e.ID, e.Title, nil)
		}
		table.Rows[i] = row
	}
	view.Lists = append(view.Lists, table)
}

// version is the same game for another device or in the other store.
type version struct {
	Name    string
	Address string
	Price   string // in the visitor's country, or the cheapest one; "" without an amount
}
