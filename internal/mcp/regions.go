package mcp

import (
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
	"gamedex/internal/search/spelling"
)

const maxRegions = 250

// codes returns countries as the API reads them. They are codes, English names, or "all" and "eu".
// read has what the service has.
func codes(regions []string, read map[string]string) (string, error) {
	if len(regions) > maxRegions {
		return "", fmt.Errorf("regions has %d entries, and at most %d are allowed; all is every country", len(regions), maxRegions)
	}
	var found []string
	for _, region := range regions {
		word := strings.ToLower(strings.TrimSpace(region))
		if word == "all" || word == "eu" {
			found = append(found, word)
			continue
		}
		r, err := catalog.FindRegion(region)
		if err != nil {
			return "", fmt.Errorf("region %q is not a country%s. Send a list of codes (DE, DEU) or English names (Germany), eu or all", cleaned(region, 60), near(region, read))
		}
		found = append(found, r.String())
	}
	return strings.Join(found, ","), nil
}

// near says which countries a wrong name may mean, or else which ones the service has.
func near(name string, read map[string]string) string {
	folded := fold.Fold(cleaned(name, 60))
	var found []string
	for code := [2]byte{'A', 'A'}; code[0] <= 'Z' && len(folded) > 2; code = next(code) {
		r, err := catalog.ParseRegion(string(code[:]))
		other := fold.Fold(r.Name())
		if err == nil && (strings.HasPrefix(other, folded) || len(folded) > 4 && spelling.Edits([]rune(folded), []rune(other), 2) <= 2) {
			found = append(found, named(r.String()))
		}
	}
	says := "; near ones: "
	if len(found) == 0 {
		says = "; the service has prices in "
		for key := range read {
			found = append(found, named(key[strings.IndexByte(key, ' ')+1:]))
		}
		slices.Sort(found)
		found = slices.Compact(found)
	}
	if len(found) == 0 {
		return ""
	}
	return says + strings.Join(found[:min(len(found), 12)], ", ")
}

// next returns the code after one.
func next(code [2]byte) [2]byte {
	if code[1] == 'Z' {
		return [2]byte{code[0] + 1, 'A'}
	}
	return [2]byte{code[0], code[1] + 1}
}

// named returns the name and the code of a country: "Germany (DE)".
func named(alpha2 string) string { return countryName(alpha2) + " (" + alpha2 + ")" }

// countryName returns the English name of a country, or the code if it has none.
func countryName(alpha2 string) string {
	if r, err := catalog.ParseRegion(alpha2); err == nil {
		return r.Name()
	}
	return cleaned(alpha2, 3)
}
