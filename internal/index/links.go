package index

// The marks that stand for product id and slug in the link patterns of a
// prices blob. No link has control characters.
const productMark, slugMark = "\x01", "\x02"

// appendURL expands a pattern.
func appendURL(dst []byte, pattern, product, slug string) []byte {
	for i := range len(pattern) {
		switch c := pattern[i]; c {
		case productMark[0]:
			dst = append(dst, product...)
		case slugMark[0]:
			dst = append(dst, slug...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}
