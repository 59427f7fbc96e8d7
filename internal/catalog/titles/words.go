package titles

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// productSigns and productWords join the names of two products: "Star Forge + Moon Base",
// "Star Forge and Moon Base".
const productSigns = "+&/×＋＆／"

var productWords = [...]string{"and", "x"}

const spaces = " \t\u00a0\u3000"

// joinsProduct reports whether what follows a product's name is another product.
func joinsProduct(rest string) bool {
	rest = strings.TrimLeft(rest, spaces+"®™")
	first, _ := utf8.DecodeRuneInString(rest)
	if rest != "" && strings.ContainsRune(productSigns, first) {
		return true
	}
	for _, word := range productWords {
		if n := len(word); len(rest) > n && strings.EqualFold(rest[:n], word) && strings.IndexByte(spaces, rest[n]) >= 0 {
			return true
		}
	}
	return false
}

// awaitsProduct reports whether another product follows a text: "Star Forge +".
func awaitsProduct(text string) bool {
	text = strings.TrimRight(text, spaces)
	last, _ := utf8.DecodeLastRuneInString(text)
	if text != "" && strings.ContainsRune(productSigns, last) {
		return true
	}
	for _, word := range productWords {
		if at := len(text) - len(word); at > 0 && strings.EqualFold(text[at:], word) && strings.IndexByte(spaces, text[at-1]) >= 0 {
			return true
		}
	}
	return false
}

// isTitleWord reports whether a word belongs to the title of a game, not to an edition: a
// year, or a word for a new version.
func isTitleWord(word string) bool {
	year := len(word) == 4 && (word[:2] == "19" || word[:2] == "20") && strings.Trim(word[2:], "0123456789") == ""
	return year || slices.ContainsFunc(newVersions, func(known string) bool { return strings.EqualFold(word, known) })
}

var newVersions = []string{"remastered", "remaster", "remake", "hd"}

func isBetweenWords(r rune) bool { return !isWordRune(r) }

// cutTitleWords removes words of the title from the beginning of an edition. It reports
// whether there were any.
func cutTitleWords(edition string) (rest string, cut bool) {
	for {
		after := strings.TrimLeftFunc(edition, isWordRune)
		if !isTitleWord(edition[:len(edition)-len(after)]) {
			return edition, cut
		}
		edition, cut = strings.TrimLeft(after, joiners+")）]】®™"), true
	}
}

// titleWordsAt returns where the words of the title at the end of a text begin, with what
// separates them from the text before; it returns the length of the text if there are none.
func titleWordsAt(text string) int {
	for at := len(text); ; {
		word := strings.TrimRightFunc(text[:at], isBetweenWords)
		before := strings.TrimRightFunc(word, isWordRune)
		if before == "" || !isTitleWord(word[len(before):]) {
			return at
		}
		at = len(strings.TrimRightFunc(before, isBetweenWords))
	}
}
