package money

import (
	"github.com/bojanz/currency"
	"golang.org/x/text/language"
)

// Words are the texts for a zero: free for everybody, a trial of the product,
// or part of a subscription.
type Words struct{ Free, Trial, Included string }

// RegionWords returns the words for a region (upper-case alpha-2) whose store shows none:
// English, unless the contract names others.
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

// regionLanguages are the languages of prices according to the contract. Other regions
// have the most likely language according to CLDR.
var regionLanguages = map[string]string{
	"UA": "uk", "TR": "tr", "PL": "pl", "IN": "en", "US": "en", "DE": "de", "JP": "ja", "KZ": "ru",
}

// regionLocale returns the locale of a region's prices. It includes the script if that is
// not the usual one of the language (zh-Hant-TW).
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
