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
	Good      Kind = "good"      // really reduced, and not lower in 12 months but for give-aways
	Ordinary  Kind = "ordinary"  // not lower in 12 months, but hardly reduced
	NotBest   Kind = "not-best"  // it was lower in the last 12 months
	NotKnown  Kind = "not-known" // too little is known about its past
	Doubtful  Kind = "doubtful"  // the price itself is
)

const (
	goodPercent = 10 // the least real discount of a good price
	watchedDays = 30 // before anything is said about a price that was not lower
	leastSaving = 5  // how much cheaper, in percent, another country must be for the verdict to name it
)

// Verdict is an opinion on a price: how it compares with past prices of the same country, and whether another
// country is cheaper now.
type Verdict struct {
	Kind Kind
	statement
	past      statement // when the price was lower
	elsewhere statement // how much less it is in the cheapest country
	ends      int64     // of the discount; 0: not known
}

// statement is a sentence. Its key is "" if there is none; its arguments are of type int, price, day or country.
type statement struct {
	key  string
	args []any
}

// price is an amount in a sentence, day the UTC day of a time in Unix milliseconds, and country the alpha-2 code of
// a country.
type (
	price struct {
		currency money.Currency
		amount   int64
	}
	day     int64
	country string
)

// Judge returns the verdict on a region price with its lows, at a time in Unix milliseconds.
func Judge(r *RegionPrice, now int64) Verdict {
	switch {
	case r == nil || r.Current == nil && r.CurrentText == "":
		return Verdict{}
	case r.Source == catalog.SourceDoubtful:
		return verdictOf(Doubtful, "verdict.doubtful")
	case r.IsTrial:
		return verdictOf(NoVerdict, "verdict.trial")
	case r.IsSubPlus:
		return verdictOf(NoVerdict, "verdict.subscription")
	case r.Current == nil:
		return verdictOf(NoVerdict, "verdict.no-amount")
	}
	var d Verdict
	switch free := *r.Current == 0; {
	case free && (r.Base == nil || *r.Base == 0):
		return Verdict{}
	case free:
		d = verdictOf(Good, "verdict.good.free", price{money.Currency(r.Currency), *r.Base})
	case r.Lows == nil:
		d = verdictOf(NotKnown, "verdict.no-past")
	default:
		d = r.Lows.judge(price{money.Currency(r.Currency), *r.Current}, now)
	}
	if at := int64(r.DiscountEndAt); r.DiscountPercent > 0 && at > now {
		d.ends = at
	}
	d.elsewhere = r.elsewhere()
	return d
}

// elsewhere says how much less the game costs in the cheapest country, in the visitor's currency, if that is much and
// the same edition is sold there.
func (r *RegionPrice) elsewhere() statement {
	best := r.Cheapest
	if best == nil || best.Edition != r.Edition || best.Converted == nil || r.Converted == nil || best.IsTrial || best.IsSubPlus || best.Source == catalog.SourceDoubtful {
		return statement{}
	}
	currency, here := r.Converted.Amount()
	_, there := best.Converted.Amount()
	if there >= here || money.DiscountPercent(here, there) < leastSaving {
		return statement{}
	}
	return statement{"verdict.elsewhere", []any{price{currency, int64(here - there)}, country(best.Alpha2)}}
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
		return verdictOf(NotBest, key, args...)
	}
	young := int64(l.WatchedSince) > now-now%MillisPerDay-watchedDays*MillisPerDay // as the API counts
	switch d := l.Real; {
	case d == nil && young, d != nil && d.Verdict == "unknown" && (young || d.Reference != nil && d.Days >= watchedDays):
		return l.tooYoung(now)
	case d == nil:
		return l.ordinary(now, "verdict.ordinary.full")
	case d.Verdict == "unknown" && d.Days >= watchedDays:
		return verdictOf(NotKnown, "verdict.no-reference")
	case d.Verdict == "unknown":
		return verdictOf(NotKnown, "verdict.few-days", d.Days)
	case d.Verdict == "none":
		return l.ordinary(now, "verdict.ordinary.none", d.ClaimedPercent)
	}
	return l.reduced(now)
}

func (l *Lows) tooYoung(now int64) Verdict {
	days := int((now - int64(l.WatchedSince)) / MillisPerDay)
	if days <= 0 {
		return verdictOf(NotKnown, "verdict.watched.today")
	}
	return verdictOf(NotKnown, "verdict.watched.days", days)
}

// claim is what can be said about the time when a price was lower.
type claim int

const (
	noClaim    claim = iota
	neverLower       // in a year or more
	notSince         // the watching began, less than a year ago
	notInYear        // in 12 months
	gaveAway         // only zero was lower in 12 months, or since the watching began
)

// claim returns what can be said about a price that was not lower in 12 months, and the day in
// neverLower, notSince and gaveAway.
func (l *Lows) claim(now int64) (claim, day) {
	year := now - now%MillisPerDay - 364*MillisPerDay  // when the window began
	long := int64(l.WatchedSince) <= year-MillisPerDay // as the API counts
	free := int64(0)                                   // when the last give-away was over
	if l.Free != nil {
		free = int64(l.Free.LastAt)
	}
	switch {
	case free > 0 && free > year:
		return gaveAway, day(free - 1)
	case l.Meets == "allTime" && free == 0 && long:
		return neverLower, day(l.WatchedSince)
	case l.Meets == "allTime" && free == 0:
		return notSince, day(l.WatchedSince)
	case long && (l.Meets == "allTime" || l.Meets == "year"):
		return notInYear, 0
	}
	return noClaim, 0
}

// reduced returns the verdict on a price below the lowest of the 30 days before, and not lower in
// 12 months. It is a good one if it is much below, or if it never was lower in a year or more:
// there was a discount nearly as large in those 30 days.
func (l *Lows) reduced(now int64) Verdict {
	said, at := l.claim(now)
	real, claimed := l.Real.RealPercent, l.Real.ClaimedPercent
	var d Verdict
	switch {
	case real < goodPercent && claimed >= goodPercent && (said == neverLower || said == notInYear):
		return verdictOf(Good, littleKeys[said], real, claimed)
	case real < goodPercent:
		return l.ordinary(now, "verdict.ordinary.little", real, claimed)
	case l.Real.Verdict == "smaller":
		d = verdictOf(Good, smallerKeys[said], real, claimed)
	default:
		d = verdictOf(Good, realKeys[said], real)
	}
	switch said {
	case notSince:
		d.args = append(d.args, at)
	case gaveAway:
		d.past = statement{pastKeys[said], []any{at}}
	}
	return d
}

// ordinary returns the verdict on a price that is hardly reduced, and not lower in 12 months.
func (l *Lows) ordinary(now int64, key string, args ...any) Verdict {
	d := verdictOf(Ordinary, key, args...)
	said, at := l.claim(now)
	if d.past.key = pastKeys[said]; at != 0 {
		d.past.args = []any{at}
	}
	return d
}

func verdictOf(kind Kind, key string, args ...any) Verdict {
	return Verdict{Kind: kind, statement: statement{key, args}}
}

var (
	notBest     = map[string]string{"real": "verdict.not-best.real", "smaller": "verdict.not-best.smaller", "none": "verdict.not-best.none"}
	realKeys    = [...]string{"verdict.good.real", "verdict.good.real.all", "verdict.good.real.since", "verdict.good.real.year", "verdict.good.real"}
	smallerKeys = [...]string{"verdict.good.smaller", "verdict.good.smaller.all", "verdict.good.smaller.since", "verdict.good.smaller.year", "verdict.good.smaller"}
	littleKeys  = [...]string{neverLower: "verdict.good.little.all", notInYear: "verdict.good.little.year"}
	pastKeys    = [...]string{"", "verdict.past.since", "verdict.past.since", "verdict.past.year", "verdict.past.free"}
)

// Word returns the verdict in one or two words: "good price"; "" without a verdict.
func (d Verdict) Word(v *web.Visit) string {
	if d.Kind == NoVerdict {
		return ""
	}
	return v.T("verdict.word." + string(d.Kind))
}

// Sentence returns the verdict in one to four sentences, with the end of the discount; "" if there
// is nothing to say.
func (d Verdict) Sentence(v *web.Visit) string {
	if d.key == "" || d.ends == 0 {
		return d.Reason(v)
	}
	return d.Reason(v) + " " + v.T("verdict.ends", v.Day(d.ends))
}

// Reason returns the sentences without the end of the discount, for where it is shown already.
func (d Verdict) Reason(v *web.Visit) string {
	text := d.text(v)
	for _, more := range [...]statement{d.past, d.elsewhere} {
		if more.key != "" {
			text += " " + more.text(v)
		}
	}
	return text
}

func (s statement) text(v *web.Visit) string {
	switch s.key {
	case "":
		return ""
	case "verdict.watched.days":
		return v.N(s.key, s.args[0].(int))
	}
	args := make([]any, len(s.args))
	for i, a := range s.args {
		switch a := a.(type) {
		case price:
			args[i] = v.Amount(a.currency, money.Amount(a.amount))
		case day:
			args[i] = v.Day(int64(a))
		case country:
			args[i] = InCountry(v, "", string(a))
		default:
			args[i] = a
		}
	}
	return v.T(s.key, args...)
}
