package web

import (
	"cmp"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/text/collate"
	"golang.org/x/text/feature/plural"
	xlanguage "golang.org/x/text/language"
	"golang.org/x/text/language/display"
	"golang.org/x/text/message"
)

//go:embed messages/*.json
var messageFiles embed.FS

type language struct {
	Code    string // "en"
	Name    string // in the language itself: "English"
	tag     xlanguage.Tag
	texts   map[string]string
	printer *message.Printer

	months    []string          // short names
	countries map[string]string // names by alpha-2 code
	ranks     map[string]int    // of countries in the order of their names, by alpha-2 code
	genres    map[string]string // names by folded spellings
}

// languages are all languages. The first is the default.
type languages struct {
	all     []*language
	matcher xlanguage.Matcher
}

func loadLanguages() (*languages, error) {
	ls := &languages{}
	var tags []xlanguage.Tag
	for _, l := range []*language{
		{Code: "en", Name: "English", tag: xlanguage.English},
		{Code: "ru", Name: "Русский", tag: xlanguage.Russian},
		{Code: "uk", Name: "Українська", tag: xlanguage.Ukrainian},
	} {
		text, err := messageFiles.ReadFile("messages/" + l.Code + ".json")
		if err != nil {
			return nil, err
		}
		if err := json.Unmarshal(text, &l.texts); err != nil {
			return nil, fmt.Errorf("messages/%s.json: %w", l.Code, err)
		}
		l.printer, l.months, l.countries = message.NewPrinter(l.tag), strings.Fields(l.texts["time.months"]), countryNames(l.tag)
		l.ranks = countryRanks(l.tag, l.countries)
		ls.all, tags = append(ls.all, l), append(tags, l.tag)
	}
	ls.matcher = xlanguage.NewMatcher(tags)
	return ls, loadGenres(ls.all)
}

// languageCookie holds a choice that overrides what the browser prefers.
const languageCookie = "language"

// forRequest returns the visitor's choice, else the best match for what the browser
// prefers.
func (ls *languages) forRequest(r *http.Request) *language {
	if c, err := r.Cookie(languageCookie); err == nil {
		if l := ls.byCode(c.Value); l != nil {
			return l
		}
	}
	// A header that cannot be parsed prefers nothing: the default.
	wanted, _, _ := xlanguage.ParseAcceptLanguage(r.Header.Get("Accept-Language"))
	_, i, _ := ls.matcher.Match(wanted...)
	return ls.all[i]
}

func (ls *languages) byCode(code string) *language {
	if i := slices.IndexFunc(ls.all, func(l *language) bool { return l.Code == code }); i >= 0 {
		return ls.all[i]
	}
	return nil
}

// ofPath returns the language with which a path begins; nil if there is none.
func (ls *languages) ofPath(path string) *language {
	code, _, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	return ls.byCode(code)
}

// chooseLanguage stores a choice in a cookie and returns to the page.
func (s *Site) chooseLanguage(v *Visit) error {
	back := LocalPath(v.Form("back"), "/")
	if l := s.languages.byCode(v.Form("to")); l != nil {
		s.setChoice(v.W, v.R, languageCookie, l.Code)
		back = s.languages.withLanguage(back, l.Code)
	}
	return v.Redirect(back)
}

// text returns the key in brackets if it has no text; a test checks that every key has.
func (l *language) text(key string, args ...any) string {
	text, ok := l.texts[key]
	if !ok {
		return "[" + key + "]"
	}
	if len(args) == 0 {
		return text
	}
	return fmt.Sprintf(text, args...)
}

func (l *language) plural(key string, n int, args ...any) string {
	form := pluralForms[plural.Cardinal.MatchPlural(l.tag, n, 0, 0, 0, 0)]
	return l.text(key+"."+form, append([]any{l.number(n)}, args...)...)
}

var pluralForms = map[plural.Form]string{plural.One: "one", plural.Few: "few", plural.Many: "many", plural.Other: "other"}

// number formats n with the language's grouping of digits. Small numbers, which have none, are
// most of those on a page.
func (l *language) number(n any) string {
	if i, ok := n.(int); ok && i >= 0 && i < 1000 {
		return strconv.Itoa(i)
	}
	return l.printer.Sprint(n)
}

// countryNames returns the names of all countries in a language: a page may show sixty, and a
// search for one takes a microsecond.
func countryNames(tag xlanguage.Tag) map[string]string {
	names := displayedNames(tag)
	maps.Copy(names, commonNames[tag])
	return names
}

// displayedNames returns the names that package display has, in today's spelling.
func displayedNames(tag xlanguage.Tag) map[string]string {
	names, all := map[string]string{}, display.Regions(tag)
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			code := string([]rune{a, b})
			if region, err := xlanguage.ParseRegion(code); err == nil {
				names[code] = ukrainianSpelling.Replace(cmp.Or(all.Name(region), code))
			}
		}
	}
	return names
}

// ukrainianSpelling replaces what only the Ukrainian names of package display have: ґ, which the
// orthography has in no name of a country, and another apostrophe than that of our texts.
var ukrainianSpelling = strings.NewReplacer("ґ", "г", "Ґ", "Г", "ʼ", "’")

// commonNames are the names that people use, where package display has a formal, a long or a
// former one.
var commonNames = map[xlanguage.Tag]map[string]string{
	xlanguage.English: {
		"BA": "Bosnia and Herzegovina", "CD": "DR Congo", "CG": "Congo Republic", "HK": "Hong Kong", "MK": "North Macedonia", "MM": "Myanmar",
		"MO": "Macau", "PS": "Palestine", "SZ": "Eswatini", "TT": "Trinidad and Tobago",
	},
	xlanguage.Russian: {
		"BM": "Бермуды", "BN": "Бруней", "CD": "ДР Конго", "CG": "Республика Конго", "DO": "Доминикана", "FM": "Микронезия", "HK": "Гонконг",
		"KR": "Южная Корея", "KP": "Северная Корея", "KY": "Каймановы острова", "MK": "Северная Македония", "MM": "Мьянма", "MO": "Макао",
		"PS": "Палестина", "SC": "Сейшелы", "SZ": "Эсватини", "US": "США", "ZA": "ЮАР",
	},
	xlanguage.Ukrainian: {
		"AE": "ОАЕ", "BM": "Бермуди", "BS": "Багами", "CD": "ДР Конго", "CG": "Республіка Конго", "CL": "Чилі", "CR": "Коста-Рика",
		"DO": "Домінікана", "HK": "Гонконг", "MK": "Північна Македонія", "MM": "М’янма", "MO": "Макао", "MU": "Маврикій", "PR": "Пуерто-Рико",
		"PS": "Палестина", "SC": "Сейшели", "SM": "Сан-Марино", "SR": "Суринам", "SZ": "Есватіні", "TL": "Східний Тимор",
		"TT": "Тринідад і Тобаго", "US": "США", "ZA": "ПАР",
	},
}

// countryRanks returns the rank of each country among all, sorted by name as the language sorts: pages
// compare ranks, which takes less than comparing names. Apostrophes do not count.
func countryRanks(tag xlanguage.Tag, names map[string]string) map[string]int {
	plain, collator := strings.NewReplacer("ʼ", "", "’", ""), collate.New(tag)
	codes := slices.SortedFunc(maps.Keys(names), func(a, b string) int {
		return cmp.Or(collator.CompareString(plain.Replace(names[a]), plain.Replace(names[b])), strings.Compare(a, b))
	})
	ranks := make(map[string]int, len(codes))
	for i, code := range codes {
		ranks[code] = i
	}
	return ranks
}
