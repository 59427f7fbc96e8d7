package catalog

import "slices"

// DefaultRegions returns the active regions of an operator who chose none, in order
// of preference.
func DefaultRegions() []Region {
	return []Region{{'U', 'A'}, {'T', 'R'}, {'P', 'L'}, {'I', 'N'}}
}

// ActiveRegions returns the regions whose games are served, in order of preference:
// the chosen ones, or the default ones if none were chosen. If none of the default
// ones is among the listed regions, which have listings, all listed regions are
// active.
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
