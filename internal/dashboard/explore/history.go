package explore

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/chart"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// shownChanges is how many price changes a page shows, the newest.
const shownChanges = 60

// changesView is the price history of a card in one region.
type changesView struct {
	Regions []option
	Region  string // name of the chosen one
	Chart   *chart.Steps
	Levels  [3]string   // of the chart
	Hours   bool        // the chart covers few days: show hours, too
	Rows    []changeRow // newest first
	Since   int64       // of the only price; 0: there are several
	Left    int         // older changes that are not shown
}

// changeRow is a price since a moment.
type changeRow struct {
	At     int64
	Price  string   // "": not for sale
	Before string   // the price without discount; "" without one
	Words  []string // message keys of badges
}

// history returns the price history of a card in one region: the one that the
// visitor chose, else the cheapest of the active ones.
func (p *Pages) history(v *web.Visit, live *index.View, card index.Card, prices []regionRow) (changesView, error) {
	var view changesView
	row, ok := chosenRegion(v, live, prices)
	if !ok {
		return view, nil
	}
	for _, r := range prices {
		view.Regions = append(view.Regions, option{r.Code, r.Region, r.Code == row.Code})
	}
	slices.SortFunc(view.Regions, func(a, b option) int { return strings.Compare(a.Name, b.Name) })
	view.Region = row.Region
	code, err := catalog.ParseRegion(row.Code)
	if err != nil {
		return view, nil
	}
	no, ok := live.RegionNo(code)
	if !ok {
		return view, nil
	}
	listing, found := card.Rows().InRegion(no)
	if !found {
		return view, nil
	}
	key := catalog.Key{Platform: card.Platform(), Region: live.Region(listing.Region).Code, Product: listing.Product()}
	steps, err := p.History.History(v.Context(), key)
	if err != nil {
		return view, web.StoreError(err)
	}
	view.addChanges(v, row.Code, history.Spans(steps, catalog.Millis(v.Now())))
	return view, nil
}

// chosenRegion returns the region whose history to show. The cheapest price is
// first.
func chosenRegion(v *web.Visit, live *index.View, prices []regionRow) (regionRow, bool) {
	if len(prices) == 0 {
		return regionRow{}, false
	}
	wanted := strings.ToUpper(v.Form("region"))
	if i := slices.IndexFunc(prices, func(r regionRow) bool { return r.Code == wanted }); i >= 0 {
		return prices[i], true
	}
	for _, r := range prices {
		if slices.ContainsFunc(live.Active(), func(a index.Region) bool { return a.Alpha2 == r.Code }) {
			return r, true
		}
	}
	return prices[0], true
}

// addChanges shows the periods of prices, oldest first, as a table and, if there are
// several, as a chart. It leaves out changes to the same price.
func (view *changesView) addChanges(v *web.Visit, alpha2 string, changes []history.Span) {
	changes = slices.CompactFunc(slices.Clone(changes), func(a, b history.Span) bool {
		return a.Currency == b.Currency && a.Base == b.Base && a.Current == b.Current && a.Trial == b.Trial &&
			a.Subscription == b.Subscription && sold(a) == sold(b)
	})
	view.Left = max(0, len(changes)-shownChanges)
	changes = changes[view.Left:]
	var format money.Formatter
	var currency money.Currency // the latest; the chart leaves out prices in others
	for _, c := range changes {
		view.Rows = append(view.Rows, changeRowOf(v, &format, alpha2, c))
		if c.State == history.Priced {
			currency = c.Currency
		}
	}
	switch len(changes) {
	case 0:
		return
	case 1:
		view.Since = int64(changes[0].At)
		return
	}
	steps := make([]chart.Step, len(changes))
	for i, c := range changes {
		at := c.At.Time().Format(time.DateOnly)
		steps[i] = chart.Step{At: int64(c.At), Amount: money.None, Title: cmp.Or(view.Rows[i].Price, v.T("card.not-sold")) + " · " + at}
		if c.State == history.Priced && c.Currency == currency {
			steps[i].Amount = c.Current
		}
	}
	drawn := chart.DrawSteps(steps, v.Now())
	view.Chart = &drawn
	view.Hours = drawn.Moments[2]-drawn.Moments[0] < (3 * 24 * time.Hour).Milliseconds()
	for i, level := range drawn.Levels {
		view.Levels[i] = format.Format(alpha2, currency, level)
	}
	slices.Reverse(view.Rows)
}

// sold reports whether the store sold the product, even if the price was only a text.
func sold(c history.Span) bool { return c.State == history.Priced || c.State == history.Text }

func changeRowOf(v *web.Visit, format *money.Formatter, alpha2 string, c history.Span) changeRow {
	row := changeRow{At: int64(c.At)}
	if !sold(c) {
		return row
	}
	row.Price = cmp.Or(format.Format(alpha2, c.Currency, c.Current), v.T("card.no-number"))
	if c.Current.Known() && c.Base > c.Current {
		row.Before = format.Format(alpha2, c.Currency, c.Base)
	}
	if c.Subscription {
		row.Words = append(row.Words, "card.subscription")
	}
	if c.Trial {
		row.Words = append(row.Words, "card.trial")
	}
	return row
}
