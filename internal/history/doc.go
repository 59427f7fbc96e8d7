// Package history says what the past prices of a listing mean: how low they were, and
// whether a discount is a real one. It has only values and pure functions: no I/O and no
// clock.
//
//	Price ─► StepOf ─► Record
//	  ┌──────────────────┘
//	[]Step ─► AppendSpans ─► runs of one amount ─► PastOf: lows, reference
//	  ▲                                                │ with the last step, at any later time
//	  │                                                └─► Summary: lows, verdict
//	  └─► encoded rows, at most MaxRow steps each
//	days, DayRates ─► RatesChooser ─► the table for the dollars of each day
//
// Times are Unix milliseconds, amounts are hundredths, and a period includes its first
// time but not its last.
//
// A price counts if it is a number above zero for everybody (no trial, no subscription), not
// doubtful, in the currency of the last price, and if its amount stood for an hour without a
// break; the present amount counts at once. A price of zero is a
// giveaway and is not counted.
//
// A past price is converted with the table of its UTC day, or else the newest table of the
// 7 days before; without one it has no dollars. Later tables do not change it.
//
// The reference of a discount is the lowest price that counts of the 30 days before the price
// was reduced, including the price at the start of that period. A deeper discount, or a gap of less
// than an hour, does not begin the reduction anew. It follows the price indication rule of
// the European Union, but it is an indication from what was seen, not a legal statement.
package history
