package catalog

import (
	"slices"
	"strings"
)

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
