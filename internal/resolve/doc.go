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
// An item takes at most nine searches in each store: its title as written, without a year in
// brackets, words of shops (two), a year, words of editions and of remakes, and two with typing
// errors. They are in the search index of the snapshot; the package has no tables but words.
//
// It does not read JSON and knows no HTTP; package api does.
package resolve
