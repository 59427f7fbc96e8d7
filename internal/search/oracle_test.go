package search_test

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/fold"
	"gamedex/internal/search"
)

// oracle answers a query by looking at every title with the plainest code that
// could be right. It shares with the index the folding and nothing else.
func oracle(docs []search.Doc, q search.Query) (hits []search.Hit, total int) {
	loosest := 1
	if q.Typos {
		loosest = 3
	}
	for looseness := range loosest + 1 {
		if found := oracleAll(docs, q, looseness); len(found) > 0 {
			from := min(max(q.Offset, 0), len(found))
			to := from + min(max(q.Limit, 0), len(found)-from)
			return found[from:to], len(found)
		}
	}
	return nil, 0
}

// oracleAll returns all hits at one looseness: 0 as written, 1 with the words
// of the query joined, 2 with typos, 3 with a mistyped beginning.
func oracleAll(docs []search.Doc, q search.Query, looseness int) []search.Hit {
	query := fold.Words(q.Text)
	if looseness == 1 {
		query = oracleJoined(q.Text)
	}
	var byRank [8][]search.Hit
	for number, d := range docs {
		if len(query) == 0 || q.Groups != 0 && q.Groups>>d.Group&1 == 0 {
			continue
		}
		best, shown := 8, uint16(0)
		for _, n := range d.Names {
			for _, title := range [][]string{fold.Words(n.Text), oracleJoined(n.Text)} {
				r := oracleRank(query, title, looseness)
				if r < best || r == best && n.Shown < shown {
					best, shown = r, n.Shown
				}
			}
		}
		if best < 8 {
			byRank[best] = append(byRank[best], search.Hit{Doc: uint32(number), Shown: shown})
		}
	}
	return slices.Concat(byRank[:]...)
}

func oracleJoined(text string) []string {
	var words []string
	for _, chunk := range strings.Fields(text) {
		inner := fold.Words(chunk)
		joined := strings.Join(inner, "")
		if strings.IndexFunc(joined, unicode.IsDigit) < 0 && joined != "" {
			inner = []string{joined}
		}
		words = append(words, inner...)
	}
	return words
}

// oracleRank: 0 exact, 1 prefix, 2 in order, 3 any order; 4 to 7 the same with
// numerals in the other script; 8 no match.
func oracleRank(query, title []string, looseness int) int {
	for twins := range 2 {
		if tier := oracleTier(query, title, twins == 1, looseness); tier < 4 {
			return 4*twins + tier
		}
	}
	return 8
}

func oracleTier(query, title []string, twins bool, looseness int) int {
	last := len(query) - 1
	takes := func(i, place int) bool {
		return oracleTakes(query[i], title[place], i == last, twins, looseness)
	}
	same := func(i, place int) bool {
		return query[i] == title[place] || twins && oracleTwin(query[i]) == title[place]
	}
	for i := range query {
		if !slices.ContainsFunc(places(title), func(p int) bool { return takes(i, p) }) {
			return 4
		}
	}
	if looseness >= 2 {
		return 0
	}
	begins := len(query) <= len(title)
	for i := 0; begins && i < last; i++ {
		begins = same(i, i)
	}
	switch {
	case begins && len(query) == len(title) && same(last, last):
		return 0
	case begins && (same(last, last) || strings.HasPrefix(title[last], query[last])):
		return 1
	}
	place := 0
	for i := range query {
		for place < len(title) && !takes(i, place) {
			place++
		}
		if place == len(title) {
			return 3
		}
		place++
	}
	return 2
}

func places(title []string) []int {
	p := make([]int, len(title))
	for i := range p {
		p[i] = i
	}
	return p
}

func oracleTakes(query, word string, last, twins bool, looseness int) bool {
	for _, end := range oracleEnds(word) {
		open := last || strings.IndexFunc(query, spaceless) >= 0
		if end == query || open && strings.HasPrefix(end, query) || twins && end == oracleTwin(query) {
			return true
		}
	}
	if looseness < 2 {
		return false
	}
	edits := oracleEdits(query)
	if edits > 0 && oracleClose(query, word, edits) {
		return true
	}
	runes := []rune(query)
	for i, r := range word {
		begins := looseness == 3 && last && edits > 0 && len(runes) >= 6 && r == runes[len(runes)-1]
		if begins && oracleClose(query, word[:i+utf8.RuneLen(r)], edits) {
			return true
		}
	}
	return false
}

func oracleClose(query, word string, edits int) bool {
	return strings.IndexFunc(word, unicode.IsDigit) < 0 && distance([]rune(query), []rune(word)) <= edits
}

func oracleEnds(word string) []string {
	ends := []string{word}
	runes := []rune(word)
	for i := 1; i < len(runes); i++ {
		if spaceless(runes[i-1]) || spaceless(runes[i]) {
			ends = append(ends, string(runes[i:]))
		}
	}
	return ends
}

func spaceless(r rune) bool { return r >= 'ぁ' && r <= '鿿' }

func oracleEdits(query string) int {
	n := len([]rune(query))
	switch {
	case n < 4 || strings.IndexFunc(query, unicode.IsDigit) >= 0 || oracleTwin(query) != "":
		return 0
	case n < 8:
		return 1
	}
	return 2
}

var romans = strings.Fields("0 i ii iii iv v vi vii viii ix x xi xii xiii xiv xv xvi xvii xviii xix xx " +
	"xxi xxii xxiii xxiv xxv xxvi xxvii xxviii xxix xxx xxxi xxxii xxxiii xxxiv xxxv xxxvi xxxvii xxxviii xxxix xl " +
	"xli xlii xliii xliv xlv xlvi xlvii xlviii xlix l")

var arabics = strings.Fields("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 " +
	"31 32 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50")

func oracleTwin(word string) string {
	if i := slices.Index(romans, word); i > 0 {
		return arabics[i]
	}
	if i := slices.Index(arabics, word); i > 0 {
		return romans[i]
	}
	return ""
}

// distance is the textbook table: missing, added, wrong, swapped.
func distance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		for j := range d[i] {
			switch {
			case i == 0 || j == 0:
				d[i][j] = i + j
				continue
			case a[i-1] == b[j-1]:
				d[i][j] = d[i-1][j-1]
			default:
				d[i][j] = 1 + min(d[i-1][j-1], d[i-1][j], d[i][j-1])
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], 1+d[i-2][j-2])
			}
		}
	}
	return d[len(a)][len(b)]
}
