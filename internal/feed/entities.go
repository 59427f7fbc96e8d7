package feed

import (
	"html"
	"regexp"
	"strings"

	"gamedex/internal/catalog"
)

// decodeNames decodes the HTML entities in the titles and names of a listing, which feeds
// that were copied from web pages have. It reports whether there were any.
func decodeNames(f *catalog.Facts) bool {
	decoded := false
	for _, text := range [...]*string{&f.Title, &f.FamilyName, &f.InvariantName, &f.Edition} {
		decoded = decodeEntities(text) || decoded
	}
	for i := range f.Titles {
		decoded = decodeEntities(&f.Titles[i].Title) || decoded
	}
	return decoded
}

// entity matches an entity at the beginning of a text. Without its semicolon it may be a
// name: "Q&A".
var entity = regexp.MustCompile(`^&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});`)

// decodeEntities decodes a text in place until it has no entity, from the end on: a text
// may be encoded twice. It skips texts that are longer than any valid one.
func decodeEntities(text *string) (decoded bool) {
	s := *text
	if strings.IndexByte(s, '&') < 0 || len(s) > maxText {
		return false
	}
	for at := strings.LastIndexByte(s, '&'); at >= 0; {
		found := entity.FindString(s[at:])
		plain := html.UnescapeString(found)
		if plain == found { // none, or no entity of HTML
			at = strings.LastIndexByte(s[:at], '&')
			continue
		}
		s, decoded = s[:at]+plain+s[at+len(found):], true
		if s[at:] == "" || s[at] != '&' { // else the text that follows may complete another one
			at = strings.LastIndexByte(s[:at], '&')
		}
	}
	*text = s
	return decoded
}
