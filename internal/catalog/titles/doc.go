// Package titles knows the words that stores add to the names of their products:
// platforms, languages and editions. It drops them where names are compared, and
// moves the edition to the end of the titles that cards show.
//
//	"Star Forge Standard Edition PS4 & PS5" ─ FoldGame ──► "star forge"
//	"Star Forge™: Gold Edition (PS5)" ─────── Remainder ─► "Gold Edition"
//	"Star Forge Gold Edition (PS5)" ───────── WithEdition ─► "Star Forge (PS5) - Gold Edition"
//
// The package reads texts only. It refuses to decide which listings are one card:
// that is merge's task.
package titles
