// Package edits counts typing errors between two words, and names what a word may be
// under in a delete dictionary: what is left of it after up to two characters are deleted.
// Two words within two edits have such a remainder in common.
//
// An edit is a character missing, added or wrong, or two neighbours swapped. Digits are
// not its matter: the caller compares no words with digits.
package edits
