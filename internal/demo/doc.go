// Package demo is the sample catalog behind "serve --demo": some four hundred
// well-known games in both stores and eight regions, so that every endpoint has realistic
// data.
//
//	games.json ─► New ─► Catalog ─► Listings ─► the database, as an import would
//	                            └─► Cover    ─► drawn placeholder pictures
//	                            └─► Past     ─► two years of past prices
//	                            └─► Mover    ─► a few other prices, every minute
//	                      Covers ─► the present address of covers, after each start
//	          Rates, PastRates ─► the sample exchange rates, of now and of the past
//
// Names, makers and dates are those of the games. The data of stores are invented and
// marked as such: prices, product ids, descriptions, links to example domains, and covers
// that this package draws. For the same time and base URL the catalog is always the
// same.
//
// The package refuses to be a source of prices, and makes no requests.
package demo
