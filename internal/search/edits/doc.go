// Package edits compares words by edits: a character missing, added or wrong, or two
// neighbours swapped.
//
//	term ─► Deletable ─► Deletes ─► hashes ┐ equal for two words
//	word ──────────────► Deletes ─► hashes ┘ within two edits ─► Between, OfPrefix
//
// Two words within two edits have a remainder in common, what is left of each after up
// to two characters are deleted. A dictionary of remainders gives the candidates, and
// comparing them rules out those with the same hash by chance. The package has no
// dictionary; the hashes are part of the file format of the one in package search.
package edits
