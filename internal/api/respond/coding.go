package respond

import (
	"strconv"
	"strings"
)

// Coding is a content coding of answers.
type Coding string

const (
	identity  Coding = ""
	gzipped   Coding = "gzip"
	zstandard Coding = "zstd"
)

// negotiate returns the coding that the client prefers; among equals, zstd
// before gzip. The asterisk of a client that takes any coding means gzip: many
// that send it cannot read zstd. If the client accepts neither, the answer has no
// coding, even if the client refuses that too.
func negotiate(headers []string) Coding {
	if len(headers) == 0 {
		return identity
	}
	header := strings.Join(headers, ",")
	// A client that does not name identity prefers every coding it names.
	best, weight := identity, 0.0
	for part := range strings.SplitSeq(header, ",") {
		if name, q := parseCoding(part); strings.EqualFold(name, "identity") {
			weight = q
			break
		}
	}
	for _, c := range [...]Coding{zstandard, gzipped} {
		if w := codingWeight(header, c); w > 0 && (w > weight || best == identity && w >= weight) {
			best, weight = c, w
		}
	}
	return best
}

// codingWeight returns the weight that a client gives a coding, by its name or,
// for gzip, by the asterisk; 0 if it does not accept it.
func codingWeight(header string, c Coding) (weight float64) {
	for part := range strings.SplitSeq(header, ",") {
		name, q := parseCoding(part)
		switch {
		case strings.EqualFold(name, string(c)), c == gzipped && strings.EqualFold(name, "x-gzip"):
			return q
		case c == gzipped && name == "*":
			weight = q
		}
	}
	return weight
}

// parseCoding reads "gzip;q=0.5". The weight is 1 if there is none, and 0 if it
// is not valid.
func parseCoding(part string) (name string, weight float64) {
	name, rest, _ := strings.Cut(part, ";")
	name, weight = strings.TrimSpace(name), 1
	key, text, ok := strings.Cut(strings.TrimSpace(rest), "=")
	if ok && strings.EqualFold(strings.TrimSpace(key), "q") {
		q, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return name, 0
		}
		weight = q
	}
	return name, weight
}
