// Package sample makes the catalog on which everything is measured: seeded, of
// any size, with titles as two stores have them.
//
//	New(seed, cards) ─► Sample ─► Listings(regions) ─► feed, database, index
//
// Nine of ten games are on the console store; every fourth of them has a
// Deluxe edition and a season pass. The others are on the PC store, under a
// slug. 15 % of the cards have a Russian title too. A title is an invented name
// with frequent words around it, so that some words stand in thousands of
// titles and most in a few: about 23,000 distinct words in 100,000 cards.
//
// On the console store a product has another id in each group of regions (Europe
// and its neighbours, the Americas, Japan, Asia); family and edition make one
// card of them. Listings were seen page by page and region by region.
//
// Prices follow a regional level. A tenth is discounted; two in a hundred are
// known as text alone, one is free, one is announced without a price, one is
// for subscribers, and one has a local text from the store.
package sample
