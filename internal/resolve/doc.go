// Package resolve finds the cards that people mean by what they have: titles as other shops
// write them, ids and links.
//
//	Item ─► Resolver.Resolve ─┬─ id, link ─► index.WithID, Moved, WithLink ─┐
//	                          └─ title: as written, without shop words,     ├─► a Match per store
//	                             without edition words, with typos ─────────┘
//
// A match is resolved if one card is meant without a doubt; the next reading of a title is tried
// only if nothing fits the one before. Where one card is likely and not certain, the match is
// ambiguous and has candidates.
//
// Look-ups per item are bounded: at most [maxLookups] searches in each store, all in the search
// index of the snapshot. The package has no tables of its own but words (words.go).
//
// It does not read JSON and knows no HTTP; package api does.
package resolve
