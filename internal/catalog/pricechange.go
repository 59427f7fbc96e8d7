package catalog

import "gamedex/internal/money"

// PriceChange is the price of a listing from a moment on. Amounts are
// hundredths; Priced is false while the product was not for sale.
type PriceChange struct {
	At                          Millis
	Currency                    money.Currency
	Base, Current               money.Amount
	Priced, Trial, Subscription bool
}

// PriceSince returns the change to a price at a moment; nil means not for sale.
func PriceSince(at Millis, p *Price) PriceChange {
	if p == nil {
		return PriceChange{At: at, Base: money.None, Current: money.None}
	}
	return PriceChange{at, p.Currency, p.Base, p.Current, true, p.Trial, p.Subscription}
}

// ChangesToRecord returns the price changes to record when a listing's price goes
// from was to now. recorded reports whether any of its prices is recorded already.
//
// A listing holds its first price and the time of it, so the first price is
// recorded only when another time replaces that time: most listings never have a
// second price. If was and now begin at one moment, only now counts. A price that
// differs only in its texts is no change.
func ChangesToRecord(was, now PriceChange, recorded bool) []PriceChange {
	var changes []PriceChange
	if !recorded && was.At != now.At {
		changes = append(changes, was)
	}
	was.At = now.At
	if was != now {
		changes = append(changes, now)
	}
	return changes
}
