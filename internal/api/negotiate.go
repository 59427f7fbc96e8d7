package api

import (
	"strconv"
	"strings"
)

// coding is a content coding of answers.
type coding string

const (
	identity coding = ""
	gzipped  coding = "gzip"
	zstded   coding = "zstd"
)

// codings are those that answers can have, best first.
var codings = [...]coding{zstded, gzipped}

// negotiate picks the coding that the client wants most; where it wants
// several alike, the first of the table. An answer without coding is what
// remains, even for a client that refuses it.
func negotiate(headers []string) coding {
	if len(headers) == 0 {
		return identity
	}
	header := strings.Join(headers, ",")
	best, weight := identity, identityWeight(header)
	for _, c := range codings {
		if w, named := codingWeight(header, string(c)); named && w > 0 && (w > weight || best == identity && w >= weight) {
			best, weight = c, w
		}
	}
	return best
}

// identityWeight is how much the client wants no coding at all: an answer
// nobody spoke of loses against every coding that was named.
func identityWeight(header string) float64 {
	for part := range strings.SplitSeq(header, ",") {
		if name, q := parseCoding(part); strings.EqualFold(name, "identity") {
			return q
		}
	}
	return 0
}

// codingWeight is how much the client wants a coding: as it says for it by
// name, else for all others.
func codingWeight(header, name string) (weight float64, named bool) {
	for part := range strings.SplitSeq(header, ",") {
		sent, q := parseCoding(part)
		switch {
		case strings.EqualFold(sent, name), name == string(gzipped) && strings.EqualFold(sent, "x-gzip"):
			return q, true
		case sent == "*":
			weight, named = q, true
		}
	}
	return weight, named
}

// parseCoding reads "gzip;q=0.5". A weight that is none counts as 0.
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
