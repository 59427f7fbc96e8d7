// Package money holds amounts, currencies, exchange rates and the texts that
// show a price.
//
//	store or feed ─► Amount, Currency ─► catalog rows
//	rates table   ─► ParseRates ─► Rates ─┬► USD(currency) ─► Converter.Cents ─► AppendUSD
//	                                      └► Converter(from, to) ─► Converter.Convert ─► Amount
//	region, Currency, Amount ─► Formatter ─► "1 299,00 ₴"
//	a store's price text ─► ReadText, Currency.Agrees ─► does the number agree with the text?
//
// Every amount is an integer in hundredths of its currency, for any currency: 1,000 yen
// is 100000. Rates are exact decimals and keep their original text. A conversion
// multiplies and divides exactly and rounds once, half up, to hundredths (US cents). The
// package does not use floating-point numbers.
//
// The package refuses codes of no ISO 4217 currency in use at the time, rates tables
// without the dollar, numbers out of bounds, and negative amounts. It never guesses a rate: without
// a rate there is no converted price.
package money
