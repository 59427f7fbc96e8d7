package catalog_test

import (
	"testing"

	"gamedex/internal/catalog"
)

func TestFindRegion(t *testing.T) {
	for name, want := range map[string]string{
		"DE": "DE", "deu": "DE", "UK": "GB", "uk": "GB", "US": "US", "Germany": "DE", " germany ": "DE", "United Kingdom": "GB", "Türkiye": "TR", "Turkey": "TR",
		"Turkiye": "TR", "Czechia": "CZ", "Czech Republic": "CZ", "Bosnia & Herzegovina": "BA", "Bosnia and Herzegovina": "BA", "Côte d’Ivoire": "CI",
		"Cote d'Ivoire": "CI", "Hong Kong": "HK", "Hong Kong SAR China": "HK", "North Macedonia": "MK", "St. Lucia": "LC", "Saint Lucia": "LC", "South Korea": "KR",
		"": "", "Deutschland": "", "ZZ": "", "EU": "", "Europe": "", "—": "",
	} {
		r, err := catalog.FindRegion(name)
		if r.String() != want || (err == nil) != (want != "") {
			t.Errorf("%q is %q, %v, want %q", name, r, err, want)
		}
	}
}

// TestRegionNames checks that each region is found by the name that it is shown with.
func TestRegionNames(t *testing.T) {
	n := 0
	for first := 'A'; first <= 'Z'; first++ {
		for second := 'A'; second <= 'Z'; second++ {
			r, err := catalog.ParseRegion(string([]rune{first, second}))
			if err != nil {
				continue
			}
			n++
			if found, err := catalog.FindRegion(r.Name()); found != r || err != nil {
				t.Errorf("%s: %q is %q, %v", r, r.Name(), found, err)
			}
		}
	}
	if n < 245 || (catalog.Region{}).Name() != "" {
		t.Errorf("%d regions, the zero value is %q", n, catalog.Region{}.Name())
	}
}
