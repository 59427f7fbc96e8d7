package game

import (
	"gamedex/internal/dashboard/explore"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// verdictBadges are the words about discounts that are not what they seem.
var verdictBadges = map[string]explore.Badge{
	"none":    {Key: "card.verdict.none.short", Class: "warn"},
	"smaller": {Key: "card.verdict.smaller.short", Class: "warn"},
}

// verdictClasses are the classes of the sentences about discounts.
var verdictClasses = map[string]string{"real": "notice", "none": "notice warn", "smaller": "notice warn"}

// lowsView is what past prices say about the price in one region, in words.
type lowsView struct {
	Lead    string // about the present price; ""
	Verdict string // about its discount; "" without one
	Class   string // of the verdict; "" if it is not known
	Facts   []fact
}

// lowsOf returns what the lows say about a price in a currency.
func lowsOf(v *web.Visit, l *explore.Lows, c money.Currency) lowsView {
	if l == nil {
		return lowsView{}
	}
	amount := func(a int64) string { return v.Amount(c, money.Amount(a)) }
	view := lowsView{Lead: lead(v, l, amount)}
	if l.Real != nil {
		view.Verdict, view.Class = verdictSentence(v, l.Real, amount), verdictClasses[l.Real.Verdict]
	}
	longer := explore.Low{}
	for _, w := range explore.Windows {
		// What the longer window says is not said again.
		if low := w.Low(l); low != nil && *low != longer {
			longer = *low
			view.Facts = append(view.Facts, fact{w.Fact, lowSentence(v, low, amount)})
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
func lead(v *web.Visit, l *explore.Lows, amount func(int64) string) string {
	if w := l.Met(v.Now()); w != nil {
		return v.T(w.Lead, amount(w.Low(l).Current))
	}
	if l.Meets == "" && l.Year != nil && l.Year.LastAt > 0 {
		return v.T("card.was-lower", amount(l.Year.Current), v.Day(int64(l.Year.LastAt)))
	}
	return ""
}

// lowSentence returns what the low was, and when.
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

// verdictSentence returns whether the discount is a real one.
func verdictSentence(v *web.Visit, d *explore.Discount, amount func(int64) string) string {
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
