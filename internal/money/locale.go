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

// regionLocale is the one locale in which a region's prices are written: the
// contract's choice, else the language that CLDR holds likely there.
func regionLocale(region string) currency.Locale {
	switch region {
	case "UA":
		return currency.Locale{Language: "uk", Territory: region}
	case "TR":
		return currency.Locale{Language: "tr", Territory: region}
	case "PL":
		return currency.Locale{Language: "pl", Territory: region}
	case "IN", "US":
		return currency.Locale{Language: "en", Territory: region}
	case "DE":
		return currency.Locale{Language: "de", Territory: region}
	case "JP":
		return currency.Locale{Language: "ja", Territory: region}
	case "KZ":
		return currency.Locale{Language: "ru", Territory: region}
	}
	return likelyLocale(region)
}

// likelyLocale asks CLDR which language a region most likely reads, and adds
// the script where that is not the language's usual one (zh-Hant-TW).
func likelyLocale(region string) currency.Locale {
	known, err := language.ParseRegion(region)
	if err != nil || !known.IsCountry() {
		return currency.Locale{Language: "en"}
	}
	tag, err := language.Compose(language.Und, known)
	if err != nil {
		return currency.Locale{Language: "en"}
	}
	base, _ := tag.Base()
	script, _ := tag.Script()
	locale := currency.Locale{Language: base.String(), Territory: region}
	plain, err := language.Compose(base)
	if err != nil {
		return currency.Locale{Language: "en"}
	}
	if usual, _ := plain.Script(); usual != script {
		locale.Script = script.String()
	}
	return locale
}
