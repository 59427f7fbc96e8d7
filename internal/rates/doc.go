// Package rates fetches exchange rates, judges them, and stores the last accepted
// table.
//
//	Banks, OpenExchangeRates, Table ──Fetch──► money.Rates (base USD)
//	                                               │
//	last table, second opinions, memory ──► Judge ─┤ refused: the last table stays;
//	                                               │ the lease stores the memory
//	Loop.Run (hourly), Loop.Refresh (now) ◄────────┴──► Repository.SaveRates
//
// The package calculates with a provider's numbers as exact fractions and rounds once,
// to 12 significant digits. A table has the provider's time, not that of the request.
//
// The package skips entries that are no rates, and names them. It refuses tables that
// lack an active currency, that are old, or in which a rate changed too much without
// confirmation. It accepts all rates of a table or nothing. It replaces a table that was
// imported by hand only in [Loop.Refresh]. Errors and log lines never contain keys.
package rates
