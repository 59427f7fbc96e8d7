package explore

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// dealsPage is how many deals a page shows.
const dealsPage = 30

// dealsView is what deals.html shows.
type dealsView struct {
	Market     marketPicker
	Form       dealsForm
	Lead       string
	Tips       string
	Deals      []dealRow
	First      string // address of the first page; "" on it
	Prev, Next string // there are no links back: a cursor leads forward
	Pages      int    // not known
	Command    string // the API request of what is seen
}

// dealRow is a deal in the list.
type dealRow struct {
	Tile    tile
	Also    int    // further countries with a deal that passes the filters
	Verdict string // whether the discount is real, in words; "" if nothing is known
	Doubt   bool   // it is not, or it is smaller than it looks
	Began   int64  // the discount; 0: not known
	EndsAt  int64  // 0: not known
}

// dealsAnswer is a page of deals of the API.
type dealsAnswer struct {
	Data struct {
		Items      []deal `json:"items"`
		Total      int    `json:"total"`
		NextCursor string `json:"nextCursor"`
	} `json:"data"`
}

type deal struct {
	listedCard
	Price     regionPrice `json:"price"`
	Lows      *lows       `json:"lows"`
	StartedAt moment      `json:"startedAt"`
	Regions   []string    `json:"regions"`
}

func (p *Pages) deals(v *web.Visit) error {
	live := p.live.View()
	if live == nil {
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "explore.unavailable", RetryAfter: catalogWait}
	}
	view := dealsView{Market: p.marketPicker(v, live), Form: p.dealsForm(v, live)}
	query := view.Form.apiQuery()
	query.Set("currency", string(v.Market().Currency))
	query.Set("lang", v.Lang())
	query.Set("limit", strconv.Itoa(dealsPage))
	if cursor := v.Form("cursor"); cursor != "" {
		query.Set("cursor", cursor)
		view.First = view.Form.address("")
	}
	view.Command = p.site.Curl(v.T("card.your-key"), catalogPath+"deals?"+query.Encode())
	var found dealsAnswer
	_, err := p.callAPI(v, "deals", query, &found)
	if refused, ok := errors.AsType[*refusedError](err); ok {
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
	view.Deals = p.dealRows(v, live, found.Data.Items)
	if found.Data.NextCursor != "" {
		view.Next = view.Form.address(found.Data.NextCursor)
	}
	return v.Render(http.StatusOK, "deals", view)
}

// dealRows returns the rows of a page. Versions of a game for several devices share a row
// if their deals are the same.
func (p *Pages) dealRows(v *web.Visit, live *index.View, deals []deal) []dealRow {
	type sameDeal struct {
		game                   gameKey
		edition, region, price string
	}
	var games []*game
	var first []*deal // of each game
	known := map[sameDeal]*game{}
	for i := range deals {
		d := &deals[i]
		d.Price.Lows = d.Lows
		c, ok := lookup(live, d.Platform, d.ID)
		same := sameDeal{edition: d.Type + d.EditionName, region: d.Price.Alpha2, price: v.Amount(money.Currency(d.Price.Currency), amountOf(d.Price.Current))}
		if ok {
			same.game = gameKeyOf(c, c.Title())
		}
		g := known[same]
		if g == nil || !ok {
			g = &game{lead: d.listedCard}
			games, first = append(games, g), append(first, d)
			known[same] = g
		}
		g.add(d.listedCard)
	}
	rows := make([]dealRow, len(games))
	for i, g := range games {
		rows[i] = p.dealRow(v, live, g, first[i])
	}
	return rows
}

func (p *Pages) dealRow(v *web.Visit, live *index.View, g *game, d *deal) dealRow {
	price := shortPriceOf(v, &d.Price)
	price.Before = v.Amount(money.Currency(d.Price.Currency), amountOf(d.Price.Base))
	row := dealRow{Tile: p.tileOf(live, g), Also: len(d.Regions) - 1, Began: int64(d.StartedAt), EndsAt: int64(d.Price.DiscountEndAt)}
	row.Tile.Price, row.Tile.Editions = &price, 0
	if d.Lows != nil {
		row.Verdict, row.Doubt = d.Lows.Real.words(v)
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

// words returns whether a discount is real, and whether it is smaller than the store claims.
func (d *discount) words(v *web.Visit) (text string, doubt bool) {
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
func (f *dealsForm) address(cursor string) string {
	q := url.Values{}
	for _, field := range f.all() {
		if field.Value != "" {
			q.Set(field.Name, field.Value)
		}
	}
	if cursor != "" {
		q.Set("cursor", cursor)
	}
	return "/deals?" + q.Encode()
}
