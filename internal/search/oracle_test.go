package search_test

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/acronym"
	"gamedex/internal/fold"
	"gamedex/internal/search"
)

// oracle answers queries by comparing every title with the simplest code that
// could be right. It shares only the folding with the index.
type oracle struct {
	titles [][]oracleTitle // all ways to read the names of each document
}

// find is [search.Index.Find].
func (o oracle) find(q search.Query) (hits []search.Hit, total int) {
	for reading, looseness := range o.readings(q) {
		if found := oracleAll(o.titles, q, reading, looseness); len(found) > 0 {
			from := min(max(q.Offset, 0), len(found))
			to := from + min(max(q.Limit, 0), len(found)-from)
			return found[from:to], len(found)
		}
	}
	return nil, 0
}

// readings yields the word lists that a query is tried as, and how loosely each
// is matched.
func (o oracle) readings(q search.Query) iter.Seq2[oracleReading, int] {
	query := fold.Words(q.Text)
	whole := oracleReading{words: query}
	return func(yield func(oracleReading, int) bool) {
		if !yield(whole, 0) || !yield(oracleReading{words: oracleJoined(q.Text)}, 0) {
			return
		}
		for _, reading := range oracleBoundaries(o.titles, query) {
			if !yield(reading, 0) {
				return
			}
		}
		_ = q.Typos && yield(whole, 1) && yield(whole, 2)
	}
}

// oracleReading is a query as it is read. Its words number from to from+1 are parts
// of one word if parted is set.
type oracleReading struct {
	words  []string
	parted bool
	from   int
}

// isPart reports whether word i is a part of one.
func (r oracleReading) isPart(i int) bool { return r.parted && (i == r.from || i == r.from+1) }

// oracleAll returns all hits of one reading of a query at one looseness: 0 as
// written, 1 with typos, 2 with a mistyped prefix, too.
func oracleAll(titles [][]oracleTitle, q search.Query, query oracleReading, looseness int) []search.Hit {
	const none = 2 * oracleTiers
	var byRank [none][]search.Hit
	for number, ways := range titles {
		best, shown := none, uint16(0)
		for _, title := range ways {
			if len(query.words) == 0 || q.Groups != 0 && q.Groups>>title.group&1 == 0 {
				continue
			}
			r := oracleRank(query, title, looseness)
			if r < best || r == best && title.shown < shown {
				best, shown = r, title.shown
			}
		}
		if best < none {
			byRank[best] = append(byRank[best], search.Hit{Doc: uint32(number), Shown: shown})
		}
	}
	return slices.Concat(byRank[:]...)
}

// oracleTitle is one way to read a name.
type oracleTitle struct {
	words    []string
	acronyms []acronym.Acronym
	shown    uint16
	group    uint8
}

func newOracle(docs []search.Doc) oracle {
	titles := make([][]oracleTitle, len(docs))
	for i, d := range docs {
		for _, n := range d.Names {
			spoken := strings.ReplaceAll(strings.ReplaceAll(n.Text, "&", " and "), "+", " plus ")
			for _, words := range [][]string{fold.Words(n.Text), oracleJoined(n.Text), fold.Words(spoken)} {
				titles[i] = append(titles[i], oracleTitle{words, acronym.Of(words, oracleAlternate), n.Shown, d.Group})
			}
		}
	}
	return oracle{titles}
}

var (
	thousands  = regexp.MustCompile(`([0-9]),([0-9]{3})([^0-9]|$)`)
	twoNumbers = regexp.MustCompile(`(\p{Nd}) (\p{Nd})`)
)

func oracleJoined(text string) []string {
	var words []string
	for _, chunk := range strings.Fields(text) {
		for range chunk { // a match hides the next one
			chunk = thousands.ReplaceAllString(chunk, "$1$2$3")
		}
		inner := fold.Fold(chunk)
		for range inner {
			inner = twoNumbers.ReplaceAllString(inner, "$1|$2")
		}
		inner = strings.ReplaceAll(inner, " ", "")
		words = append(words, strings.FieldsFunc(inner, func(r rune) bool { return r == '|' })...)
	}
	return words
}

// oracleBoundaries returns the readings of a query with one word-boundary
// error, at most 8, in which every word is in some title.
func oracleBoundaries(titles [][]oracleTitle, query []string) (readings []oracleReading) {
	add := func(from, n int, words ...[]string) {
		r := oracleReading{slices.Concat(words...), n == 2, from}
		if len(readings) < 8 && oracleHasWords(titles, r, from, n) {
			readings = append(readings, r)
		}
	}
	apart := func(a, b string) bool { return !twoNumbers.MatchString(a + " " + b) }
	for i := 1; i < len(query); i++ {
		if apart(query[i-1], query[i]) {
			add(i-1, 1, query[:i-1], []string{query[i-1] + query[i]}, query[i+1:])
		}
	}
	short := func(s string) bool { return len([]rune(s)) < 2 && strings.IndexFunc(s, unicode.IsDigit) < 0 }
	for i, word := range query {
		for at := range word {
			a, b := word[:at], word[at:]
			if !short(a) && !short(b) && apart(a, b) && strings.IndexFunc(word, spaceless) < 0 && len(word) <= 64 {
				add(i, 2, query[:i], []string{a, b}, query[i+1:])
			}
		}
	}
	return readings
}

// oracleHasWords reports whether each word is in some title; the n words from one on
// as written.
func oracleHasWords(titles [][]oracleTitle, reading oracleReading, from, n int) bool {
	query := reading.words
	for i := range query {
		changed := from <= i && i < from+n
		takes := func(word string) bool { return oracleTakes(query[i], word, i == len(query)-1, !changed, 0) }
		has := func(title oracleTitle) bool {
			return slices.ContainsFunc(title.words, takes) ||
				!changed && slices.ContainsFunc(title.acronyms, func(a acronym.Acronym) bool { return a.Text == query[i] })
		}
		if !slices.ContainsFunc(titles, func(ways []oracleTitle) bool { return slices.ContainsFunc(ways, has) }) {
			return false
		}
	}
	return true
}

const oracleTiers = 10

// oracleRank: 0 exact, 1 prefix, 2 prefix that only begins with the numeral at
// the end, 3 to 5 the same with acronyms, 6 in order, 7 any order, 8 and 9 the same
// with acronyms; 10 to 19 all these with numerals in the other script; 20 no match.
func oracleRank(query oracleReading, title oracleTitle, looseness int) int {
	for alternates := range 2 {
		plain := oracleTier(query, title.words, nil, alternates == 1, looseness)
		short := oracleTier(query, title.words, title.acronyms, alternates == 1, looseness)
		switch {
		case min(plain, short) == 5:
			continue
		case looseness >= 1:
			return oracleTiers * alternates
		case plain < 3:
			return oracleTiers*alternates + plain
		case short < 3:
			return oracleTiers*alternates + 3 + short
		case plain < 5:
			return oracleTiers*alternates + 3 + plain
		}
		return oracleTiers*alternates + 5 + short
	}
	return 2 * oracleTiers
}

// oracleTier: 0 exact, 1 prefix, 2 prefix that only begins with the numeral, 3 in
// order, 4 any order, 5 no match.
func oracleTier(reading oracleReading, title []string, acronyms []acronym.Acronym, alternates bool, looseness int) int {
	query := reading.words
	last := len(query) - 1
	stands := func(i, place int) int { // how many words the acronym stands for
		for _, a := range acronyms {
			if a.At == place && a.Text == query[i] && !reading.isPart(i) {
				return a.Words
			}
		}
		return 0
	}
	takes := func(i, place int) bool {
		return stands(i, place) > 0 || oracleTakes(query[i], title[place], i == last, alternates && !reading.isPart(i), looseness)
	}
	same := func(i, place int) bool {
		return query[i] == title[place] || alternates && !reading.isPart(i) && oracleAlternate(query[i]) == title[place]
	}
	for i := range query {
		if !slices.ContainsFunc(places(title), func(p int) bool { return takes(i, p) }) {
			return 5
		}
	}
	if looseness >= 1 {
		return 0
	}
	place, begins, whole := 0, true, false
	for i := range query {
		if place >= len(title) {
			begins = false
			break
		}
		if words := stands(i, place); words > 0 && query[i] != title[place] {
			whole, place = true, place+words
			continue
		}
		whole = same(i, place)
		begins = begins && (whole || i == last && strings.HasPrefix(title[place], query[i]))
		place++
	}
	switch {
	case begins && whole && place == len(title):
		return 0
	case begins && (whole || oracleAlternate(query[last]) == ""):
		return 1
	case begins:
		return 2
	}
	place = 0
	for i := range query {
		for place < len(title) && !takes(i, place) {
			place++
		}
		if place == len(title) {
			return 4
		}
		place++
	}
	return 3
}

func places(title []string) []int {
	p := make([]int, len(title))
	for i := range p {
		p[i] = i
	}
	return p
}

func oracleTakes(query, word string, last, alternates bool, looseness int) bool {
	for _, end := range oracleEnds(word) {
		open := last || strings.IndexFunc(query, spaceless) >= 0
		if end == query || open && strings.HasPrefix(end, query) || alternates && end == oracleAlternate(query) {
			return true
		}
	}
	if looseness < 1 {
		return false
	}
	edits := oracleEdits(query)
	if edits > 0 && oracleClose(query, word, edits) {
		return true
	}
	runes := []rune(query)
	for i, r := range word {
		begins := looseness == 2 && last && edits > 0 && len(runes) >= 6 && r == runes[len(runes)-1]
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
	case n < 4 || strings.IndexFunc(query, unicode.IsDigit) >= 0 || oracleAlternate(query) != "":
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

func oracleAlternate(word string) string {
	if i := slices.Index(romans, word); i > 0 {
		return arabics[i]
	}
	if i := slices.Index(arabics, word); i > 0 {
		return romans[i]
	}
	return ""
}

// distance returns the edit distance by the textbook table: a character
// missing, added or wrong, or two swapped.
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
