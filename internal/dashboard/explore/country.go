package explore

import (
	"cmp"
	"strings"

	xlanguage "golang.org/x/text/language"
	"golang.org/x/text/language/display"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
)

// CountryName returns the name of a country in the visitor's language.
func CountryName(v *web.Visit, alpha2 string) string {
	region, err := xlanguage.ParseRegion(alpha2)
	if err != nil {
		return alpha2
	}
	return cmp.Or(display.Regions(v.LanguageTag()).Name(region), alpha2)
}

// takesArticle reports whether English puts "the" before the name of a country.
func takesArticle(alpha2 string) bool {
	switch alpha2 {
	case "AE", "BS", "CD", "CF", "CG", "CK", "DO", "FK", "FO", "GB", "GM", "IM", "KM", "KY", "MH", "MP", "MV", "NL", "PH", "SB", "TC", "US", "VG", "VI":
		return true
	}
	return false
}

// ActiveCodes returns the codes of the active regions, as the API takes them.
func ActiveCodes(live *index.View) string {
	var codes []string
	for _, r := range live.Active() {
		codes = append(codes, r.Alpha2)
	}
	return strings.Join(codes, ",")
}
