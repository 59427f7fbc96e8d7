package titles

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"gamedex/internal/fold"
)

// editionWord is the word for "edition" in some languages.
type editionWord struct {
	languages string // separated by spaces; empty: all languages
	word      string // folded
	before    bool   // also used before the edition's name: "Edycja Deluxe"
}

var editionWords = [...]editionWord{
	{"", "edition", false}, // English names are used in all languages
	{"de", "ausgabe", false},
	{"fr", "edition", true},
	{"nl", "editie", false}, {"nl", "uitgave", false},
	{"es gl ca", "edicion", true}, {"es ca", "edicio", true},
	{"pt", "edicao", true},
	{"it", "edizione", true},
	{"ro", "editia", true}, {"ro", "editie", true},
	{"pl", "edycja", true}, {"pl", "wydanie", true},
	{"cs", "edice", true}, {"sk", "edicia", true}, {"hr sr sl bs", "izdanje", true}, {"sl", "izdaja", true},
	{"ru be", "издание", true}, {"bg", "издание", true},
	{"uk", "видання", true},
	{"tr", "surumu", false}, {"tr", "surum", false},
	{"hu", "kiadas", false}, {"el", "εκδοση", true},
	{"sv da no nb", "utgava", false}, {"da no nb", "udgave", false}, {"no nb", "utgave", false}, {"fi", "versio", false},
	{"ja", "エディション", false}, {"ja zh", "版", false},
	{"ko", "에디션", false}, {"ko", "판", false},
	{"id", "edisi", true},
}

func (w *editionWord) in(lang string) bool {
	return w.languages == "" || lang != "" && strings.Contains(" "+w.languages+" ", " "+lang+" ")
}

// WithEdition returns the title with " - " and the edition at its end. It removes
// the edition's name from the end of the title itself; names are the names that
// the edition may have there. lang is the language of the title, as a lower-case
// code. A title that consists only of the edition's name, or of two products that a
// word or a sign joins, is returned as it is.
func WithEdition(title, lang, edition string, names []string) string {
	head, tail := cutTail(title)
	own := cutNames(title, head, tail, lang, names)
	if at := titleWordsAt(head); own == title && at < len(head) {
		tail = " " + strings.TrimLeft(title[at:], " \t\u00a0\u3000-–—:：,，、|·~～")
		own = cutNames(title, head[:at], tail, lang, names)
	}
	if own == "" {
		return title
	}
	return own + " - " + edition
}

// cutNames removes the longest of an edition's names from the end of a title's head. It
// returns the title if none is there, and "" if the title must stay as it is.
func cutNames(title, head, tail, lang string, names []string) string {
	own, folded := title, fold.Fold(head)
	for i, name := range names {
		if slices.Contains(names[:i], name) {
			continue
		}
		cut, ok := cutEdition(head, folded, lang, name)
		switch {
		case ok && (cut == "" || awaitsProduct(cut)):
			return ""
		case ok:
			if cut = strings.TrimRight(cut, joiners) + tail; len(cut) < len(own) {
				own = cut
			}
		}
	}
	return own
}

// cutEdition removes an edition's name, with the words for "edition" around it,
// from the end of a title that folds to folded. It reports whether it did.
func cutEdition(title, folded, lang, name string) (string, bool) {
	target := fold.Fold(name)
	if at := editionWordAt(target, lang, false); at > 0 {
		target = strings.TrimRight(target[:at], " ")
	}
	for _, w := range editionWords {
		if rest, ok := strings.CutPrefix(target, w.word+" "); ok && w.before && w.in(lang) {
			target = rest
			break
		}
	}
	if target == "" {
		return title, false
	}
	for _, end := range [...]int{editionWordAt(folded, lang, false), len(folded)} {
		rest, ok := strings.CutSuffix(strings.TrimRight(folded[:end], " "), target)
		if !ok {
			continue
		}
		rest = strings.TrimRight(rest, " ")
		rest = rest[:editionWordAt(rest, lang, true)]
		if rest == "" {
			return "", true
		}
		if at, ok := suffixAt(title, strings.TrimLeft(folded[len(rest):], " ")); ok {
			own := title[:at]
			opened := 0 // brackets that also contain other text stay whole
			for _, r := range strings.TrimRight(own, joiners) {
				switch r {
				case '(', '（', '[', '【':
					opened++
				case ')', '）', ']', '】':
					opened--
				}
			}
			return own, opened == 0
		}
	}
	return title, false
}

// editionWordAt returns where the word for "edition" at the end of a folded text
// begins, or the text's length if there is none. With before it finds only words
// that the edition's name may follow.
func editionWordAt(folded, lang string, before bool) int {
	for _, w := range editionWords {
		if before && !w.before || !strings.HasSuffix(folded, w.word) || !w.in(lang) {
			continue
		}
		if at := len(folded) - len(w.word); beginsWord(folded, at) {
			return at
		}
	}
	return len(folded)
}

// suffixAt returns the start of the suffix of a title that folds to target. The
// suffix must begin a word; in scripts without spaces every character does. A longer
// suffix never has a shorter folded form, so a binary search finds the place.
func suffixAt(title, target string) (int, bool) {
	var starts []int // of words, from the last one
	for at := len(title); at > 0; {
		_, size := utf8.DecodeLastRuneInString(title[:at])
		at -= size
		if beginsWord(title, at) {
			starts = append(starts, at)
		}
	}
	first := sort.Search(len(starts), func(i int) bool { return len(fold.Fold(title[starts[i]:])) >= len(target) })
	const most = 4 // suffixes of one folded length: a Korean syllable changes without becoming longer
	for _, at := range starts[first:min(first+most, len(starts))] {
		if fold.Fold(title[at:]) == target {
			return at, true
		}
	}
	return 0, false
}

// cutTail splits the closing brackets, platform words and language lists off the
// end of a title. The tail begins with a space unless it is empty.
func cutTail(title string) (head, tail string) {
	var platforms [][]int
	if hasPlatformWord(title) {
		platforms = platformList.FindAllStringIndex(title, -1)
	}
	head = title
	for {
		trimmed := strings.TrimRight(head, " \t\u00a0\u3000")
		at := languagesStart(trimmed)
		if last := len(platforms) - 1; at == len(trimmed) && last >= 0 && fold.Fold(trimmed[platforms[last][1]:]) == "" {
			at, platforms = platforms[last][0], platforms[:last]
		}
		if at == len(trimmed) || at == 0 {
			break
		}
		head = trimmed[:at]
	}
	head = strings.TrimRight(head, joiners)
	tail = strings.TrimSpace(title[len(head):])
	if fold.Fold(tail) == "" {
		return strings.TrimRight(head, ")）]】」』 "), ""
	}
	return head, " " + tail
}

// languagesStart returns where a language list in brackets at the end of a text begins,
// or the text's length if there is none.
func languagesStart(s string) int {
	last, size := utf8.DecodeLastRuneInString(s)
	if !strings.ContainsRune(")）]】", last) {
		return len(s)
	}
	at := strings.LastIndexAny(s[:len(s)-size], "()[]（）【】")
	if at < 0 {
		return len(s)
	}
	if first, _ := utf8.DecodeRuneInString(s[at:]); !strings.ContainsRune("(（[【", first) || !isLanguageList(s[at:]) {
		return len(s)
	}
	return at
}

// beginsWord reports whether a word of s begins at a position.
func beginsWord(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	first, _ := utf8.DecodeRuneInString(s[at:])
	if !isWordRune(first) {
		return false
	}
	return at == 0 || !isWordRune(before) || isUnspaced(before) || isUnspaced(first)
}

// isUnspaced reports whether a character belongs to a script without spaces.
func isUnspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai) || r == 'ー'
}
