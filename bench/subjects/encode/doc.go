// Package encode measures one answer of bulk prices in the process: 1000 random
// ids in four regions, from sets that differ, so that cards are not in the
// processor's caches.
//
// Ours is the whole stack of handlers: front, key, limits, the body's JSON, the
// lookups, the encoding in pieces. encoding/json gets the ids parsed and only
// looks up, builds structs and marshals them. The fragments are what ours wrote
// of each card, kept ready; copying them is all that is left of the work.
package encode
