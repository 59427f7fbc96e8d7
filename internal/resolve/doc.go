// Package resolve finds the cards that titles, as other shops write them, ids and links stand for.
//
//	Item ─► Resolver.Resolve ─┬─ id, link ─► index.WithID, Moved, WithLink ─┐
//	                          └─ title: as written, without shop words,     ├─► a Match per store
//	                             without edition words, with typos ─────────┘
//
// A match is resolved if only one card can be meant. The next reading of a title is tried only if
// nothing fits the one before. If cards are likely but not certain, the match is ambiguous and has
// them as candidates.
//
// An item takes at most nine searches in each store: its title as written, without a year in
// brackets, words of shops (two), a year, words of editions and of remakes; and two with typing
// errors, for all stores. Those of Cyrillic titles also compare sounds, which takes most of the
// time: a Resolver does so only [MaxBySound] times in vain. The searches are in the search index
// of the snapshot; the package has no tables but words.
//
// Package api reads the JSON of requests and writes answers.
package resolve
