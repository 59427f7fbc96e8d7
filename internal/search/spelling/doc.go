// Package spelling has the ways in which the words of titles and queries are written:
// with or without punctuation inside, with Roman or Arabic numerals, and in scripts
// without spaces.
//
//	"Spider-Man" ─► Joined ─► "spiderman"     "vii" ─► AlternateNumeral ─► "7"
//	"大冒険7" ─► Pieces ─► "冒険7", "険7", "7"
//
// Words are folded (package fold). It has no index and looks nothing up.
package spelling
