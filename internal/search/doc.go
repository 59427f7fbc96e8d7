// Package search finds cards by their titles: every word must match, the last
// one as a prefix too, numerals in either script, and typos only where nothing
// else is found.
//
//	Doc ─► Builder ─► sections of a snapshot.File ─► Open ─► Index.Find ─► []Hit, total
//
// # Documents and order
//
// A document is a card. The caller numbers documents in the order in which
// equally good ones are to be shown, so the number is the tie-break: postings
// are written sorted, the first ones are the best, and the order is total. A
// document has names, each standing for one of the titles that may be shown.
// All words of a query must be found in one and the same name; languages do not
// mix. A document counts once, at its best name; between equally good names the
// smallest Shown wins, which is the document's own title.
//
// A name ranks by what it has as it is written in the query: it is the query,
// begins with it, has its words in order (others may stand between), has them
// in any order. Of names that begin with a query whose last word is a numeral,
// those with a longer one (XVI for XV) come after the others. Names that need
// the other script of a numeral (VII for 7, from 1 to 50) come after all those,
// ranked among themselves in the same way; the other script never matches as a
// prefix. Typos are one rank.
//
// # Words
//
// Both sides are folded (package fold). Beyond that:
//
//   - Punctuation inside a word does not matter: "S.T.A.L.K.E.R." is found as
//     "stalker", "Spider-Man" as "spiderman" and as "spider man", "40,000" as
//     "40000"; the reverse is tried when the query as written finds nothing.
//     Other numbers stay apart: 1.5 is not 15.
//   - "&" and "+" in a name are also "and" and "plus".
//   - If still nothing is found, one gap more or less is tried: "star craft"
//     finds "StarCraft", "outriders2" finds "Outriders 2". A part of a word
//     has two characters or is a number, and numbers are neither joined nor
//     parted.
//   - Chinese, Japanese and Korean are written without spaces, so a word may
//     also be found inside a run of them, from any of its characters on.
//   - An edit is one character missing, added, wrong, or two neighbours swapped
//     and then left alone. A word of 4 characters takes one, of 8 two; numbers
//     take none, and no edit touches a digit. If whole words with typos find
//     nothing, a last word of 6 characters or more is taken as the mistyped
//     beginning of a longer one, its last character being right.
//
// # In memory
//
// Everything is flat sections of numbers: sorted terms, the names of each term,
// the terms of each name, and a table from shortened words to terms. A query
// walks the names of its rarest word and checks the terms of each, so what
// matches and how well is decided in one place (match.go). The table finds
// typos because two words within two edits have the same rest after at most
// two characters are taken from each.
//
// # What costs most
//
// A walk takes some 20 ns a name. Three things keep walks short:
//
//   - A word with more than 512 postings, as all beginnings of two characters
//     in a large catalog, has its answer in the file: the 20 best hits and the
//     total, for each group (kept.go). A page beyond those is walked. Kept
//     answers cost 0.6 bytes a title at 100,000 and 2 at 400,000, at most 188
//     a group for every 512 characters of postings' terms.
//   - Of several frequent words, the names are intersected as bits (nameset.go)
//     before any is looked into. Words of 40,000 and 60,000 names take about
//     half a millisecond together.
//   - What cannot be on the page is counted, but not ranked.
//
// A query that finds nothing has tried other gaps, with at most three lookups a
// character and eight searches (gaps.go), and then costs what its removals
// cost: 29 lookups a word, twice for the last one.
//
// # What it refuses
//
// [Open] refuses sections that lead outside of one another or are not sorted.
// The package knows no translation, transliteration, keyboard layouts or word
// forms, and no popularity: the numbering says it all.
package search
