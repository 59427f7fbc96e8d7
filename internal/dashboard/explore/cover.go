package explore

import (
	"hash/fnv"
	"strings"

	"gamedex/internal/dashboard/web"
)

// Cover is the picture of a card, over a drawn one that shows where the picture
// is missing or may not be loaded.
type Cover struct {
	Source string // address; "": only the drawn one
	Title  string // on the drawn one
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
	return Cover{Source: source, Title: web.Shorten(strings.Join(strings.Fields(title), " "), maxCoverTitle), Ground: 1 + int(h.Sum32()%grounds)}
}
