package catalog

import (
	"fmt"
	"strings"

	"golang.org/x/text/language"
)

// Language is a language in which texts are known, as its BCP 47 code without a
// country: "uk", "pt". Chinese has its script too: "zh-Hans", "zh-Hant". The zero value
// is not a language.
type Language string

// English is the language of invariant names.
const English Language = "en"

// maxTag is the longest tag that ParseLanguage reads, in bytes.
const maxTag = 64

// ParseLanguage reads a BCP 47 tag in any case, surrounding space ignored, such as "uk",
// "pt-BR" or "zh-TW", and returns its language. Tags that name no language ("und", "mul",
// "x-private") or an unknown one are errors.
func ParseLanguage(tag string) (Language, error) {
	text := strings.TrimSpace(tag)
	if len(text) > maxTag || strings.Contains(text, "_") {
		return "", fmt.Errorf("language %.80q is not a language tag (BCP 47)", tag)
	}
	parsed, err := language.All.Parse(text)
	base, _, _ := parsed.Raw()
	code := base.String()
	if err != nil || strings.Contains(noLanguages, " "+code+" ") {
		return "", fmt.Errorf("language %q is not a language tag (BCP 47)", tag)
	}
	if code == "zh" {
		script, _ := parsed.Script() // the likely one of the country, if the tag has none
		return Language(code + "-" + script.String()), nil
	}
	return Language(code), nil
}

// noLanguages are the codes of texts in an unknown language, in several, in one without
// a code, and in none.
const noLanguages = " und mul mis zxx "
