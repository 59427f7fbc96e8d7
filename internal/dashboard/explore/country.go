package explore

import (
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// takesArticle reports whether English puts "the" before the name of a country.
func takesArticle(alpha2 string) bool {
	switch alpha2 {
	case "AE", "AX", "BQ", "BS", "CC", "CD", "CF", "CG", "CK", "DO", "FK", "FO", "GB", "GM", "GS", "HM", "IC", "IM", "IO", "KM", "KY", "MH", "MP", "MV", "NL", "PH", "PN", "SB",
		"SC", "TC", "TF", "UM", "US", "VG", "VI":
		return true
	}
	return false
}

// HasListings reports whether the catalog has listings in a country; "" is all countries.
func HasListings(live *index.View, country string) bool {
	code, err := catalog.ParseRegion(country)
	return country == "" || err == nil && slices.Contains(live.ListedRegions(), code)
}

// ActiveCodes returns the codes of the active regions, as the API takes them.
func ActiveCodes(live *index.View) string {
	var codes []string
	for _, r := range live.Active() {
		codes = append(codes, r.Alpha2)
	}
	return strings.Join(codes, ",")
}
