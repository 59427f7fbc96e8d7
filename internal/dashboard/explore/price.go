package explore

import (
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
)

// Badge is a label of a price.
type Badge struct {
	Key   string
	Class string
}

// ShortPrice is the price of a tile: "$8.44", "₹749.00 in India", 70 % off.
type ShortPrice struct {
	Main   string // in the visitor's currency; in that of the country without a rate; "": not for sale
	Place  string // "₹749.00 in India"; "in India" if Main is in the currency of the country
	Before string // without discount, in the currency of the country; "": not to be shown
	Off    int    // percent; 0: no discount
	Badges []Badge
}

// ShortPriceOf returns the short form of a region price.
func ShortPriceOf(v *web.Visit, r *RegionPrice) ShortPrice {
	v.ValidUntil(int64(r.DiscountEndAt))
	local := r.CurrentText
	if r.Current != nil {
		local = v.Amount(money.Currency(r.Currency), money.Amount(*r.Current))
	}
	short := ShortPrice{Main: local, Place: InCountry(v, "", r.Alpha2), Off: r.DiscountPercent}
	zero := r.Current != nil && *r.Current == 0
	switch {
	case zero && (r.IsTrial || r.IsSubPlus):
		short.Main, short.Off = "", 0
	case zero:
		short.Main = v.T("price.free")
	case r.Converted != nil && r.Converted.Currency != r.Currency:
		short.Main = v.Amount(r.Converted.Amount())
		short.Place = InCountry(v, local, r.Alpha2)
	}
	switch {
	case r.IsTrial:
		short.Badges = append(short.Badges, Badge{"card.trial", "warn"})
	case r.IsSubPlus:
		short.Badges = append(short.Badges, Badge{"card.subscription", "accent"})
	}
	if r.Source == catalog.SourceDoubtful {
		short.Badges = append(short.Badges, Badge{"card.doubtful", "warn"})
	}
	if r.DiscountPercent > 0 {
		short.Badges = append(short.Badges, r.Lows.Badges(v.Now())...)
	}
	return short
}

// InCountry says in which country a price is: "₹749.00 in India", or without one "in India".
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

// Amount returns the amount in the decimals of its currency: the API converts to hundredths of
// a yen, too.
func (c *Converted) Amount() (money.Currency, money.Amount) {
	currency, a := money.Currency(c.Currency), money.Amount(c.Value)
	if currency.Digits() == 0 && a > 50 {
		a = (a + 50) / 100 * 100
	}
	return currency, a
}
