package catalog_test

import (
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	. "gamedex/internal/testing/catalogtest"
)

func TestParseRegion(t *testing.T) {
	for _, tt := range []struct{ in, alpha2, alpha3 string }{
		{"UA", "UA", "UKR"}, {"ukr", "UA", "UKR"}, {" tr ", "TR", "TUR"}, {"POL", "PL", "POL"},
		{"in", "IN", "IND"}, {"GB", "GB", "GBR"}, {"XK", "XK", "XKK"}, {"CD", "CD", "COD"},
	} {
		got, err := catalog.ParseRegion(tt.in)
		if err != nil || got.String() != tt.alpha2 || got.Alpha3() != tt.alpha3 {
			t.Errorf("ParseRegion(%q) = %s (%s), %v; want %s (%s)", tt.in, got, got.Alpha3(), err, tt.alpha2, tt.alpha3)
		}
	}
	for _, in := range []string{"", "U", "UK", "EU", "UN", "ZZ", "XX", "SU", "YU", "AN", "BU", "ZZZ", "QQQ", "804", "UKRA", "У", "U A"} {
		if got, err := catalog.ParseRegion(in); err == nil {
			t.Errorf("ParseRegion(%q) = %s, want an error", in, got)
		}
	}
}

// TestEveryCountry counts the countries, and finds each by its alpha-3 code and by the name
// that it is shown with: ISO 3166-1 has 249, and Kosovo is one more.
func TestEveryCountry(t *testing.T) {
	var n int
	for a := 'A'; a <= 'Z'; a++ {
		for b := 'A'; b <= 'Z'; b++ {
			r, err := catalog.ParseRegion(string([]rune{a, b}))
			if err != nil {
				continue
			}
			n++
			if back, err := catalog.ParseRegion(r.Alpha3()); err != nil || back != r {
				t.Errorf("%s: its alpha-3 %s reads as %s, %v", r, r.Alpha3(), back, err)
			}
			if found, err := catalog.FindRegion(r.Name()); found != r || err != nil {
				t.Errorf("%s: its name %q is found as %s, %v", r, r.Name(), found, err)
			}
		}
	}
	if n != 250 || (catalog.Region{}).Name() != "" {
		t.Errorf("%d countries, want 250; the zero value is %q", n, catalog.Region{}.Name())
	}
}

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

func TestActiveRegions(t *testing.T) {
	for _, c := range []struct{ chosen, listed, active, inactive string }{
		{"", "", "UA TR PL IN", ""},
		{"", "DE JP US", "DE JP US", ""},
		{"", "DE IN US", "UA TR PL IN", "DE US"},
		{"", "UA TR PL IN", "UA TR PL IN", ""},
		{"UA TR PL IN", "DE JP US", "UA TR PL IN", "DE JP US"},
		{"US DE", "DE JP US", "US DE", "JP"},
		{"US DE", "", "US DE", ""},
	} {
		listed := regionsOf(c.listed)
		active := catalog.ActiveRegions(regionsOf(c.chosen), listed)
		if inactive := catalog.InactiveRegions(active, listed); !slices.Equal(active, regionsOf(c.active)) || !slices.Equal(inactive, regionsOf(c.inactive)) {
			t.Errorf("chosen %q, listed %q: active %v, inactive %v; want %q and %q", c.chosen, c.listed, active, inactive, c.active, c.inactive)
		}
	}
}

func regionsOf(codes string) []catalog.Region { return Regions(strings.Fields(codes)...) }
