package catalog

import (
	"fmt"
	"strings"
	"sync"

	"golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"gamedex/internal/fold"
)

// FindRegion is ParseRegion for people: it also reads "UK", and the English names of CLDR
// in any case ("Germany").
func FindRegion(s string) (Region, error) {
	if r, err := ParseRegion(s); err == nil {
		return r, nil
	}
	if r, known := regionNames()[foldedName(s)]; known {
		return r, nil
	}
	return Region{}, fmt.Errorf("region %.60q is not a country: write its code (DE, DEU) or its English name (Germany)", s)
}

// Name returns the English name of CLDR ("Germany"); empty for the zero value.
func (r Region) Name() string {
	for _, newer := range newerNames {
		if newer.region == r.String() && newer.shown {
			return newer.name
		}
	}
	known, err := language.ParseRegion(r.String())
	if err != nil {
		return ""
	}
	return display.English.Regions().Name(known)
}

// newerNames are the names of CLDR 48 that x/text, which has those of CLDR 32, lacks: new
// names, short names and alternatives.
var newerNames = []struct {
	region, name string
	shown        bool // instead of that of CLDR 32
}{
	{"TR", "Türkiye", true}, {"MK", "North Macedonia", true}, {"SZ", "Eswatini", true}, {"HK", "Hong Kong", true}, {"MO", "Macao", true},
	{"GB", "UK", false}, {"US", "US", false}, {"BA", "Bosnia", false}, {"CZ", "Czech Republic", false}, {"CI", "Ivory Coast", false},
	{"CV", "Cabo Verde", false}, {"MM", "Myanmar", false}, {"MO", "Macau", false}, {"PS", "Palestine", false}, {"TL", "East Timor", false},
	{"CG", "Congo (Republic)", false}, {"CD", "Congo (DRC)", false},
}

// regionNames has the regions by the folded names of CLDR.
var regionNames = sync.OnceValue(func() map[string]Region {
	names := make(map[string]Region)
	english := display.English.Regions()
	for first := byte('A'); first <= 'Z'; first++ {
		for second := byte('A'); second <= 'Z'; second++ {
			if r, err := ParseRegion(string([]byte{first, second})); err == nil {
				names[foldedName(english.Name(language.MustParseRegion(r.String())))] = r
			}
		}
	}
	for _, newer := range newerNames {
		names[foldedName(newer.name)] = MustRegion(newer.region)
	}
	return names
})

func foldedName(s string) string {
	if len(s) > 100 {
		return ""
	}
	return fold.Fold(strings.NewReplacer("&", " and ", "St.", "Saint").Replace(s))
}
