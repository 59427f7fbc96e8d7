// Package sample makes the catalogs of the measurements, from a seed and of any
// size, with titles like those of two stores; and the queries for them.
//
//	New(seed, cards) ─► Sample ─┬─► Listings(regions) ─► feed, database, index
//	                            ├─► Series(regions) ─► history
//	                            └─► Titles ─► DrawQueries
//
// Nine of ten games are in the console store; every fourth of them has a Deluxe
// edition and a season pass. The others are in the PC store, with a slug. 15 % of
// the cards also have a Russian title. A title is an invented name with frequent
// words around it: some words occur in thousands of titles, most in a few. 100,000
// cards have about 23,000 distinct words.
//
// In the console store a product has a different id in each group of regions
// (Europe and its neighbours, the Americas, Japan, Asia); family and edition make
// one card of them. Listings were seen page by page and region by region.
//
// Prices follow a regional level. 10 % are discounted, 2 % are known as text
// alone, and 1 % each are free, announced without a price, for subscribers, and
// with a local text from the store. [Sample.DistinctPrices] makes the prices as
// hard to compress as they can be. With [Sample.Steps], [Sample.Series] has past prices:
// a sale in each month.
package sample
