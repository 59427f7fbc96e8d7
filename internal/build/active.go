package build

import (
	"fmt"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// AboutRegions tells an operator which of the listed regions, which have listings,
// are not active, and which flag makes them active. It returns "" if there is
// nothing to tell.
func AboutRegions(chosen, listed []catalog.Region) string {
	active := catalog.ActiveRegions(chosen, listed)
	inactive := catalog.InactiveRegions(active, listed)
	switch {
	case len(inactive) > 0 && len(inactive) == len(listed):
		return fmt.Sprintf("nothing is served: the listings are in %s, the active regions are %s; to serve them: serve --active-regions %s",
			regionNames(inactive, ", "), regionNames(active, ", "), regionNames(inactive, ","))
	case len(inactive) > 0:
		return fmt.Sprintf("games listed only in %s are not served: the active regions are %s; to serve them: serve --active-regions %s",
			regionNames(inactive, ", "), regionNames(active, ", "), regionNames(slices.Concat(active, inactive), ","))
	case len(listed) > 0 && len(chosen) == 0 && slices.Equal(active, listed) && !slices.Contains(catalog.DefaultRegions(), listed[0]):
		return fmt.Sprintf("none of the default regions %s has a listing, so all regions with listings are active: %s; to choose them and their order: serve --active-regions",
			regionNames(catalog.DefaultRegions(), ", "), regionNames(active, ", "))
	}
	return ""
}

func regionNames(regions []catalog.Region, separator string) string {
	names := make([]string, len(regions))
	for i, r := range regions {
		names[i] = r.String()
	}
	return strings.Join(names, separator)
}
