package catalog

import "gamedex/internal/money"

// PriceChange is a price that a listing had from a moment on. Amounts are
// hundredths; Priced is false while it was not for sale.
type PriceChange struct {
	At                          Millis
	Currency                    money.Currency
	Base, Current               money.Amount
	Priced, Trial, Subscription bool
}
