package web

import (
	"strings"
	"testing"
)

// TestCountryNames checks that pages name countries as people do: the table of exceptions, and
// what surrounds it.
func TestCountryNames(t *testing.T) {
	all, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	for code, want := range map[string]string{
		"AE": "United Arab Emirates, ОАЭ, ОАЕ",
		"BE": "Belgium, Бельгия, Бельгія",
		"CL": "Chile, Чили, Чилі",
		"CZ": "Czechia, Чехия, Чехія",
		"GB": "United Kingdom, Великобритания, Велика Британія",
		"HK": "Hong Kong, Гонконг, Гонконг",
		"KR": "South Korea, Южная Корея, Південна Корея",
		"MK": "North Macedonia, Северная Македония, Північна Македонія",
		"MO": "Macau, Макао, Макао",
		"SA": "Saudi Arabia, Саудовская Аравия, Саудівська Аравія",
		"TR": "Turkey, Турция, Туреччина",
		"TW": "Taiwan, Тайвань, Тайвань",
		"US": "United States, США, США",
		"VN": "Vietnam, Вьетнам, В’єтнам",
		"ZA": "South Africa, ЮАР, ПАР",
	} {
		var names []string
		for _, l := range all.all {
			names = append(names, l.countries[code])
		}
		if got := strings.Join(names, ", "); got != want {
			t.Errorf("%s: %s, want %s", code, got, want)
		}
	}
}

// TestCommonNamesDiffer checks that the table has only countries, and only names that package
// display has not.
func TestCommonNamesDiffer(t *testing.T) {
	for tag, common := range commonNames {
		displayed := displayedNames(tag)
		for code, name := range common {
			if was := displayed[code]; was == "" || was == name {
				t.Errorf("%s in %s is %q in package display, too", code, tag, was)
			}
		}
	}
}
