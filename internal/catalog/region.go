package catalog

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/language"
)

// Region is a country as its upper-case ISO 3166-1 alpha-2 code. The zero
// value is not a region. Regions compare with == and order with Compare.
type Region [2]byte

// ParseRegion reads an alpha-2 or alpha-3 code in any case, surrounding space
// ignored. Codes that name no country ("UK", "EU", "ZZ") are errors.
func ParseRegion(s string) (Region, error) {
	code := strings.ToUpper(strings.TrimSpace(s))
	r, err := language.ParseRegion(code)
	alpha2, alpha3 := r.String(), r.ISO3()
	// Renamed countries (BU, UK) have another canonical code, and what has no
	// alpha-3 code is not a country. The last comparisons refuse codes of digits.
	if err != nil || !r.IsCountry() || r.Canonicalize() != r || alpha3 == "ZZZ" ||
		strings.Contains(notCountries, " "+alpha2+" ") || alpha2 != code && alpha3 != code {
		return Region{}, fmt.Errorf("region %q is not a country code (ISO 3166) such as UA", s)
	}
	return Region{alpha2[0], alpha2[1]}, nil
}

// MustRegion is ParseRegion for codes written in the program itself.
func MustRegion(code string) Region {
	r, err := ParseRegion(code)
	if err != nil {
		panic(err)
	}
	return r
}

// notCountries are codes that the tables of x/text treat as countries and ISO
// 3166-1 does not: former countries, and parts of countries.
const notCountries = " AC AN CP CS DG FQ NT PC SU TA YU "

// String returns the upper-case alpha-2 code ("UA"); empty for the zero value.
func (r Region) String() string {
	if r == (Region{}) {
		return ""
	}
	return string(r[:])
}

// MarshalText returns the code of [Region.String].
func (r Region) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText reads what [ParseRegion] reads.
func (r *Region) UnmarshalText(text []byte) (err error) {
	*r, err = ParseRegion(string(text))
	return err
}

// Lower returns the lower-case alpha-2 code ("ua").
func (r Region) Lower() string { return strings.ToLower(r.String()) }

// Alpha3 returns the upper-case alpha-3 code ("UKR"). It looks the code up each
// time; callers that need it often keep the result.
func (r Region) Alpha3() string {
	if r == (Region{}) {
		return ""
	}
	known, err := language.ParseRegion(r.String())
	if err != nil {
		return ""
	}
	return known.ISO3()
}

// Compare orders regions alphabetically by alpha-2 code.
func (r Region) Compare(o Region) int {
	return cmp.Or(cmp.Compare(r[0], o[0]), cmp.Compare(r[1], o[1]))
}

// DefaultRegions returns the active regions of an operator who chose none, in order
// of preference.
func DefaultRegions() []Region {
	return []Region{{'U', 'A'}, {'T', 'R'}, {'P', 'L'}, {'I', 'N'}}
}

// ActiveRegions returns the regions whose games are served, in order of preference:
// the chosen ones, or the default ones if none were chosen. Listed are the regions
// with listings: if none of the default ones is among them, all of them are active.
func ActiveRegions(chosen, listed []Region) []Region {
	if len(chosen) > 0 {
		return chosen
	}
	regions := DefaultRegions()
	if len(listed) == 0 || len(InactiveRegions(regions, listed)) < len(listed) {
		return regions
	}
	return slices.Clone(listed)
}

// InactiveRegions returns the listed regions that are not active.
func InactiveRegions(active, listed []Region) []Region {
	return slices.DeleteFunc(slices.Clone(listed), func(r Region) bool { return slices.Contains(active, r) })
}

// JoinRegions returns the codes of regions with a separator between them.
func JoinRegions(regions []Region, separator string) string {
	codes := make([]string, len(regions))
	for i, r := range regions {
		codes[i] = r.String()
	}
	return strings.Join(codes, separator)
}
