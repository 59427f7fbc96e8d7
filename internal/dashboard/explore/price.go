package explore

import (
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// Badge is a label of a price.
type Badge struct {
	Text  string
	Class string
}

// ShortPrice is the price of a tile: "$8.44", "₹749.00 in India", 70 % off.
type ShortPrice struct {
	Main    string // in the visitor's currency; in that of the country without a rate; "": not for sale
	Country string // "₹749.00 in India"; "in India" if Main is in the currency of the country
	Before  string // without discount, in the currency of the country; "": not to be shown
	Off     int    // percent; 0: no discount
	Badges  []Badge

	Verdict Badge // its text is "" where there is nothing to say
}

// ShortPriceOf returns the short form of a region price; the zero value for nil.
func ShortPriceOf(v *web.Visit, r *RegionPrice) ShortPrice {
	if r == nil {
		return ShortPrice{}
	}
	v.ValidUntil(int64(r.DiscountEndAt))
	local := r.CurrentText
	if r.Current != nil {
		local = v.Amount(money.Currency(r.Currency), money.Amount(*r.Current))
	}
	short := ShortPrice{Main: local, Country: InCountry(v, "", r.Alpha2), Off: r.DiscountPercent}
	zero := r.Current != nil && *r.Current == 0
	switch {
	case zero && (r.IsTrial || r.IsSubPlus):
		short.Main, short.Off = "", 0
	case zero:
		short.Main = v.T("price.free")
	case r.Converted != nil && r.Converted.Currency != r.Currency:
		short.Main = v.Amount(r.Converted.Amount())
		short.Country = InCountry(v, local, r.Alpha2)
	}
	switch {
	case r.IsTrial:
		short.Badges = append(short.Badges, Badge{v.T("card.trial"), "warn"})
	case r.IsSubPlus:
		short.Badges = append(short.Badges, Badge{v.T("card.subscription"), "accent"})
	}
	if r.Source == catalog.SourceDoubtful {
		short.Badges = append(short.Badges, Badge{v.T("card.doubtful"), "warn"})
	}
	if d := Judge(r, v.Now()); r.Lows != nil && (r.DiscountPercent > 0 || d.Kind == Good) && d.Kind != Doubtful {
		short.Verdict = Badge{d.Word(v), string(d.Kind)}
	}
	return short
}

// InCountry returns a price with its country, "₹749.00 in India", or, if price is "", "in India".
func InCountry(v *web.Visit, price, alpha2 string) string {
	where, in := "price.where", "price.in"
	if takesArticle(alpha2) {
		where, in = "price.where-the", "price.in-the"
	}
	if price == "" {
		return v.T(where, v.Country(alpha2))
	}
	return v.T(in, price, v.Country(alpha2))
}

// CountryInText returns the name of a country within a sentence: "the United States" in English.
func CountryInText(v *web.Visit, alpha2 string) string {
	if takesArticle(alpha2) {
		return v.T("country.the", v.Country(alpha2))
	}
	return v.Country(alpha2)
}

// Amount returns the amount in the decimals of its currency: the API converts to hundredths of
// a yen, too.
func (c *Converted) Amount() (money.Currency, money.Amount) {
	currency, a := money.Currency(c.Currency), money.Amount(c.Value)
	if currency.Digits() == 0 && a > 50 {
		a = (a + 50) / 100 * 100
	}
	return currency, a
}

// The lows of a region price, as the API answers them. A pointer is nil for null.
type (
	// Lows is what past prices say about a price in one region.
	Lows struct {
		AllTime      *Low      `json:"allTime"`
		Year         *Low      `json:"year"`
		Days90       *Low      `json:"days90"`
		Meets        string    `json:"meets"` // "" for null
		WatchedSince Timestamp `json:"watchedSince"`
		Free         *struct {
			LastAt Timestamp `json:"lastAt"`
		} `json:"free"`
		Real *Discount `json:"real"`
	}

	// Low is the lowest price of a window, in hundredths. LastAt is 0 while it is in force.
	Low struct {
		Current int64     `json:"current"`
		FirstAt Timestamp `json:"firstAt"`
		LastAt  Timestamp `json:"lastAt"`
		Times   int       `json:"times"`
	}

	// Discount is what past prices say about the present discount.
	Discount struct {
		Reference      *int64    `json:"reference"`
		Days           int       `json:"days"`
		ClaimedPercent int       `json:"claimedPercent"`
		RealPercent    int       `json:"realPercent"`
		Verdict        string    `json:"verdict"`
		Since          Timestamp `json:"since"`
	}
)

// Window is a period that a low covers.
type Window struct {
	Days  int    // 0: all time
	Fact  string // key: the name of the low; see Title
	Line  string // class of its line in the chart
	Low   *Low   // nil: there is none
	Since int64  // when the watching began, if the name has that day; else 0
}

// Windows returns the windows of lows, the longest first. Until the price was watched for a
// year, the longest is not called all time, but the time since a day.
func (l *Lows) Windows(now int64) [3]Window {
	longest := Window{0, "card.low.all", "low", l.AllTime, 0}
	if since := int64(l.WatchedSince); now-since < 365*MillisPerDay {
		longest = Window{0, "card.low.since", "low", l.AllTime, since}
	}
	return [...]Window{
		longest,
		{365, "card.low.year", "low low-year", l.Year, 0},
		{90, "card.low.days", "low low-days", l.Days90, 0},
	}
}

// Title returns the name of the low of the window.
func (w Window) Title(v *web.Visit) string {
	if w.Since != 0 {
		return v.T(w.Fact, v.Day(w.Since))
	}
	return v.T(w.Fact)
}

// MillisPerDay is the number of milliseconds in a day.
const MillisPerDay = 24 * 60 * 60 * 1000
