// Package rates asks for exchange rates, judges what came, and keeps the last
// good table.
//
//	Banks, OpenExchangeRates, Table ──Fetch──► money.Rates (base USD)
//	                                               │
//	last table, second opinions, memory ──► Judge ─┤ refused: the last table stays,
//	                                               │ the memory of it in the lease
//	Loop.Run (hourly), Loop.Refresh (now) ◄────────┴──► Store.SaveRates
//
// A provider's numbers are exact decimals to the end: they are divided as
// fractions and rounded once, to 12 significant digits. A table keeps the
// provider's own time, whenever it was asked.
//
// The package refuses numbers outside sane bounds, tables that lack an active
// currency, that are old, or that moved too far without confirmation. It
// never changes a table: it takes one whole or not at all. A table that was
// imported by hand is left alone until [Loop.Refresh]. Keys are in no error and
// no log line.
package rates
