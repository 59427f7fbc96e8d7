package mcp

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
	"gamedex/internal/search/spelling"
)

// codes returns countries as the API reads them. They are codes, English names, or "all" and "eu".
// read has what the service has.
func codes(regions []string, read map[string]string) (string, error) {
	var found []string
	for _, region := range regions {
		word := strings.ToLower(strings.TrimSpace(region))
		if word != "all" && word != "eu" {
			r, err := catalog.FindRegion(region)
			if err != nil {
				return "", fmt.Errorf("region %q is not a country%s. Send a list of codes (DE, DEU) or English names (Germany), eu or all", cleaned(region, 60), near(region, read))
			}
			word = r.String()
		}
		found = append(found, word)
	}
	return strings.Join(found, ","), nil
}

// near says which countries of the service a wrong name may mean, or else which ones it has.
func near(name string, read map[string]string) string {
	folded := fold.Fold(cleaned(name, 60))
	var likely, all []string
	for key := range read {
		_, alpha2, _ := strings.Cut(key, " ")
		all = append(all, named(alpha2))
		other := fold.Fold(countryName(alpha2))
		if len(folded) > 2 && strings.HasPrefix(other, folded) || len(folded) > 4 && spelling.Edits([]rune(folded), []rune(other), 2) <= 2 {
			likely = append(likely, named(alpha2))
		}
	}
	says, list := "; near ones: ", likely
	if len(likely) == 0 {
		says, list = "; the service has prices in ", all
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) == 0 {
		return ""
	}
	return says + strings.Join(list[:min(len(list), 12)], ", ")
}

// named returns the name and the code of a country: "Germany (DE)".
func named(alpha2 string) string { return countryName(alpha2) + " (" + alpha2 + ")" }

// countryName returns the English name of a country, or the code if it has none.
func countryName(alpha2 string) string {
	r, _ := catalog.ParseRegion(alpha2)
	return cmp.Or(r.Name(), cleaned(alpha2, 3))
}
