package money

import (
	"github.com/bojanz/currency"
	"golang.org/x/text/language"
)

// Words are the texts for a zero: free for everybody, a trial of the product,
// or part of a subscription.
type Words struct{ Free, Trial, Included string }

// RegionWords are the words for a region (upper-case alpha-2) whose store gave
// none: English where the contract names no others.
func RegionWords(region string) Words {
	switch region {
	case "UA":
		return Words{"Безкоштовно", "Пробна версія", "У складі підписки"}
	case "TR":
		return Words{"Ücretsiz", "Deneme sürümü", "Abonelikle"}
	case "PL":
		return Words{"Za darmo", "Wersja próbna", "W abonamencie"}
	}
	return Words{"Free", "Trial", "Included"}
}

// regionLanguages are the languages in which the contract wants prices written;
// elsewhere it is the language that CLDR holds likely.
var regionLanguages = map[string]string{
	"UA": "uk", "TR": "tr", "PL": "pl", "IN": "en", "US": "en", "DE": "de", "JP": "ja", "KZ": "ru",
}

// regionLocale is the one locale in which a region's prices are written. It has
// the script where that is not the language's usual one (zh-Hant-TW).
func regionLocale(region string) currency.Locale {
	if code, ok := regionLanguages[region]; ok {
		return currency.Locale{Language: code, Territory: region}
	}
	english := currency.Locale{Language: "en"}
	known, err := language.ParseRegion(region)
	if err != nil || !known.IsCountry() {
		return english
	}
	tag, err := language.Compose(language.Und, known)
	if err != nil {
		return english
	}
	base, _ := tag.Base()
	script, _ := tag.Script()
	plain, err := language.Compose(base)
	if err != nil {
		return english
	}
	locale := currency.Locale{Language: base.String(), Territory: region}
	if usual, _ := plain.Script(); usual != script {
		locale.Script = script.String()
	}
	return locale
}
