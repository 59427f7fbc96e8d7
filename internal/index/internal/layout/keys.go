package layout

import "strings"

// The placeholders for product id and slug in the link patterns of a prices
// blob. No link has control characters.
const ProductPlaceholder, SlugPlaceholder = "\x01", "\x02"

// AppendURL appends the link that a pattern makes of product id and slug.
func AppendURL(dst []byte, pattern, product, slug string) []byte {
	for i := range len(pattern) {
		switch c := pattern[i]; c {
		case ProductPlaceholder[0]:
			dst = append(dst, product...)
		case SlugPlaceholder[0]:
			dst = append(dst, slug...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// LinkSeparators separate the parts of a store link.
const LinkSeparators = "/?&=#"

// LinkParts yields the parts of a store link. A link is found by the product id
// or slug among them; the hash table of keys has only links without either.
func LinkParts(url string) func(yield func(string) bool) {
	return strings.FieldsFuncSeq(url, func(r rune) bool {
		return strings.ContainsRune(LinkSeparators, r)
	})
}

// BareTitleID removes the "_00" that some sources append to a title id.
func BareTitleID(id string) string { return strings.TrimSuffix(id, "_00") }
