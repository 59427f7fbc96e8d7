package search_test

import (
	"iter"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/fold"
	"gamedex/internal/search"
	"gamedex/internal/search/acronym"
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

// compare fails the test if the index does not find what the oracle does.
func (o oracle) compare(tb rapid.TB, x *search.Index, q search.Query) {
	tb.Helper()
	wantHits, wantTotal := o.find(q)
	hits, total, _ := x.Find(q, nil)
	if diff := gocmp.Diff(append([]search.Hit(nil), wantHits...), hits); diff != "" || total != wantTotal {
		tb.Fatalf("%+v: total %d, want %d; hits (-want +got):\n%s", q, total, wantTotal, diff)
	}
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
		for _, reading := range oracleBoundaries(o.titles, query, 2, 2) {
			if !yield(reading, 0) {
				return
			}
		}
		if q.Typos && !(yield(whole, withTypos) && yield(whole, withPrefixes)) {
			return
		}
		for _, reading := range oracleBoundaries(o.titles, query, 3, 5) {
			if !yield(reading, 0) {
				return
			}
		}
	}
}

// The looseness of a match, besides 0: with typos, and with a mistyped prefix, too.
const (
	withTypos = 1 + iota
	withPrefixes
)

// oracleReading is a query as it is read. One part from a word on is a word that was joined;
// several are parts of one word.
type oracleReading struct {
	words       []string
	plain       bool // the query as typed is as it is folded, but for case
	from, parts int
}

// acronym returns the acronym that word i is.
func (r oracleReading) acronym(i int) string {
	if r.isPart(i) {
		return ""
	}
	return r.words[i]
}

// isPart reports whether word i is a part of one.
func (r oracleReading) isPart(i int) bool { return r.parts > 1 && i >= r.from && i < r.from+r.parts }

// numeral returns the alternate numeral of word i, or "". A part has one only behind one
// of three characters or more.
func (r oracleReading) numeral(i int) string {
	if r.isPart(i) && (i == r.from || len([]rune(r.words[i-1])) < 3) {
		return ""
	}
	return oracleAlternate(r.words[i])
}

// oracleAll returns all hits of one reading of a query at one looseness.
func oracleAll(titles [][]oracleTitle, q search.Query, query oracleReading, looseness int) []search.Hit {
	query.plain = oraclePlain(q.Text)
	const none = 4 * oracleTiers
	var byRank [none][]search.Hit
	for number, ways := range titles {
		best, shown := none, uint16(0)
		for _, title := range ways {
			if len(query.words) == 0 || q.Groups != 0 && q.Groups>>title.group&1 == 0 {
				continue
			}
			r := oracleRank(query, title, looseness)
			if r < none && title.shown == search.NotOwn {
				r += 2 * oracleTiers
			}
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
	plain    bool // as written, but for case
}

func newOracle(docs []search.Doc) oracle {
	titles := make([][]oracleTitle, len(docs))
	for i, d := range docs {
		for _, n := range d.Names {
			spoken := func(text string) string {
				return strings.ReplaceAll(strings.ReplaceAll(text, "&", " and "), "+", " plus ")
			}
			before, _, _ := strings.Cut(n.Text, ":")
			before, _, _ = strings.Cut(before, " - ")
			for _, read := range []func(string) []string{fold.Words, oracleJoined, func(s string) []string { return fold.Words(spoken(s)) }} {
				words := read(n.Text)
				short := acronym.Of(words, len(read(before)), oracleAlternate)
				titles[i] = append(titles[i], oracleTitle{words, short, n.Shown, d.Group, oraclePlain(n.Text)})
			}
		}
	}
	return oracle{titles}
}

func oraclePlain(text string) bool {
	return strings.TrimSpace(strings.ToLower(strings.ReplaceAll(text, "™", ""))) == fold.Fold(text)
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

// oracleBoundaries returns the readings of a query with one word-boundary error, at most
// 8, in which every word is in some title: joined, or with a word in so many parts.
func oracleBoundaries(titles [][]oracleTitle, query []string, least, most int) (readings []oracleReading) {
	add := func(from, n int, words ...[]string) {
		r := oracleReading{words: slices.Concat(words...), from: from, parts: n}
		if len(readings) < 8 && oracleHasWords(titles, r) {
			readings = append(readings, r)
		}
	}
	apart := func(a, b string) bool { return !twoNumbers.MatchString(a + " " + b) }
	for i := 1; i < len(query) && least == 2; i++ {
		if apart(query[i-1], query[i]) {
			add(i-1, 1, query[:i-1], []string{query[i-1] + query[i]}, query[i+1:])
		}
	}
	short := func(s string) bool {
		return len([]rune(s)) < 2 && strings.IndexFunc(s, unicode.IsDigit) < 0 && strings.IndexFunc(s, spaceless) < 0
	}
	var split func(i int, before []string, rest string, parts int)
	split = func(i int, before []string, rest string, parts int) {
		if parts == 1 {
			if !short(rest) {
				add(i, len(before)+1, query[:i], before, []string{rest}, query[i+1:])
			}
			return
		}
		for at := range rest {
			if a, b := rest[:at], rest[at:]; !short(a) && apart(a, b) && oracleIsWord(titles, a) {
				split(i, append(slices.Clone(before), a), b, parts-1)
			}
		}
	}
	for parts := least; parts <= most; parts++ {
		for i, word := range query {
			if len(word) <= 64 {
				split(i, nil, word, parts)
			}
		}
	}
	return readings
}

// oracleIsWord reports whether a text is a word of some title, or a piece of one.
func oracleIsWord(titles [][]oracleTitle, text string) bool {
	return slices.ContainsFunc(titles, func(ways []oracleTitle) bool {
		return slices.ContainsFunc(ways, func(t oracleTitle) bool {
			return slices.ContainsFunc(t.words, func(w string) bool { return slices.Contains(oracleEnds(w), text) })
		})
	})
}

// oracleHasWords reports whether each word is in some title, a joined one as written.
func oracleHasWords(titles [][]oracleTitle, r oracleReading) bool {
	for i, word := range r.words {
		numeral, short := r.numeral(i), r.acronym(i)
		if r.parts == 1 && i == r.from {
			numeral, short = "", ""
		}
		has := func(title oracleTitle) bool {
			return slices.ContainsFunc(title.words, func(w string) bool { return oracleTakes(word, w, numeral, i == len(r.words)-1) }) ||
				slices.ContainsFunc(title.acronyms, func(a acronym.Acronym) bool { return a.Text == short })
		}
		if !slices.ContainsFunc(titles, func(ways []oracleTitle) bool { return slices.ContainsFunc(ways, has) }) {
			return false
		}
	}
	return true
}

const oracleTiers = 30

// oracleRank: 0 as typed, 1 exact, 2 but for the article, 3 a known acronym, 4 the same
// with more words after it, 5 prefix, 6 prefix with a longer last word, 7 to 9 exact and
// prefixes with acronyms, 10 in order, 11 in order with a longer last word, 12 and 13 the
// same with acronyms, 14 to 17 the same in any order; 30 to 59 all these with numerals in
// the other script; 120 no match. With typos and by sound, the cost and the place count.
func oracleRank(query oracleReading, title oracleTitle, looseness int) int {
	for alternates := range 2 {
		if looseness > 0 {
			if cost, place := oracleCost(query, title, alternates == 1, looseness); cost < oracleCostly {
				return oracleTiers*alternates + cost + place
			}
			continue
		}
		plain := oracleTier(query, title.words, nil, alternates == 1)
		short := oracleTier(query, title.words, title.acronyms, alternates == 1)
		known := query.plain && len(query.words) == 1 && short < 4 && slices.ContainsFunc(title.acronyms, func(a acronym.Acronym) bool {
			return a.Text == query.acronym(0) && a.At <= 1 && a.Known
		})
		tier := 0
		switch {
		case min(plain, short) == 8:
			continue
		case plain == 0 && (alternates == 1 || query.plain != title.plain):
			tier = 1
		case plain == 0:
		case plain == 1 || plain == 2 && len(query.words) == 1 && slices.ContainsFunc(title.acronyms, func(a acronym.Acronym) bool {
			return a.Text == query.acronym(0) && a.At == 1 && a.Words == len(title.words)-1
		}):
			tier = 2
		case known:
			tier = []int{3, 3, 4, 4}[short]
		case plain < 4:
			tier = plain + 3
		case short < 4:
			tier = []int{7, 7, 8, 9}[short]
		case plain < 8:
			tier = []int{10, 11, 14, 15}[plain-4]
		default:
			tier = []int{12, 13, 16, 17}[short-4]
		}
		return oracleTiers*alternates + tier
	}
	return 4 * oracleTiers
}

const oracleCostly = 99

// oracleCost returns how far a title is from a query: 6 for each of up to 4 edits; 2 more
// for a longer word, or 4 for words that are elsewhere and 5 for both; oracleCostly if a
// word is missing. The place is 1 for a title that goes on behind the query.
func oracleCost(query oracleReading, title oracleTitle, alternates bool, looseness int) (cost, place int) {
	total, longer := 0, 0
	costOf := func(i int, end, other string) int {
		word, last, least := query.words[i], i == len(query.words)-1, oracleCostly
		switch {
		case end == word || alternates && end != "" && end == query.numeral(i):
			least = 0
		case oracleTakes(word, end, "", last):
			least = 1
		}
		if looseness > 0 && end == other {
			least = min(least, oracleTypos(word, other, looseness == withPrefixes && last))
		}
		return least
	}
	for i := range query.words {
		least := oracleCostly
		for _, other := range title.words {
			for _, end := range oracleEnds(other) {
				least = min(least, costOf(i, end, other))
			}
		}
		if slices.ContainsFunc(title.acronyms, func(a acronym.Acronym) bool { return a.Text == query.acronym(i) }) {
			least = 1
		}
		if slices.ContainsFunc(title.acronyms, func(a acronym.Acronym) bool { return a.Text == query.acronym(i) && a.Known && a.At <= 1 }) {
			least = 0
		}
		total += least / 2
		longer = max(longer, least%2)
	}
	if total >= oracleCostly/2 {
		return oracleCostly, 0
	}
	total = 6 * min(total, 4)
	at := 0
	if len(title.words) > 0 && acronym.IsArticle(title.words[0]) && costOf(0, title.words[0], title.words[0]) == oracleCostly {
		at = 1
	}
	for i := range query.words {
		words := 0
		for _, a := range slices.Backward(title.acronyms) {
			if a.At == at && a.Text == query.acronym(i) {
				words = a.Words
			}
		}
		if words == 0 && at < len(title.words) && costOf(i, title.words[at], title.words[at]) < oracleCostly {
			words = 1
		}
		if words == 0 {
			return total + 4 + longer, 0
		}
		at += words
	}
	if at < len(title.words) {
		return total + 2*longer, 1
	}
	return total + 2*longer, 0
}

// oracleTier: 0 exact, 1 but for the article, 2 prefix, 3 prefix with a longer last word,
// 4 in order, 5 the same with a longer last word, 6 and 7 the same in any order, 8 no match.
func oracleTier(reading oracleReading, title []string, acronyms []acronym.Acronym, alternates bool) int {
	query := reading.words
	last := len(query) - 1
	stands := func(i, place int) int { // how many words the acronym stands for
		for _, a := range acronyms {
			if a.At == place && a.Text == reading.acronym(i) {
				return a.Words
			}
		}
		return 0
	}
	numeral := func(i int) string {
		if !alternates {
			return ""
		}
		return reading.numeral(i)
	}
	takes := func(i, place int) bool {
		return stands(i, place) > 0 || oracleTakes(query[i], title[place], numeral(i), i == last)
	}
	for i := range query {
		if !slices.ContainsFunc(places(title), func(p int) bool { return takes(i, p) }) {
			return 8
		}
	}
	// starts returns 0, 2 or 3, or 8 for a title that does not start with the query.
	starts := func(first, place int) int {
		for i := first; i < len(query); i++ {
			if place >= len(title) {
				return 8
			}
			same := query[i] == title[place] || numeral(i) != "" && numeral(i) == title[place]
			switch words := stands(i, place); {
			case words > 0 && query[i] != title[place]:
				place += words
			case same:
				place++
			case i == last && strings.HasPrefix(title[place], query[i]):
				return 3
			default:
				return 8
			}
		}
		if place == len(title) {
			return 0
		}
		return 2
	}
	best, article := 8, acronym.IsArticle(title[0])
	switch {
	case len(query) > 1 && acronym.IsArticle(query[0]) && article && query[0] == title[0]:
		best = starts(1, 1)
	case len(query) > 1 && acronym.IsArticle(query[0]) && article:
		best = max(1, starts(1, 1))
	case len(query) > 1 && acronym.IsArticle(query[0]):
		best = max(1, starts(1, 0))
	case article:
		best = min(starts(0, 0), max(1, starts(0, 1)))
	default:
		best = starts(0, 0)
	}
	if best < 8 {
		return best
	}
	whole := slices.ContainsFunc(places(title), func(p int) bool {
		return stands(last, p) > 0 || slices.ContainsFunc(oracleEnds(title[p]), func(end string) bool {
			return end == query[last] || numeral(last) != "" && end == numeral(last)
		})
	})
	tier, place := 4, 0
	for i := range query {
		for place < len(title) && !takes(i, place) {
			place++
		}
		if place == len(title) {
			tier = 6
			break
		}
		place++
	}
	if !whole {
		tier++
	}
	return tier
}

func places(title []string) []int {
	p := make([]int, len(title))
	for i := range p {
		p[i] = i
	}
	return p
}

// oracleTakes reports whether a word of a title matches one of the query as written, or
// is its alternate numeral.
func oracleTakes(query, word, numeral string, last bool) bool {
	open := last || strings.IndexFunc(query, spaceless) >= 0
	return slices.ContainsFunc(oracleEnds(word), func(end string) bool {
		return end == query || open && strings.HasPrefix(end, query) || numeral != "" && end == numeral
	})
}

// oracleTypos returns the cost of the edits between two words, also of those to a
// prefix of the second one with prefixes.
func oracleTypos(query, word string, prefixes bool) int {
	edits, cost := oracleEdits(query), oracleCostly
	if edits == 0 {
		return cost
	}
	if n := oracleDistance(query, word); n <= edits {
		cost = 2 * n
	}
	runes := []rune(query)
	for i, r := range word {
		if !prefixes || len(runes) < 6 || r != runes[len(runes)-1] {
			continue
		}
		if n := oracleDistance(query, word[:i+utf8.RuneLen(r)]); n <= edits {
			cost = min(cost, 2*n+1)
		}
	}
	return cost
}

func oracleDistance(query, word string) int {
	if strings.IndexFunc(word, unicode.IsDigit) >= 0 {
		return oracleCostly
	}
	return distance([]rune(query), []rune(word))
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
