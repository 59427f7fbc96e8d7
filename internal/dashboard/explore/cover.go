package explore

import (
	"hash/fnv"
	"unicode"
)

// cover is the picture of a card, over a drawn one that shows where the picture
// is missing or may not be loaded.
type cover struct {
	Source   string // address; "": only the drawn one
	Initials string
	Ground   int // class of the drawn one's colour: 1 to grounds
}

// grounds is how many colours the style has for drawn covers.
const grounds = 6

// coverOf returns the cover of a card; source is an address that the page may
// load, or "".
func coverOf(source, title string) cover {
	h := fnv.New32a()
	_, _ = h.Write([]byte(title)) // a hash never fails
	return cover{Source: source, Initials: initials(title), Ground: 1 + int(h.Sum32()%grounds)}
}

// initials returns the first letters or digits of the first two words of a title.
func initials(title string) string {
	var found []rune
	inside := false
	for _, r := range title {
		letter := unicode.IsLetter(r) || unicode.IsDigit(r)
		if letter && !inside && len(found) < 2 {
			found = append(found, unicode.ToUpper(r))
		}
		inside = letter || inside && (r == '\'' || r == '’' || unicode.IsMark(r))
	}
	return string(found)
}
