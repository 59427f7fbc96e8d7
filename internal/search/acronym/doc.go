// Package acronym returns the acronyms by which people search for a title.
//
//	"grand theft auto v" ─► gta, gtav, gta5
//	"resident evil 4"    ─► re, re4, reiv
//	"f1 25"              ─► 2025 for 25
//
// [Builder] writes the acronyms of many titles, and [Names] looks one up.
//
// Initials stand for three or more words at the beginning of a title. The
// acronyms of two letters, and those that initials do not give, are in table.txt,
// which people review; they may stand anywhere in a title.
//
// The package refuses to guess: it knows neither parts of words nor other
// spellings. Its input is folded text (package fold).
package acronym
