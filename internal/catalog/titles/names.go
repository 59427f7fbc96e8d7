package titles

import (
	"regexp"
	"slices"
	"sort"
	"strings"
	"unicode"

	"gamedex/internal/fold"
)

// standardEditions are the folded names that mean "no special edition".
var standardEditions = [...]string{"standard edition", "standard", "base game"}

// platformList matches "PS4™ & PS5™", "(PlayStation®5)", "PS5 and PS4", "for
// PS5", "PS4 Version".
var platformList = regexp.MustCompile(`(?i)(?:\bfor\s+)?\b(?:ps|playstation)[®™ ]*[45]\b[®™]*` +
	`(?:\s*(?:[&/,+|]|and)\s*(?:ps|playstation)[®™ ]*[45]\b[®™]*)*(?:\s+ver(?:sion)?\b\.?)?`)

// bracketed matches one pair of brackets without brackets inside.
var bracketed = regexp.MustCompile(`[(\[（【]([^()\[\]（）【】]*)[)\]）】]`)

// joiners are the characters between a title and what follows it.
const joiners = " \t\u00a0\u3000-–—:：,，、|·+&~～/(（[【"

// cleanName removes platform words and language lists from a name, so that the
// names of different regions can be compared. The rest stays as written.
func cleanName(s string) string {
	s = dropBrackets(s, isLanguageList)
	if hasPlatformWord(s) {
		s = platformList.ReplaceAllString(s, " ")
		s = dropBrackets(s, func(b string) bool { return fold.Fold(b) == "" })
	}
	return strings.TrimRight(strings.Join(strings.Fields(s), " "), joiners)
}

// dropBrackets removes each pair of brackets for which drop returns true.
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

// hasPlatformWord reports whether platformList may match. Most names contain no
// platform, and this test is much cheaper than the regular expression.
func hasPlatformWord(s string) bool {
	if !strings.ContainsAny(s, "45") {
		return false
	}
	lower := strings.ToLower(s)
	return strings.Contains(lower, "ps") || strings.Contains(lower, "playstation")
}

// Platforms reports which consoles the platform words of a name are about.
func Platforms(name string) (ps4, ps5 bool) {
	if hasPlatformWord(name) {
		for _, words := range platformList.FindAllString(name, -1) {
			ps4, ps5 = ps4 || strings.Contains(words, "4"), ps5 || strings.Contains(words, "5")
		}
	}
	return ps4, ps5
}

// Fold returns the form in which names are compared: folded, without platform
// words and language lists.
func Fold(name string) string { return fold.Fold(cleanName(name)) }

// FoldGame is Fold for the name of a game: it also removes the standard edition's
// name from the end.
func FoldGame(name string) string {
	folded := Fold(name)
	for _, standard := range standardEditions {
		if rest, ok := strings.CutSuffix(folded, " "+standard); ok {
			return rest
		}
	}
	return folded
}

// FoldEdition is Fold for the name of an edition: it returns "" for the standard
// edition.
func FoldEdition(edition string) string {
	if edition == "" {
		return ""
	}
	folded := Fold(edition)
	if IsStandardEdition(folded) {
		return ""
	}
	return folded
}

// IsStandardEdition reports whether a folded name means the standard edition.
func IsStandardEdition(folded string) bool { return slices.Contains(standardEditions[:], folded) }

// CutPrefix removes a prefix of whole words from a folded name. It reports whether
// the name had it.
func CutPrefix(folded, prefix string) (rest string, ok bool) {
	if folded == prefix {
		return "", true
	}
	return strings.CutPrefix(folded, prefix+" ")
}

// Remainder returns the edition that follows the folded family name in an invariant name,
// as written. It returns "" if the invariant name does not begin with the family name, or
// if something else follows: the standard edition, another product ("+ Moon Base Bundle")
// or words of the title ("(2005)", "Remastered").
func Remainder(invariantName, family string) string {
	s := cleanName(invariantName)
	end := familyEnd(s, family)
	if fold.Fold(s[:end]) != family {
		return ""
	}
	if joinsProduct(s[end:]) {
		return ""
	}
	rest, cut := cutTitleWords(strings.TrimLeft(s[end:], joiners+"®™"))
	if strings.ContainsAny(s[:end], "(（[【") || !strings.ContainsAny(rest, "(（[【") {
		rest = strings.TrimRight(rest, ")）]】")
	}
	if at := titleWordsAt(rest); at < len(rest) {
		rest, cut = rest[:at], true
	}
	if folded := FoldEdition(rest); folded == "" || cut && (folded == "edition" || folded == "version") {
		return ""
	}
	return rest
}

// familyEnd returns the end of the first word up to which s, folded, is as long
// as family. Adding text never makes the folded form shorter, so a binary search
// finds the place: names may have a million characters.
func familyEnd(s, family string) int {
	end := sort.Search(len(s), func(n int) bool { return len(fold.Fold(s[:n])) >= len(family) })
	if fold.Fold(s[:end]) != family { // Korean: the next vowel changes a syllable, not its length
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

// languageWords are the words of English language lists.
const languageWords = " arabic brazilian bulgarian cantonese chinese croatian czech danish dutch english finnish" +
	" french german greek hebrew hindi hungarian indonesian italian japanese korean latin malay mandarin mexican" +
	" norwegian polish portuguese romanian russian serbian simplified slovak slovenian spanish swedish thai" +
	" traditional turkish ukrainian vietnamese and only subtitles ver version voice "

// languageEndings end the names of languages in Chinese, Japanese and Korean.
var languageEndings = []string{"文", "語", "语", "어"}

// isLanguageList reports whether a text, usually in brackets, names languages and
// nothing else: "(English/Japanese Ver.)", "(簡體中文, 韓文)", "(中日英韓文版)".
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
