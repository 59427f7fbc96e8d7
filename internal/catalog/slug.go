package catalog

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	maxSlug   = 128 // bytes
	gameIDLen = 8
)

// CardID returns an id of a request in the form that cards have: a possible gameId in upper
// case, anything else as [Slug] returns it.
func CardID(s string) string {
	if CanBeGameID(s) {
		return strings.ToUpper(s)
	}
	return Slug(s)
}

// CanBeGameID reports whether s is eight ASCII letters and digits. Every id of a request is checked.
func CanBeGameID(s string) bool {
	if len(s) != gameIDLen {
		return false
	}
	for i := range len(s) {
		if c := s[i]; (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') {
			return false
		}
	}
	return true
}

// Slug returns the one form of a slug: without white space around it and without "/home"
// at its end, in NFC and lower case. It returns "" if s is not a slug: 1 to 128 bytes of
// letters with their marks, digits, "-", "_" and ".", but not "." or "..".
func Slug(s string) string {
	s = strings.TrimSuffix(strings.TrimSpace(s), "/home")
	if len(s) > 4*maxSlug { // NFC and lower case are not that much shorter
		return ""
	}
	s = norm.NFC.String(strings.ToLower(norm.NFC.String(s)))
	if len(s) > maxSlug || s == "." || s == ".." || strings.ContainsFunc(s, notOfSlug) {
		return ""
	}
	return s
}

func notOfSlug(r rune) bool {
	return r != '-' && r != '_' && r != '.' && !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
}
