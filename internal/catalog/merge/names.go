package merge

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"gamedex/internal/fold"
)

// Names of products carry what does not tell them apart: platforms, trademark
// signs, lists of languages. cleanName drops it, so that regions compare.

// standardEditions are the folded names that mean "no special edition".
var standardEditions = [...]string{"standard edition", "standard", "base game"}

// platformList matches "PS4™ & PS5™", "(PlayStation®5)", "PS5 and PS4", "for
// PS5", "PS4 Version".
var platformList = regexp.MustCompile(`(?i)(?:\bfor\s+)?\b(?:ps|playstation)[®™ ]*[45]\b[®™]*` +
	`(?:\s*(?:[&/,+|]|and)\s*(?:ps|playstation)[®™ ]*[45]\b[®™]*)*(?:\s+ver(?:sion)?\b\.?)?`)

// bracketed matches one pair of brackets without brackets inside.
var bracketed = regexp.MustCompile(`[(\[（【]([^()\[\]（）【】]*)[)\]）】]`)

// joiners stand between a title and what follows it.
const joiners = " \t\u00a0\u3000-–—:：,，、|·+&~～/(（[【"

// cleanName drops platform words and language lists; the rest stays as written.
func cleanName(s string) string {
	s = dropBrackets(s, isLanguageList)
	if hasPlatformWord(s) {
		s = platformList.ReplaceAllString(s, " ")
		s = dropBrackets(s, func(b string) bool { return fold.Fold(b) == "" })
	}
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), joiners)
}

// dropBrackets drops the brackets of which drop holds.
func dropBrackets(s string, drop func(string) bool) string {
	if !strings.ContainsAny(s, "(（[【") {
		return s
	}
	return bracketed.ReplaceAllStringFunc(s, func(b string) string {
		if drop(b) {
			return " "
		}
		return b
	})
}

// hasPlatformWord spares most names the regular expression.
func hasPlatformWord(s string) bool {
	if !strings.ContainsAny(s, "45") {
		return false
	}
	lower := strings.ToLower(s)
	return strings.Contains(lower, "ps") || strings.Contains(lower, "playstation")
}

// foldName is the form in which invariant names, family names and editions are
// compared.
func foldName(s string) string { return fold.Fold(cleanName(s)) }

// gameName is foldName without a trailing name of the standard edition.
func gameName(s string) string {
	name := foldName(s)
	for _, standard := range standardEditions {
		if rest, ok := strings.CutSuffix(name, " "+standard); ok {
			return rest
		}
	}
	return name
}

// foldEdition is foldName, and empty for the standard edition.
func foldEdition(s string) string {
	if s == "" {
		return ""
	}
	name := foldName(s)
	if slices.Contains(standardEditions[:], name) {
		return ""
	}
	return name
}

// cutWords cuts whole words off the front of a folded name.
func cutWords(name, prefix string) (rest string, ok bool) {
	if name == prefix {
		return "", true
	}
	return strings.CutPrefix(name, prefix+" ")
}

// remainder is what an invariant name says after the family name, as written;
// empty if it does not begin with it or names the standard edition.
func remainder(invariantName, family string) string {
	s := cleanName(invariantName)
	end := familyEnd(s, family)
	if fold.Fold(s[:end]) != family {
		return ""
	}
	rest := strings.TrimLeft(s[end:], joiners+"®™")
	if strings.ContainsAny(s[:end], "(（[【") || !strings.ContainsAny(rest, "(（[【") {
		rest = strings.TrimRight(rest, ")）]】")
	}
	if foldEdition(rest) == "" {
		return ""
	}
	return rest
}

// familyEnd finds the end of the word with which s is, folded, as long as
// family. More text never folds to less, so the place is found by halving:
// names may have a million characters.
func familyEnd(s, family string) int {
	end := sort.Search(len(s), func(n int) bool { return len(fold.Fold(s[:n])) >= len(family) })
	if fold.Fold(s[:end]) != family { // Korean: a vowel to come changes a syllable, not its length
		end = sort.Search(len(s), func(n int) bool {
			folded := fold.Fold(s[:n])
			return len(folded) > len(family) || folded == family
		})
	}
	if n := strings.IndexFunc(s[end:], func(r rune) bool { return !isWordRune(r) }); n >= 0 {
		return end + n
	}
	return len(s)
}

func isWordRune(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// languageWords are the words of which English language lists are made.
const languageWords = " arabic brazilian bulgarian cantonese chinese croatian czech danish dutch english finnish" +
	" french german greek hebrew hindi hungarian indonesian italian japanese korean latin malay mandarin mexican" +
	" norwegian polish portuguese romanian russian serbian simplified slovak slovenian spanish swedish thai" +
	" traditional turkish ukrainian vietnamese and only subtitles ver version voice "

// languageEndings end the names of languages in Chinese, Japanese and Korean.
var languageEndings = []string{"文", "語", "语", "어"}

// isLanguageList reports whether a bracket holds nothing but names of languages:
// "(English/Japanese Ver.)", "(簡體中文, 韓文)", "(中日英韓文版)".
func isLanguageList(s string) bool {
	words := fold.Words(s)
	named := false
	for _, w := range words {
		asian := strings.TrimSuffix(strings.TrimSuffix(w, "版"), "판")
		switch {
		case slices.ContainsFunc(languageEndings, func(e string) bool { return strings.HasSuffix(asian, e) && asian != e }):
			named = true
		case strings.Contains(languageWords, " "+w+" "):
			named = named || !slices.Contains([]string{"and", "only", "subtitles", "ver", "version", "voice"}, w)
		default:
			return false
		}
	}
	return named
}
