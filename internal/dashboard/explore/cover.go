package explore

import (
	"hash/fnv"
	"strings"
	"unicode/utf8"

	"gamedex/internal/dashboard/web"
)

// Cover is the picture of a card, over a drawn one that shows where the picture
// is missing or may not be loaded.
type Cover struct {
	Source string // address; "": only the drawn one
	Title  string // on the drawn one
	Size   string // class of the drawn title: "", "long" or "longer"
	Ground int    // class of the drawn one's colour: 1 to grounds
}

const (
	grounds       = 6  // colours that the style has for drawn covers
	maxCoverTitle = 60 // characters
)

// CoverOf returns the cover of a card; source is an address that the page may
// load, or "".
func CoverOf(source, title string) Cover {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title)) // a hash never fails
	words := strings.Fields(title)
	shown := web.Shorten(strings.Join(words, " "), maxCoverTitle)
	return Cover{Source: source, Title: shown, Size: sizeOf(words, shown), Ground: 1 + int(h.Sum32()%grounds)}
}

// sizeOf returns the class with which the words of a title fit the width of a cover, and
// all of it the height.
func sizeOf(words []string, shown string) string {
	longest := 0
	for _, word := range words {
		longest = max(longest, utf8.RuneCountInString(word))
	}
	switch all := utf8.RuneCountInString(shown); {
	case longest > 11 || all > 44:
		return "longer"
	case longest > 8 || all > 28:
		return "long"
	}
	return ""
}
