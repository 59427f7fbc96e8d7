package explore

import (
	"cmp"
	"math"
	"net/url"
	"slices"

	xlanguage "golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// regionRow is the price of a card in one region.
type regionRow struct {
	Code   string // alpha-2
	Region string // name of the country
	Store  string // address in the store of that country; ""
	Text   string // in the currency of the region; "": not for sale
	Before string // without discount; "" without one
	Off    int    // percent
	EndsAt int64  // of the discount; 0: not known
	USD    string // "" without a number or a rate, and for a trial
	Width  int    // of the bar, in percent of the highest price; 0 only if it is free
	Badges []badge
	Best   bool
	Priced int64  // when the price began
	When   string // the same moment, exactly

	cents int64 // -1 without USD
}

// badge is a label of a price.
type badge struct {
	Key   string
	Class string
}

// pricesView is the table of regions.
type pricesView struct {
	Rows    []regionRow
	Saving  string // "" where there is nothing to compare
	Partly  string // says that not all regions were compared; "" if all were
	RatesAt int64  // 0: without rates
	Links   bool   // whether a row leads to its store
}

// regionPrices returns the table, sorted by US dollars. Prices without dollars
// come last, by name; so do trials, which are not a price of the game.
func regionPrices(v *web.Visit, a *pricesAnswer) pricesView {
	var view pricesView
	if a.Meta.ExchangeRates != nil {
		view.RatesAt = int64(a.Meta.ExchangeRates.UpdatedAt)
	}
	if len(a.Data.Items) == 0 {
		return view
	}
	item := a.Data.Items[0]
	names := display.Regions(v.LanguageTag())
	var format money.Formatter
	var highest int64
	for key, p := range item.Regions {
		row := p.row(&format)
		if region, err := xlanguage.ParseRegion(p.Alpha2); err == nil {
			row.Region = cmp.Or(names.Name(region), p.Alpha2)
		}
		highest = max(highest, row.cents)
		row.Best = item.Cheapest != nil && item.Cheapest.Region == key
		view.Links = view.Links || row.Store != ""
		view.Rows = append(view.Rows, row)
	}
	slices.SortFunc(view.Rows, func(a, b regionRow) int {
		return cmp.Or(cmp.Compare(uint64(a.cents), uint64(b.cents)), cmp.Compare(a.Region, b.Region))
	})
	for i := range view.Rows {
		if r := &view.Rows[i]; r.cents > 0 {
			r.Width = max(1, int(math.Round(100*float64(r.cents)/float64(highest))))
		}
	}
	view.Saving = saving(v, view.Rows, &format)
	if c := item.Cheapest; c != nil && c.ComparedRegions < c.RegionsCount {
		view.Partly = v.T("card.compared", c.ComparedRegions, c.RegionsCount)
	}
	return view
}

func (p *regionPrice) row(format *money.Formatter) regionRow {
	row := regionRow{Code: p.Alpha2, Region: p.Alpha2, Store: webAddress(p.StoreURL), Text: p.CurrentText,
		Priced: int64(p.PricedAt), cents: -1}
	if p.PricedAt > 0 {
		row.When = catalog.Millis(p.PricedAt).Time().Format("2006-01-02 15:04 UTC")
	}
	if p.DiscountPercent > 0 {
		row.Off, row.Before, row.EndsAt = p.DiscountPercent, p.BaseText, int64(p.DiscountEndAt)
	}
	if p.USD != nil && !p.IsTrial {
		row.cents = int64(math.Round(*p.USD * 100))
		row.USD = format.Format("US", money.USD, money.Amount(row.cents))
	}
	switch {
	case p.IsTrial:
		row.Badges = append(row.Badges, badge{"card.trial", "warn"})
	case p.IsSubPlus:
		row.Badges = append(row.Badges, badge{"card.subscription", "accent"})
	case p.IsFree:
		row.Badges = append(row.Badges, badge{"card.free", "good"})
	}
	if p.Source == catalog.SourceDoubtful {
		row.Badges = append(row.Badges, badge{"card.doubtful", "warn"})
	}
	return row
}

// saving returns a sentence about the cheapest and the most expensive region.
func saving(v *web.Visit, rows []regionRow, format *money.Formatter) string {
	var best, highest *regionRow
	for i := range rows {
		r := &rows[i]
		if r.Best {
			best = r
		}
		if r.USD != "" {
			highest = r
		}
	}
	if best == nil || highest == nil || best.cents >= highest.cents {
		return ""
	}
	less := money.Amount(highest.cents - best.cents)
	percent := money.DiscountPercent(money.Amount(highest.cents), money.Amount(best.cents))
	return v.T("card.saving", best.Region, best.USD, format.Format("US", money.USD, less), percent, highest.Region, highest.USD)
}

func webAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" {
		return ""
	}
	return address
}
