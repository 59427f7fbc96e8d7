package builder

import (
	"fmt"
	"slices"

	"gamedex/internal/catalog"
)

// AboutRegions returns a text for operators: which regions have games that are not served,
// and the flag that serves them. Of the listed regions, unserved are those of games that have
// no listing in an active region. The text is "" if all games are served in the regions that
// the operator expects.
func AboutRegions(chosen, listed, unserved []catalog.Region) string {
	join := catalog.JoinRegions
	active := catalog.ActiveRegions(chosen, listed)
	inactive := catalog.InactiveRegions(active, unserved)
	switch {
	case len(inactive) > 0 && len(catalog.InactiveRegions(active, listed)) == len(listed):
		return fmt.Sprintf("nothing is served: the listings are in %s, the active regions are %s; to serve them, start serve with --active-regions %s",
			join(listed, ", "), join(active, ", "), join(listed, ","))
	case len(inactive) > 0:
		return fmt.Sprintf("games that are sold only in %s are not served, because the active regions are %s; to serve them, start serve with --active-regions %s",
			join(inactive, ", "), join(active, ", "), join(slices.Concat(active, inactive), ","))
	case len(listed) > 0 && len(chosen) == 0 && slices.Equal(active, listed) && !slices.Contains(catalog.DefaultRegions(), listed[0]):
		return fmt.Sprintf("none of the default regions %s has a listing, so all regions with listings are active: %s; to choose them and their order, start serve with --active-regions",
			join(catalog.DefaultRegions(), ", "), join(active, ", "))
	}
	return ""
}
