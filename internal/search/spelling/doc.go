// Package spelling knows in which ways people write the words of a title: with signs
// inside words or without ("spider-man", "40,000"), with a word for a sign ("and" for
// "&"), with Roman numerals or Arabic ones, and in scripts without spaces. Texts that it
// gets are folded (package fold) where it does not say otherwise. It knows no titles.
package spelling
