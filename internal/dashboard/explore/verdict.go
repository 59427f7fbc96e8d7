package explore

import (
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// Kind says how good a price is, compared with past ones. It is also a class in the style sheet.
type Kind string

// The kinds of verdicts. A price without one (not for sale, a trial, for subscribers) has NoVerdict.
const (
	NoVerdict Kind = ""
	Good      Kind = "good"      // really reduced, and not lower in 12 months
	Ordinary  Kind = "ordinary"  // not lower in 12 months, but hardly reduced
	NotBest   Kind = "not-best"  // it was lower in the last 12 months
	NotKnown  Kind = "not-known" // too little is known about its past
	Doubtful  Kind = "doubtful"  // the price itself is
)

const (
	goodPercent = 10 // the least real discount of a good price
	watchedDays = 30 // before anything is said about a price that was not lower
)

// Verdict says whether a price is a good one, by past prices alone.
type Verdict struct {
	Kind Kind
	key  string // of the sentence; "" for none
	args []any  // int, price or day
	ends int64  // of the discount; 0: not known
}

// price is an amount in a sentence, day the UTC day of a time in Unix milliseconds.
type (
	price struct {
		currency money.Currency
		amount   int64
	}
	day int64
)

// Judge returns the verdict on a region price with its lows, at a time in Unix milliseconds.
func Judge(r *RegionPrice, now int64) Verdict {
	switch {
	case r == nil || r.Current == nil && r.CurrentText == "":
		return Verdict{}
	case r.Source == catalog.SourceDoubtful:
		return Verdict{Kind: Doubtful, key: "verdict.doubtful"}
	case r.IsTrial:
		return Verdict{key: "verdict.trial"}
	case r.IsSubPlus:
		return Verdict{key: "verdict.subscription"}
	case r.Current == nil:
		return Verdict{key: "verdict.no-amount"}
	}
	var d Verdict
	switch free := *r.Current == 0; {
	case free && (r.Base == nil || *r.Base == 0):
		return Verdict{}
	case free:
		d = Verdict{Kind: Good, key: "verdict.good.free", args: []any{price{money.Currency(r.Currency), *r.Base}}}
	case r.Lows == nil:
		d = Verdict{Kind: NotKnown, key: "verdict.no-past"}
	default:
		d = r.Lows.judge(price{money.Currency(r.Currency), *r.Current}, now)
	}
	if at := int64(r.DiscountEndAt); r.DiscountPercent > 0 && at > now {
		d.ends = at
	}
	return d
}

// judge returns the verdict on a price above zero that everybody can pay.
func (l *Lows) judge(p price, now int64) Verdict {
	if low := l.Year; low != nil && low.Current < p.amount && low.LastAt > 0 {
		key, args := "verdict.not-best", []any{price{p.currency, low.Current}, day(low.LastAt - 1)} // LastAt is when it was over
		switch d := l.Real; {
		case d == nil:
			key = "verdict.not-best.full"
		case d.Verdict != "unknown":
			key, args = notBest[d.Verdict], append(args, d.RealPercent, d.ClaimedPercent)
		}
		return Verdict{Kind: NotBest, key: key, args: args}
	}
	young := int64(l.WatchedSince) > now-now%MillisPerDay-watchedDays*MillisPerDay // as the API counts
	switch d := l.Real; {
	case d == nil && young, d != nil && d.Verdict == "unknown" && (young || d.Reference != nil && d.Days >= watchedDays):
		return l.tooYoung(now)
	case d == nil && l.AllTime != nil && l.AllTime.Current < p.amount:
		return Verdict{Kind: Ordinary, key: "verdict.ordinary.year"}
	case d == nil:
		return Verdict{Kind: Ordinary, key: "verdict.ordinary.since", args: []any{day(l.WatchedSince)}}
	case d.Verdict == "unknown" && d.Days >= watchedDays:
		return Verdict{Kind: NotKnown, key: "verdict.no-reference"}
	case d.Verdict == "unknown":
		return Verdict{Kind: NotKnown, key: "verdict.few-days", args: []any{d.Days}}
	case d.Verdict == "none":
		return Verdict{Kind: Ordinary, key: "verdict.ordinary.none", args: []any{d.ClaimedPercent}}
	case d.RealPercent < goodPercent:
		return Verdict{Kind: Ordinary, key: "verdict.ordinary.little", args: []any{d.RealPercent, d.ClaimedPercent}}
	}
	return l.good(now)
}

// tooYoung says for how many whole days the price has been watched.
func (l *Lows) tooYoung(now int64) Verdict {
	days := int((now - int64(l.WatchedSince)) / MillisPerDay)
	if days <= 0 {
		return Verdict{Kind: NotKnown, key: "verdict.watched.today"}
	}
	return Verdict{Kind: NotKnown, key: "verdict.watched.days", args: []any{days}}
}

// good returns the verdict on a price that is really reduced, and not lower in 12 months.
func (l *Lows) good(now int64) Verdict {
	d, keys := Verdict{Kind: Good, args: []any{l.Real.RealPercent}}, goodKeys[0]
	if l.Real.Verdict == "smaller" {
		d.args, keys = append(d.args, l.Real.ClaimedPercent), goodKeys[1]
	}
	switch {
	case l.Meets == "allTime" && now-int64(l.WatchedSince) >= 365*MillisPerDay:
		d.key = keys[1]
	case l.Meets == "allTime":
		d.key, d.args = keys[2], append(d.args, day(l.WatchedSince))
	case l.Meets == "year":
		d.key = keys[3]
	default:
		d.key = keys[0]
	}
	return d
}

var (
	notBest  = map[string]string{"real": "verdict.not-best.real", "smaller": "verdict.not-best.smaller", "none": "verdict.not-best.none"}
	goodKeys = [...][4]string{
		{"verdict.good.real", "verdict.good.real.all", "verdict.good.real.since", "verdict.good.real.year"},
		{"verdict.good.smaller", "verdict.good.smaller.all", "verdict.good.smaller.since", "verdict.good.smaller.year"},
	}
	words = map[Kind]string{
		Good: "verdict.word.good", Ordinary: "verdict.word.ordinary", NotBest: "verdict.word.not-best", NotKnown: "verdict.word.not-known", Doubtful: "verdict.word.doubtful",
	}
)

// Word returns the verdict in one or two words: "good price"; "" without a verdict.
func (d Verdict) Word(v *web.Visit) string {
	if d.Kind == NoVerdict {
		return ""
	}
	return v.T(words[d.Kind])
}

// Sentence returns the verdict in one or two sentences; "" if there is nothing to say.
func (d Verdict) Sentence(v *web.Visit) string {
	if d.key == "" {
		return ""
	}
	var text string
	if d.key == "verdict.watched.days" {
		text = v.N(d.key, d.args[0].(int))
	} else {
		args := make([]any, len(d.args))
		for i, a := range d.args {
			switch a := a.(type) {
			case price:
				args[i] = v.Amount(a.currency, money.Amount(a.amount))
			case day:
				args[i] = v.Day(int64(a))
			default:
				args[i] = a
			}
		}
		text = v.T(d.key, args...)
	}
	if d.ends > 0 {
		text += " " + v.T("verdict.ends", v.Day(d.ends))
	}
	return text
}
