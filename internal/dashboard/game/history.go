package game

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

const (
	maxLines = 6 // countries in a chart
	// The most steps of a page: in the lines of its chart, and in its table.
	drawnSteps, listedSteps = 600, 120
)

// period is how far back a history goes.
type period struct {
	value string // in the address
	key   string
	begin func(now time.Time) time.Time
}

var periods = [...]period{
	{"1m", "card.period.month", func(now time.Time) time.Time { return now.AddDate(0, -1, 0) }},
	{"6m", "card.period.half", func(now time.Time) time.Time { return now.AddDate(0, -6, 0) }},
	{"1y", "card.period.year", func(now time.Time) time.Time { return now.AddDate(-1, 0, 0) }},
	{allPrices, "card.period.all", func(time.Time) time.Time { return time.UnixMilli(0).UTC() }},
}

const (
	defaultPeriod = 2 // the index of a year in periods
	allPrices     = "all"
)

type historyView struct {
	Countries explore.Options // to choose from
	Period    string
	Periods   []link
	Units     []link // own currency or US dollars; none if only one can be shown
	USD       bool
	Names     string // of the chosen countries
	Lows      lowsView
	Problem   string // key: why there is nothing to show; ""
	Unchanged *historyRow
	Chart     *plotView
	Rows      []historyRow // newest first
	Left      int          // steps that are not in the table
	Several   bool         // the table names countries
	Query     url.Values   // of the API request
}

// link is a link to this page with another choice.
type link struct {
	Address string
	Name    string
	Chosen  bool
}

type historyRow struct {
	At      int64
	Country string
	Price   string   // "": not for sale
	Off     int      // percent; 0 without a discount
	Before  string   // without the discount
	USD     string   // "" without an amount or a rate
	NoRate  bool     // there is an amount, but no exchange rate
	Words   []string // message keys of badges
	Series  int
	X, Y    int // in the chart; Y is -1 for a gap
}

// history returns the past prices of a card in the countries that the visitor chose.
func (p *pages) history(v *web.Visit, card *gameCard, rows []regionRow) (historyView, error) {
	chosen := chosenRows(v, rows)
	if len(chosen) == 0 {
		return historyView{}, nil
	}
	view := historyView{Several: len(chosen) > 1}
	at := chosenPeriod(v)
	view.Period = periods[at].value
	view.USD = view.Several || strings.EqualFold(v.Form("units"), "usd") && chosen[0].currency != money.USD
	since := periods[at].begin(time.UnixMilli(v.Now()).UTC()).Truncate(24 * time.Hour)
	codes := make([]string, len(chosen))
	for i, r := range chosen {
		codes[i] = r.Code
	}
	view.Query = url.Values{"ids": {card.id()}, "platform": {card.Platform}, "regions": {strings.Join(codes, ",")},
		"since": {since.Format(time.DateOnly)}}
	var answer historyAnswer
	err := p.Call(v, "history", view.Query, &answer)
	view.addLinks(v, card, rows, chosen, answer.watchedSince())
	if err != nil {
		if view.Problem = historyProblem(err); view.Problem == "" {
			return view, err
		}
		return view, nil
	}
	list := seriesOf(&answer, chosen, view.USD)
	if !view.Several {
		view.Lows = lowsOf(v, chosen[0].price.Lows, list[0].currency)
	}
	view.show(v, list, since.UnixMilli())
	return view, nil
}

// historyProblem returns the key of the sentence that stands instead of the history,
// which need not fail the whole page; "" if it is another error.
func historyProblem(err error) string {
	if refused, ok := errors.AsType[*explore.RefusedError](err); ok && refused.Code == "TOO_MANY_STEPS" {
		return "card.history.too-many"
	}
	if problem, ok := errors.AsType[*web.Problem](err); ok && problem.Status == http.StatusServiceUnavailable {
		return "card.history.unavailable"
	}
	return ""
}

// chosenRows returns the rows whose history to show: those that the visitor chose on this
// page, else that of their country, else the cheapest, which is the first of the rows.
func chosenRows(v *web.Visit, rows []regionRow) (chosen []*regionRow) {
	byCode := map[string]*regionRow{}
	for i := range rows {
		byCode[rows[i].Code] = &rows[i]
	}
	_ = v.Form("region") // parses the query
	for _, code := range v.R.Form["region"] {
		row := byCode[strings.ToUpper(strings.TrimSpace(code))]
		if row != nil && !slices.Contains(chosen, row) && len(chosen) < maxLines {
			chosen = append(chosen, row)
		}
	}
	if row := byCode[v.Locale.Country]; row != nil && len(chosen) == 0 {
		chosen = append(chosen, row)
	}
	if len(chosen) == 0 && len(rows) > 0 {
		chosen = append(chosen, &rows[0])
	}
	return chosen
}

func chosenPeriod(v *web.Visit) int {
	if i := slices.IndexFunc(periods[:], func(p period) bool { return p.value == v.Form("period") }); i >= 0 {
		return i
	}
	return defaultPeriod
}

// addLinks adds what the visitor can choose. since is when the first price was seen (Unix milliseconds, 0: not
// known): periods that begin earlier are left out, as they would show the same as all prices.
func (view *historyView) addLinks(v *web.Visit, card *gameCard, rows []regionRow, chosen []*regionRow, since int64) {
	var names, codes []string
	for _, r := range chosen {
		names, codes = append(names, r.Region), append(codes, r.Code)
	}
	view.Names = strings.Join(names, ", ")
	settings := url.Values{}
	if view.Period != periods[defaultPeriod].value {
		settings.Set("period", view.Period)
	}
	// Sixty full addresses, with the title of the game, would be a tenth of the page.
	_, query, more := strings.Cut(card.address(v, v.Locale, settings), "?")
	if more {
		query += "&"
	}
	for i := range rows {
		r := &rows[i]
		view.Countries = append(view.Countries, explore.Option{Value: r.Code, Name: r.Region, Chosen: slices.Contains(chosen, r)})
		r.Address = "?" + query + "region=" + r.Code
	}
	slices.SortFunc(view.Countries, func(a, b explore.Option) int { return v.CompareCountries(a.Value, b.Value) })
	address := func(period string, usd bool) string {
		query := url.Values{"region": codes, "period": {period}}
		if usd && !view.Several {
			query.Set("units", "usd")
		}
		return card.address(v, v.Locale, query)
	}
	now, shown := time.UnixMilli(v.Now()).UTC(), false
	for _, p := range periods {
		if all := p.value == allPrices; all || p.begin(now).UnixMilli() > since {
			isIt := p.value == view.Period || all && !shown
			view.Periods, shown = append(view.Periods, link{address(p.value, view.USD), v.T(p.key), isIt}), shown || isIt
		}
	}
	if len(view.Periods) == 1 {
		view.Periods = nil
	}
	if own := chosen[0].currency; !view.Several && own != money.USD && own != "" {
		view.Units = []link{{address(view.Period, false), string(own), !view.USD}, {address(view.Period, true), string(money.USD), view.USD}}
	}
}

// lowsView is what past prices say about the price in one region, in words.
type lowsView struct {
	Verdict string // about the present discount; "" without one
	Facts   []fact
}

func lowsOf(v *web.Visit, l *explore.Lows, c money.Currency) lowsView {
	if l == nil {
		return lowsView{}
	}
	amount := func(a int64) string { return v.Amount(c, money.Amount(a)) }
	view := lowsView{}
	if l.Real != nil {
		view.Verdict = verdictSentence(v, l.Real, amount)
	}
	longer := explore.Low{}
	for _, w := range l.Windows(v.Now()) {
		// What the longer window says is not said again.
		if w.Low != nil && *w.Low != longer {
			longer = *w.Low
			view.Facts = append(view.Facts, fact{w.Title(v), lowSentence(v, w.Low, amount)})
		}
	}
	if l.Free != nil {
		text := v.T("card.free.now")
		if l.Free.LastAt > 0 {
			text = v.T("card.free.last", v.Day(int64(l.Free.LastAt)))
		}
		view.Facts = append(view.Facts, fact{v.T("card.free.name"), text})
	}
	view.Facts = append(view.Facts, fact{v.T("card.watched"), v.Day(int64(l.WatchedSince))})
	return view
}

func lowSentence(v *web.Visit, l *explore.Low, amount func(int64) string) string {
	price, first := amount(l.Current), v.Day(int64(l.FirstAt))
	switch {
	case l.LastAt == 0 && l.Times == 1:
		return v.T("card.low.stands", price, first)
	case l.LastAt == 0:
		return v.N("card.low.stands-again", l.Times, price, first)
	case l.Times == 1:
		return v.T("card.low.once", price, v.Day(int64(l.LastAt)))
	}
	return v.N("card.low.times", l.Times, price, v.Day(int64(l.LastAt)), first)
}

func verdictSentence(v *web.Visit, d *explore.Discount, amount func(int64) string) string {
	switch {
	case d.Days < 30 && (d.Reference == nil || d.Verdict == "unknown"):
		return v.T("card.verdict.unknown", d.Days)
	case d.Reference == nil:
		return v.T("card.verdict.no-reference")
	case d.Verdict == "unknown":
		return v.T("card.verdict.unwatched")
	}
	reference := amount(*d.Reference)
	switch d.Verdict {
	case "real":
		return v.T("card.verdict.real", d.RealPercent, reference)
	case "smaller":
		return v.T("card.verdict.smaller", d.RealPercent, reference, d.ClaimedPercent)
	}
	return v.T("card.verdict.none", reference, d.ClaimedPercent)
}
