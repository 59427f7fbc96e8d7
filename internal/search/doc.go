// Package search finds cards by their titles. Every word of a query must match, the last one also
// as a prefix, and numerals as Roman or Arabic ones. Typos count only if nothing else is found.
//
//	Doc ─► Builder ─► sections of a snapshot.File ─► Open ─► Index.Find ─► []Hit, total
//
// # Documents and order
//
// A document is a card. The caller numbers documents in the order in which equally good ones are
// shown. A document has names, one for each title that may be shown. All words of a query must be
// in the same name, so languages do not mix. A document counts once, with its best name; of
// equally good names the one with the smallest Shown wins, which is the document's own title.
//
// The ranks of a name, best first:
//
//  1. It is the query as typed, but for case; then the query folded; then that except for an
//     article before it, or the expansion of an acronym behind it ("FTL: Faster Than Light").
//  2. It begins with an acronym that people know and that is the whole query.
//  3. It starts with the query; then with what acronyms in the query stand for. An article before
//     either is ignored.
//  4. It has the words in order, perhaps with others between them; then in any order.
//
// Of equal names, a whole last word comes before a longer one (XVI for XV). Names that need an
// alternate numeral (VII for 7, from 1 to 50; never as a prefix) come after all of these, in the
// same order. Matches with typos are ranked by their edits, those by sound by the vowels that
// differ, and then: the name is the query, starts with it, is or starts with longer words, has
// its words elsewhere, has longer ones there (of the first 256 names only). An unusual sound and
// an acronym that people may not know count as a longer word.
//
// Names that are not titles of the document ([NotOwn]) come after all others: the title shown for
// them may have none of the words.
//
// # Words
//
// Both sides are folded (package fold). Beyond that (package spelling has the rules for single
// words):
//
//   - Punctuation inside a word does not matter: "stalker" finds "S.T.A.L.K.E.R.", "spiderman"
//     and "spider man" find "Spider-Man", "40000" finds "40,000". The reverse is tried if the
//     query as written finds nothing. Other numbers are not joined: 1.5 is not 15.
//   - "&" and "+" in a name also match "and" and "plus".
//   - An acronym (package acronym) stands for some words of a name: "gta" for "Grand Theft Auto".
//     It matches only as a whole and without typos.
//   - If nothing is found, one word-boundary error is tried: "star craft" finds "StarCraft",
//     "outriders2" finds "Outriders 2". Each part of a split word has two characters or is a
//     number, and is no acronym; only behind three characters it has an alternate numeral.
//     Numbers are not split. After typos, a word may have up to five parts.
//   - A word in Chinese, Japanese or Korean also matches inside a run of their characters.
//   - A typo is one edit: a character missing, added or wrong, or two neighbours swapped. A word
//     of 4 characters may have one, a word of 8 two; no edit changes a digit. If that finds
//     nothing, a last word of 6 characters or more may be the mistyped prefix of a longer one,
//     but its last character must be right.
//   - If asked for, and if nothing else is found, the query is read with another keyboard layout,
//     and compared by sound with words in the other script (package translit), whole words first;
//     at most 512 terms are compared with a word. Of two to four words, one may have a wrong
//     consonant, or may be the last and of one or two letters: it is compared with the words of
//     128 documents that have the others.
//   - The last resort, if asked for, is to leave out words: platforms and years, words of
//     editions, or one other word that is no number. If what is found with the rest has a word
//     that is similar to the one left out, that was mistyped.
//
// A [Correction] says what was changed.
//
// # In memory
//
// The index is flat sections of numbers: sorted terms, the names of each term, the terms and
// acronyms of each name, and terms by hashes of their typos and sounds. A query walks the names
// of its rarest word and checks the terms of each; match.go decides what matches and how well. A
// walk takes about 20 ns for each name. Three things keep it short:
//
//   - Words with more than 512 postings, and pairs of these words that more than 512 names have,
//     have precomputed top results (precomputed.go): 0.6 bytes per title of 100,000, 2 per title
//     of 400,000.
//   - A name without a frequent term, or without one of the other words, is ruled out by a bit,
//     before it is read (walk.go). The bits take 1 to 3 % of the memory of the index.
//   - Matches that cannot be on the page are counted but not ranked.
//
// The package has no translation or word forms, and no popularity: the order of the documents
// replaces it.
package search
