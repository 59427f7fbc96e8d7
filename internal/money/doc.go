// Package money holds amounts, currencies, exchange rates and the texts that
// show a price.
//
//	store or feed ─► Amount, Currency ─► catalog rows
//	rates table   ─► ParseRates ─► Rates ─► USD(currency) ─► Converter.Cents ─► AppendUSD
//	region, Currency, Amount ─► Formatter ─► "1 299,00 ₴"
//	a store's price text ─► ReadText, Agrees ─► is the number what the text says?
//
// Every amount is an integer in hundredths of its currency, whatever the
// currency: 1,000 yen is 100000. Rates are exact decimals, kept as they were
// written; a conversion multiplies and divides exactly and rounds once, half
// up, to US cents. No floating point number takes part in any of it.
//
// The package refuses: currency codes that are not ISO 4217, rates tables that
// cannot answer in dollars, numbers outside sane bounds, negative amounts. It
// never guesses a rate: where one is missing there is no dollar price.
package money
