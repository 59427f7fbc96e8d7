package deals

import (
	"errors"
	"net/http"
	"net/url"
	"strings"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

type pages struct{ *explore.Explorer }

// New registers the page with the site.
func New(e *explore.Explorer) {
	p := &pages{e}
	e.Site.HandleCatalog("/deals", p.region)
	e.Site.HandleCatalog("/deals/{region}", p.region)
	e.Site.Handle("GET /deals", web.Anyone, func(v *web.Visit) error { // the former address
		query := v.R.URL.Query()
		region := query.Get("regions")
		query.Del("regions")
		return v.MovedPermanently(v.Locale.Deals(region, query))
	})
}

const pageSize = 30

type listView struct {
	Market     *web.MarketPicker
	Heading    string
	Form       dealsForm
	Lead       string
	Tips       string
	Deals      []dealRow
	First      string // address of the first page; "" on it
	Prev, Next string // there are no links back: a cursor leads forward
	Pages      int    // always 0, which means not known: the template of page links reads it
	Command    string // the API request of what is seen
	Feed       string // address of the same as a feed; "" where there is none
}

type dealRow struct {
	Tile    explore.Tile
	Also    int // further countries with a deal that passes the filters
	Verdict explore.Verdict
	Began   int64 // the discount; 0: not known
	Seen    bool  // Began is when it was seen first: it may be older
	EndsAt  int64 // 0: not known
}

type answer struct {
	Data struct {
		Items      []deal `json:"items"`
		Total      int    `json:"total"`
		NextCursor string `json:"nextCursor"`
	} `json:"data"`
}

type deal struct {
	explore.ListedCard
	Price     explore.RegionPrice  `json:"price"`
	Lows      *explore.Lows        `json:"lows"`
	StartedAt explore.Timestamp    `json:"startedAt"`
	Since     explore.Timestamp    `json:"since"`         // StartedAt; 0: the discount may be older
	Cheapest  *explore.RegionPrice `json:"cheapestPrice"` // nil: that is Price
	Regions   []string             `json:"regions"`
}

func (p *pages) deals(v *web.Visit, live *overview.Catalog, region string, form dealsForm) error {
	view := listView{Market: p.ShowMarket(v, live, nil), Form: form}
	p.describe(v, live, &view, region)
	query := view.Form.apiQuery(v, live, pageSize)
	if cursor := v.Form("cursor"); cursor != "" {
		query.Set("cursor", cursor)
		view.First = view.Form.address(v.Locale, "")
	}
	view.Command = p.Site.Curl(v.T("card.your-key"), explore.APIPath+"deals?"+query.Encode())
	var found answer
	err := p.Call(v, "deals", query, &found)
	if refused, ok := errors.AsType[*explore.RefusedError](err); ok {
		if !view.Form.blame(v, refused) {
			view.Lead = v.T("explore.bad-cursor")
		}
		return v.Render(http.StatusUnprocessableEntity, "deals", view)
	} else if err != nil {
		return err
	}
	view.Lead = v.N("deals.count", found.Data.Total)
	if found.Data.Total == 0 {
		view.Tips = v.T("explore.no-filter")
	}
	view.Deals = p.dealRows(v, found.Data.Items)
	if found.Data.NextCursor != "" {
		view.Next = view.Form.address(v.Locale, found.Data.NextCursor)
	}
	return v.Render(http.StatusOK, "deals", view)
}

func (p *pages) dealRows(v *web.Visit, deals []deal) []dealRow {
	rows := make([]dealRow, len(deals))
	for i := range deals {
		d, there := &deals[i], v.Locale
		there.Country = d.Price.Alpha2             // the page that opens shows the deal, which may not be in the cheapest country
		d.Game.Best = 0                            // the deal is that of the card itself
		price := explore.ShortPriceOf(v, &d.Price) // without its lows: the row shows the verdict itself
		d.Price.Lows, d.Price.Cheapest = d.Lows, d.Cheapest
		if d.Cheapest != nil {
			v.ValidUntil(int64(d.Cheapest.DiscountEndAt))
		}
		if d.Price.Base != nil {
			price.Before = v.Amount(money.Currency(d.Price.Currency), money.Amount(*d.Price.Base))
		}
		rows[i] = dealRow{Tile: p.Tile(there, &d.ListedCard), Also: len(d.Regions) - 1, Began: int64(d.StartedAt), Seen: d.Since == 0, EndsAt: int64(d.Price.DiscountEndAt)}
		rows[i].Tile.Price, rows[i].Verdict = &price, explore.Judge(&d.Price, v.Now())
	}
	return rows
}

func (f *dealsForm) address(l web.Locale, cursor string) string {
	q := f.query()
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return l.Deals(f.Fields[0].Value, q)
}

// query returns the filters without the region, which is the first field.
func (f *dealsForm) query() url.Values {
	q := url.Values{}
	for _, field := range f.all()[1:] {
		if field.Value != "" {
			q.Set(field.Name, field.Value)
		}
	}
	return q
}

// region shows the deals of the region in the path. The form of the page sends the region as
// one of the filters, and people leave it out, so such a request is redirected to the path of the
// region.
func (p *pages) region(v *web.Visit) error {
	live, err := p.Overview()
	if err != nil {
		return err
	}
	if v.Form("regions") != "" || v.R.PathValue("region") == "" {
		form := p.form(v, live, "")
		return v.MovedPermanently(form.address(v.Locale, ""))
	}
	sent, isFeed := strings.CutSuffix(v.R.PathValue("region"), feedSuffix)
	region, ok := knownRegion(live, sent)
	if !ok {
		return web.NotFound()
	}
	if code, err := catalog.ParseRegion(region); err == nil {
		v.SetCountry(code.String())
	}
	form := p.form(v, live, region)
	if isFeed {
		if address := p.feedAddress(v, region, form.query()); pathOf(address) != v.R.URL.Path {
			return v.MovedPermanently(strings.TrimPrefix(address, p.Site.PublicURL))
		}
		return p.feed(v, live, region, form)
	}
	if address := form.address(v.Locale, v.Form("cursor")); pathOf(address) != v.R.URL.Path {
		return v.MovedPermanently(address)
	}
	return p.deals(v, live, region, form)
}

// knownRegion returns the value in the form for a region in the path. It reports false if
// there are no listings in the region.
func knownRegion(live *overview.Catalog, sent string) (region string, ok bool) {
	switch sent = strings.ToLower(sent); sent {
	case web.MainRegions, allRegions:
		return sent, true
	}
	code, err := catalog.ParseRegion(sent)
	return code.String(), err == nil && explore.HasListings(live, code.String())
}

func pathOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return u.Path
}

func regionName(v *web.Visit, live *overview.Catalog, region string) string {
	switch region {
	case allRegions:
		return v.T("deals.everywhere")
	case web.MainRegions:
		return explore.MainCountries(v, live)
	}
	return v.Country(region)
}

// describe says what the page of a region is about. Search engines leave out pages with filters.
func (p *pages) describe(v *web.Visit, live *overview.Catalog, view *listView, region string) {
	name := regionName(v, live, region)
	view.Heading = v.T("public.deals.title", name)
	view.Market.Keep, view.Market.Action = view.Form.query(), "/"+v.Lang()+"/deals" // redirects to the country
	if p.Site.PublicPages {
		view.Feed = p.feedAddress(v, region, view.Market.Keep)
	}
	about := web.About{Title: view.Heading, Description: v.T("public.deals.about", name), Hidden: len(view.Market.Keep) > 0 || v.Form("cursor") != ""}
	v.Describe(about, func(l web.Locale) string { return l.Deals(region, view.Market.Keep) })
}
