package acronym

import (
	_ "embed"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Acronym is a word that may stand for some words of a title.
type Acronym struct {
	Text  string
	At    int // the first word that it stands for
	Words int // how many words it stands for, at most MaxWords
	// Known is set if people know it as the name of what it stands for: the table says so,
	// or it is not in the table and has the initials of all words before a number or the
	// subtitle.
	Known bool
}

// The bounds of an acronym: how many words it may stand for, how many characters
// it may have, and how many a title may have.
const (
	MaxWords = 15
	MaxText  = 10
	maxOfOne = 24
)

const (
	minInitials = 3
	maxInitials = 6
)

// Of returns the acronyms of a title with these folded words, in a fixed order. The
// first main words are those before its subtitle. alternate returns the alternate
// numeral of a word (VII for 7), or "".
func Of(words []string, main int, alternate func(word string) string) []Acronym {
	t := title{words: words, main: main, alternate: alternate}
	t.addInitials(0)
	if len(words) > 0 && IsArticle(words[0]) {
		t.addInitials(1)
	}
	for at := range words {
		t.addListed(at)
		t.addYear(at)
	}
	return t.found
}

// IsArticle reports whether a word is an English article.
func IsArticle(word string) bool { return word == "the" || word == "a" || word == "an" }

// title collects the acronyms of one title.
type title struct {
	words     []string
	main      int // how many words come before the subtitle
	alternate func(string) string
	found     []Acronym
}

// addInitials adds the initials of the words from a start on. A number is part of
// them as a whole.
func (t *title) addInitials(start int) {
	var b strings.Builder
	letters := 0
	for i := start; i < len(t.words) && i-start < MaxWords-2 && letters < maxInitials; i++ {
		word := t.words[i]
		if r, size := utf8.DecodeRuneInString(word); t.isNumber(word) {
			b.WriteString(word)
		} else if !unicode.In(r, unicode.Latin, unicode.Cyrillic) {
			return
		} else {
			b.WriteString(word[:size])
			letters++
		}
		if letters >= minInitials {
			end := i + 1
			known := end == t.main || end < len(t.words) && (t.isNumber(t.words[end]) || slices.Contains(counted, t.words[end]))
			t.addWithNumber(b.String(), start, end-start, known && !isListed[b.String()])
		}
	}
}

// isNumber reports whether a word begins with a digit or is a numeral.
func (t *title) isNumber(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.IsDigit(r) || t.alternate(word) != ""
}

// addListed adds the acronyms of the table whose words are in the title from a
// position on.
func (t *title) addListed(at int) {
	for _, e := range listed[t.words[at]] {
		rest := t.words[at:]
		if len(rest) < len(e.words) {
			continue
		}
		same := true
		for i, w := range e.words {
			same = same && (rest[i] == w || t.alternate(w) != "" && rest[i] == t.alternate(w))
		}
		if same {
			t.addWithNumber(e.acronym, at, len(e.words), true)
		}
	}
}

// addWithNumber adds an acronym, alone and joined with the numeral after its words,
// which may be Roman or Arabic. "Part II" counts as a numeral, too.
func (t *title) addWithNumber(text string, at, words int, known bool) {
	t.add(text, at, words, known)
	next := at + words
	if next+1 < len(t.words) && slices.Contains(counted, t.words[next]) {
		next++
	}
	if next == len(t.words) {
		return
	}
	number := t.words[next]
	if alternate := t.alternate(number); alternate != "" {
		t.add(text+number, at, next+1-at, known)
		t.add(text+alternate, at, next+1-at, known)
	} else if _, err := strconv.Atoi(number); err == nil {
		t.add(text+number, at, next+1-at, known)
	}
	if year := otherYear(number); year != "" {
		t.add(text+year, at, next+1-at, known)
	}
}

// counted are the words between a title and its number.
var counted = []string{"part", "episode", "chapter", "volume", "vol"}

// addYear adds the other way to write a year.
func (t *title) addYear(at int) {
	if year := otherYear(t.words[at]); at > 0 && year != "" {
		t.add(year, at, 1, false)
	}
}

// otherYear returns a year in full for its last two digits, and the reverse, from
// 2010 to 2039, where that is usual; "" for any other word.
func otherYear(word string) string {
	n, err := strconv.Atoi(word)
	switch short := n % 100; {
	case err != nil || short < 10 || short >= 40:
		return ""
	case n < 100:
		return strconv.Itoa(2000 + n)
	case n >= 2000 && n < 2100:
		return strconv.Itoa(short)
	}
	return ""
}

// ordinary are words that nobody types as an acronym.
var ordinary = []string{"the", "and", "for", "from", "with", "into", "not", "you", "are", "all", "out"}

func (t *title) add(text string, at, words int, known bool) {
	n := utf8.RuneCountInString(text)
	same := func(a Acronym) bool { return a.Text == text && a.At == at && a.Words == words }
	if i := slices.IndexFunc(t.found, same); i >= 0 {
		t.found[i].Known = t.found[i].Known || known
	} else if n >= 2 && n <= MaxText && words <= MaxWords && len(t.found) < maxOfOne && !slices.Contains(ordinary, text) {
		t.found = append(t.found, Acronym{text, at, words, known})
	}
}

//go:embed table.txt
var table string

// entry is a line of the table.
type entry struct {
	acronym string
	words   []string
}

// listed has the lines of the table by the first word of what they stand for; isListed
// has their acronyms.
var listed, isListed = readTable(table)

func readTable(text string) (entries map[string][]entry, acronyms map[string]bool) {
	entries, acronyms = map[string][]entry{}, map[string]bool{}
	for line := range strings.Lines(text) {
		acronym, words, ok := strings.Cut(strings.TrimSpace(line), " = ")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		e := entry{acronym, strings.Fields(words)}
		entries[e.words[0]] = append(entries[e.words[0]], e)
		acronyms[acronym] = true
	}
	return entries, acronyms
}
