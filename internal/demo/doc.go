// Package demo is the sample catalog behind "serve --demo": some four hundred
// well-known games over both stores and eight regions, so that every endpoint
// has something true to its shape to answer with.
//
//	games.txt ─► New ─► Catalog ─► Listings ─► the database, as an import would
//	                           └─► Cover    ─► drawn placeholder pictures
//	                    Rates ─► the sample exchange rates
//
// Names, makers and dates are those of the games. Everything that a store would
// say is made up and says so: prices, product ids, descriptions, links to
// example domains, covers drawn by this package. For one moment and one base
// URL the catalog is always the same.
//
// The package refuses to be a source of prices, and makes no requests.
package demo
