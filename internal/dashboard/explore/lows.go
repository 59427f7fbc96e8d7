package explore

import (
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// The lows of a region price, as the API answers them. A pointer is nil for null.
type (
	lows struct {
		AllTime      *low   `json:"allTime"`
		Year         *low   `json:"year"`
		Days90       *low   `json:"days90"`
		Meets        string `json:"meets"` // "" for null
		WatchedSince moment `json:"watchedSince"`
		Free         *struct {
			LastAt moment `json:"lastAt"`
		} `json:"free"`
		Real *discount `json:"real"`
	}

	low struct {
		Current int64  `json:"current"`
		FirstAt moment `json:"firstAt"`
		LastAt  moment `json:"lastAt"`
		Times   int    `json:"times"`
	}

	discount struct {
		Reference      *int64 `json:"reference"`
		Days           int    `json:"days"`
		ClaimedPercent int    `json:"claimedPercent"`
		RealPercent    int    `json:"realPercent"`
		Verdict        string `json:"verdict"`
		Since          moment `json:"since"`
	}
)

// window is a period that a low is of.
type window struct {
	name  string // in the API
	days  int    // 0: all time
	badge string // key: the price is its low
	lead  string // key: the same as a sentence
	fact  string // key: the name of the low
	line  string // class of its line in the chart
	low   func(*lows) *low
}

// windows are the windows of lows, the longest first.
var windows = [...]window{
	{"allTime", 0, "price.low.all", "card.meets.all", "card.low.all", "low", func(l *lows) *low { return l.AllTime }},
	{"year", 365, "price.low.year", "card.meets.year", "card.low.year", "low low-year", func(l *lows) *low { return l.Year }},
	{"days90", 90, "price.low.days", "card.meets.days", "card.low.days", "low low-days", func(l *lows) *low { return l.Days90 }},
}

// verdictBadges are the words about discounts that are not what they seem.
var verdictBadges = map[string]badge{
	"none":    {"card.verdict.none.short", "warn"},
	"smaller": {"card.verdict.smaller.short", "warn"},
}

// verdictClasses are the classes of the sentences about discounts.
var verdictClasses = map[string]string{"real": "notice", "none": "notice warn", "smaller": "notice warn"}

// met returns the window whose low the present price is; nil if it is none, or if the price
// has been the same as long as it was seen in that window, which is no low to point at.
func (l *lows) met(now int64) *window {
	for i := range windows {
		w := &windows[i]
		low := w.low(l)
		if w.name != l.Meets || low == nil {
			continue
		}
		from := int64(l.WatchedSince)
		if w.days > 0 {
			from = max(from, now-int64(w.days)*millisPerDay)
		}
		if low.Times > 1 || int64(low.FirstAt) > from {
			return w
		}
	}
	return nil
}

// millisPerDay is the milliseconds of a day.
const millisPerDay = 24 * 60 * 60 * 1000

// badges returns the words about a present price that is a low.
func (l *lows) badges(now int64) []badge {
	if l != nil {
		if w := l.met(now); w != nil {
			return []badge{{w.badge, "good"}}
		}
	}
	return nil
}

// lowsView is what past prices say of the price in one region, in words.
type lowsView struct {
	Lead    string // about the present price; ""
	Verdict string // about its discount; "" without one
	Class   string // of the verdict; "" if it is not known
	Facts   []fact
}

// words returns what the lows say of a price in a currency.
func (l *lows) words(v *web.Visit, c money.Currency) lowsView {
	if l == nil {
		return lowsView{}
	}
	amount := func(a int64) string { return v.Amount(c, money.Amount(a)) }
	view := lowsView{Lead: l.lead(v, amount)}
	if l.Real != nil {
		view.Verdict, view.Class = l.Real.sentence(v, amount), verdictClasses[l.Real.Verdict]
	}
	longer := low{}
	for _, w := range windows {
		// What the longer window says is not said again.
		if low := w.low(l); low != nil && *low != longer {
			longer = *low
			view.Facts = append(view.Facts, fact{w.fact, low.sentence(v, amount)})
		}
	}
	if l.Free != nil {
		text := v.T("card.free.now")
		if l.Free.LastAt > 0 {
			text = v.T("card.free.last", v.Day(int64(l.Free.LastAt)))
		}
		view.Facts = append(view.Facts, fact{"card.free.name", text})
	}
	view.Facts = append(view.Facts, fact{"card.watched", v.Day(int64(l.WatchedSince))})
	return view
}

// lead returns whether the present price is a low, else when it was lower; "" if there is
// nothing to say.
func (l *lows) lead(v *web.Visit, amount func(int64) string) string {
	if w := l.met(v.Now()); w != nil {
		return v.T(w.lead, amount(w.low(l).Current))
	}
	if l.Meets == "" && l.Year != nil && l.Year.LastAt > 0 {
		return v.T("card.was-lower", amount(l.Year.Current), v.Day(int64(l.Year.LastAt)))
	}
	return ""
}

// sentence returns what the low was, and when.
func (l *low) sentence(v *web.Visit, amount func(int64) string) string {
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

// sentence returns whether the discount is a real one.
func (d *discount) sentence(v *web.Visit, amount func(int64) string) string {
	switch {
	case d.Days < 30 && (d.Reference == nil || d.Verdict == "unknown"):
		return v.T("card.verdict.unknown", d.Days)
	case d.Reference == nil:
		return v.T("card.verdict.no-reference")
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
