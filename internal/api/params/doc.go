// Package params reads what clients send: the parameters of query strings and of
// JSON bodies.
//
//	query string ─► Query ──┬─► Text, Integer, Boolean, Platform, Currency, Language
//	                        ├─► List ─► IDList, ParseRegions, ParseInclude, ParseTime, ParseCurrency, ParseLanguage
//	JSON body ────► Object ─┘
//
// Several endpoints take a list of games, by query or by body: [Games] reads it.
//
// What is wrong with a parameter is a [Fault]: its field, its value as it was
// sent, and the constraint that it violates. Readers are called in the order of
// the specification's tables, and the first fault counts.
//
// # What it refuses
//
// No defaults, bounds or names of parameters, except those of a list of games: handlers
// (package api) have those. No statuses and codes: package api makes INVALID_PARAMS of a fault.
// It never clamps or guesses a value.
package params
