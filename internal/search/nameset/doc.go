// Package nameset has sets of the numbers of names: a search marks the names that have
// a word, keeps those that have the next one, too, and takes them in rising order.
//
//	postings ─► Add ─► AddCommon ─► Drain ─► names, rising
//
// A set has room for all names from the start. It does not check that a name is below
// the number that it was made for.
package nameset
