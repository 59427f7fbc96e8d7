package game

import (
	"cmp"
	"math"
	"slices"

	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// The answer of the API with past prices.
type (
	historyAnswer struct {
		Data struct {
			Items []struct {
				Regions map[string]historyRegion `json:"regions"`
			} `json:"items"`
		} `json:"data"`
	}

	historyRegion struct {
		Alpha2       string            `json:"alpha2"`
		WatchedSince explore.Timestamp `json:"watchedSince"`
		Steps        []pastStep        `json:"steps"`
	}

	pastStep struct {
		At        explore.Timestamp `json:"at"`
		State     string            `json:"state"`
		Currency  string            `json:"currency"`
		Base      *int64            `json:"base"`
		Current   *int64            `json:"current"`
		Off       int               `json:"discountPercent"`
		USD       *float64          `json:"usd"`
		IsTrial   bool              `json:"isTrial"`
		IsSubPlus bool              `json:"isSubPlus"`
		Doubtful  bool              `json:"doubtful"`
		Inferred  bool              `json:"inferred"`
	}
)

// watchedSince returns when the first price was seen; 0 if there is none.
func (a *historyAnswer) watchedSince() (first int64) {
	for _, item := range a.Data.Items {
		for _, r := range item.Regions {
			if at := int64(r.WatchedSince); at > 0 && (first == 0 || at < first) {
				first = at
			}
		}
	}
	return first
}

func (s *pastStep) priced() bool { return s.State == "priced" && s.Current != nil }

// forAll reports whether everybody could buy at the price.
func (s *pastStep) forAll() bool { return s.priced() && !s.IsTrial && !s.IsSubPlus && !s.Doubtful }

// looksLike reports whether both steps show the same to a reader.
func (s *pastStep) looksLike(o *pastStep) bool {
	same := func(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }
	return s.sold() == o.sold() && s.Currency == o.Currency && same(s.Base, o.Base) && same(s.Current, o.Current) &&
		s.IsTrial == o.IsTrial && s.IsSubPlus == o.IsSubPlus && s.Doubtful == o.Doubtful
}

// sold reports whether the store asked a price, if only as a text.
func (s *pastStep) sold() bool { return s.State == "priced" || s.State == "text" }

type series struct {
	row      *regionRow
	currency money.Currency // of the last price; "" without one
	usd      bool           // amounts are in US cents
	steps    []pastStep
}

// amount returns the amount of a step as the chart shows it; money.None if it has none, or
// is that of a trial, which is not a price of the game. In the own currency, prices in a
// former one are left out.
func (s *series) amount(step *pastStep) money.Amount {
	switch {
	case !step.priced(), step.IsTrial:
	case s.usd:
		if step.USD != nil {
			return money.Amount(math.Round(*step.USD * 100))
		}
	case step.Currency == string(s.currency):
		return money.Amount(*step.Current)
	}
	return money.None
}

// seriesOf returns the histories of the chosen countries, in their order. Steps that look
// alike are one.
func seriesOf(a *historyAnswer, chosen []*regionRow, usd bool) (list []series) {
	for _, row := range chosen {
		s := series{row: row, usd: usd}
		for _, item := range a.Data.Items {
			for _, r := range item.Regions {
				if r.Alpha2 == row.Code {
					s.steps = slices.CompactFunc(r.Steps, func(a, b pastStep) bool { return a.looksLike(&b) })
				}
			}
		}
		for i := range s.steps {
			if s.steps[i].priced() {
				s.currency = money.Currency(s.steps[i].Currency)
			}
		}
		list = append(list, s)
	}
	return list
}

// show fills in the table and the chart of the period that begins at since.
func (view *historyView) show(v *web.Visit, list []series, since int64) {
	all, first, priced := 0, v.Now(), false
	for i := range list {
		all += len(list[i].steps)
		for j := range list[i].steps {
			step := &list[i].steps[j]
			first = min(first, int64(step.At))
			priced = priced || list[i].amount(step) != money.None
		}
	}
	if all == 0 {
		view.Problem = "card.no-changes"
		return
	}
	since = max(since, first)
	var plot *plotView
	if priced && all > len(list) {
		plot = newPlot(v, list, since)
	}
	for i := range list {
		s := &list[i]
		steps := s.thin(listedSteps / len(list))
		for j := range steps {
			row := s.listed(v, &steps[j], view.Several)
			row.Series = i
			if plot != nil {
				row.X, row.Y = plot.place(int64(steps[j].At), s.amount(&steps[j]))
			}
			view.Rows = append(view.Rows, row)
		}
	}
	slices.SortStableFunc(view.Rows, func(a, b historyRow) int { return cmp.Compare(b.At, a.At) })
	view.Left = all - len(view.Rows)
	if view.Chart = plot; plot == nil && len(view.Rows) == 1 {
		view.Unchanged = &view.Rows[0]
	}
}

func (s *series) listed(v *web.Visit, step *pastStep, several bool) historyRow {
	row := historyRow{At: int64(step.At)}
	if several {
		row.Country = s.row.Region
	}
	switch {
	case !step.sold():
		return row
	case step.IsTrial:
		row.Price = v.T("card.trial")
		return row
	case !step.priced():
		row.Price = v.T("card.no-number")
	default:
		row.addAmounts(v, step)
	}
	for _, word := range []struct {
		is  bool
		key string
	}{{step.IsSubPlus, "card.subscription"}, {step.Doubtful, "card.doubtful"}, {step.Inferred, "card.inferred"}} {
		if word.is {
			row.Words = append(row.Words, word.key)
		}
	}
	return row
}

func (row *historyRow) addAmounts(v *web.Visit, step *pastStep) {
	currency := money.Currency(step.Currency)
	if row.Price = v.Amount(currency, money.Amount(*step.Current)); *step.Current == 0 && !step.IsSubPlus {
		row.Price = v.T("card.free")
	}
	if step.Off > 0 && step.Base != nil {
		row.Off, row.Before = step.Off, v.Amount(currency, money.Amount(*step.Base))
	}
	if row.NoRate = step.USD == nil; !row.NoRate {
		row.USD = v.Amount(money.USD, money.Amount(math.Round(*step.USD*100)))
	}
}
