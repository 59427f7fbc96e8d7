package deals

import (
	"embed"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

// Pages are the pages of this package. Create them with [New].
type Pages struct{ *explore.Explorer }

// New registers the page with the site.
func New(e *explore.Explorer) *Pages {
	p := &Pages{e}
	e.Site.HandleCatalog("/deals", p.region)
	e.Site.HandleCatalog("/deals/{region}", p.region)
	e.Site.Handle("GET /deals", web.Anyone, func(v *web.Visit) error { // the former address
		query := v.R.URL.Query()
		region := query.Get("regions")
		query.Del("regions")
		return v.MovedPermanently(v.Locale.Deals(region, query))
	})
	return p
}

// pageSize is how many deals a page shows.
const pageSize = 30

// listView is what deals.html shows.
type listView struct {
	Market     explore.MarketPicker
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

// dealRow is a deal in the list.
type dealRow struct {
	Tile    explore.Tile
	Also    int    // further countries with a deal that passes the filters
	Verdict string // whether the discount is real, in words; "" if nothing is known
	Doubt   bool   // it is not, or it is smaller than it looks
	Began   int64  // the discount; 0: not known
	EndsAt  int64  // 0: not known
}

// answer is a page of deals of the API.
type answer struct {
	Data struct {
		Items      []deal `json:"items"`
		Total      int    `json:"total"`
		NextCursor string `json:"nextCursor"`
	} `json:"data"`
}

type deal struct {
	explore.ListedCard
	Price     explore.RegionPrice `json:"price"`
	Lows      *explore.Lows       `json:"lows"`
	StartedAt explore.Moment      `json:"startedAt"`
	Regions   []string            `json:"regions"`
}

// deals shows the deals of a region.
func (p *Pages) deals(v *web.Visit, region string) error {
	live, err := p.View()
	if err != nil {
		return err
	}
	view := listView{Market: p.MarketPicker(v, live, nil), Form: p.form(v, live, region)}
	p.describe(v, &view, region)
	query := view.Form.apiQuery(live)
	query.Set("distinct", "games")
	query.Set("currency", string(v.Locale.Currency))
	query.Set("lang", v.Lang())
	query.Set("limit", strconv.Itoa(pageSize))
	if cursor := v.Form("cursor"); cursor != "" {
		query.Set("cursor", cursor)
		view.First = view.Form.address(v.Locale, "")
	}
	view.Command = p.Site.Curl(v.T("card.your-key"), explore.APIPath+"deals?"+query.Encode())
	var found answer
	_, err = p.Call(v, "deals", query, &found)
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
	view.Deals = p.dealRows(v, live, found.Data.Items, explore.VersionFilterOf(query))
	if found.Data.NextCursor != "" {
		view.Next = view.Form.address(v.Locale, found.Data.NextCursor)
	}
	return v.Render(http.StatusOK, "deals", view)
}

// dealRows returns the rows of a page.
func (p *Pages) dealRows(v *web.Visit, live *index.View, deals []deal, only explore.VersionFilter) []dealRow {
	rows := make([]dealRow, len(deals))
	for i := range deals {
		deals[i].Price.Lows = deals[i].Lows
		rows[i] = p.dealRow(v, live, &deals[i], only)
	}
	return rows
}

func (p *Pages) dealRow(v *web.Visit, live *index.View, d *deal, only explore.VersionFilter) dealRow {
	there := v.Locale
	there.Country = d.Price.Alpha2 // the page that opens shows the deal, which may not be in the cheapest country
	price := explore.ShortPriceOf(v, &d.Price)
	price.Before = v.Amount(money.Currency(d.Price.Currency), amountOf(d.Price.Base))
	row := dealRow{Tile: p.Tile(there, live, explore.GameOf(live, d.ListedCard, only)), Also: len(d.Regions) - 1, Began: int64(d.StartedAt), EndsAt: int64(d.Price.DiscountEndAt)}
	row.Tile.Price = &price
	if d.Lows != nil {
		row.Verdict, row.Doubt = verdict(v, d.Lows.Real)
	}
	return row
}

// amountOf returns an amount of the API; nil is null.
func amountOf(a *int64) money.Amount {
	if a == nil {
		return money.None
	}
	return money.Amount(*a)
}

// verdict returns whether a discount is real, and whether it is smaller than the store claims.
func verdict(v *web.Visit, d *explore.Discount) (text string, doubt bool) {
	if d == nil {
		return "", false
	}
	switch d.Verdict {
	case "real":
		return v.T("deals.verdict.real", d.RealPercent), false
	case "smaller":
		return v.T("deals.verdict.smaller", d.RealPercent), true
	case "none":
		return v.T("deals.verdict.none"), true
	}
	return v.T("deals.verdict.unknown"), false
}

// address returns the address of a page of deals.
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
