package build

import (
	"fmt"
	"slices"

	"gamedex/internal/catalog"
)

// AboutRegions returns a text for operators: which regions with listings are not
// active, and the flag that makes them active. It is "" if all of them are.
func AboutRegions(chosen, listed []catalog.Region) string {
	join := catalog.JoinRegions
	active := catalog.ActiveRegions(chosen, listed)
	inactive := catalog.InactiveRegions(active, listed)
	switch {
	case len(inactive) > 0 && len(inactive) == len(listed):
		return fmt.Sprintf("nothing is served: the listings are in %s, the active regions are %s; to serve them: serve --active-regions %s",
			join(inactive, ", "), join(active, ", "), join(catalog.WithInactive(active, listed), ","))
	case len(inactive) > 0:
		return fmt.Sprintf("prices in %s are served only for games that are also sold in an active region (%s); to serve all games: serve --active-regions %s",
			join(inactive, ", "), join(active, ", "), join(catalog.WithInactive(active, listed), ","))
	case len(listed) > 0 && len(chosen) == 0 && slices.Equal(active, listed) && !slices.Contains(catalog.DefaultRegions(), listed[0]):
		return fmt.Sprintf("none of the default regions %s has a listing, so all regions with listings are active: %s; to choose them and their order: serve --active-regions",
			join(catalog.DefaultRegions(), ", "), join(active, ", "))
	}
	return ""
}
