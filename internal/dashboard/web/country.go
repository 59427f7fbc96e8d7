package web

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/collate"
	xlanguage "golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

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
