// Package spelling knows how people write the words of a title, and how they miswrite them:
//
//   - with signs inside words or without ("spider-man", "40,000"), with a word for a sign
//     ("and" for "&"), and in scripts without spaces (spelling.go);
//   - with a subtitle (forms.go), and with words that are joined (split.go);
//   - with Roman numerals or Arabic ones (numerals.go);
//   - with up to two typing errors (edits.go);
//   - with words that titles often lack: platforms, editions, years (surplus.go).
//
// It knows no titles. Texts that it gets are folded (package fold) where it does not say
// otherwise.
package spelling
