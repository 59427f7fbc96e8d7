package listings

import (
	"slices"

	"gamedex/internal/catalog"
)

// distinctRuns divides lines into runs in which no key repeats. The order within a
// run does not matter, so each run is sorted in the order of the key's index: then
// every page of the index is written once.
func distinctRuns(ls []catalog.Listing) (runs [][]*catalog.Listing) {
	all := make([]*catalog.Listing, len(ls))
	for i := range ls {
		all[i] = &ls[i]
	}
	for len(all) > 0 {
		// n lines come before the first that repeats a key.
		n, seen := 0, make(map[catalog.Key]struct{}, len(all))
		for ; n < len(all); n++ {
			if _, twice := seen[all[n].Key]; twice {
				break
			}
			seen[all[n].Key] = struct{}{}
		}
		slices.SortFunc(all[:n], func(a, b *catalog.Listing) int { return a.Key.Compare(b.Key) })
		runs = append(runs, all[:n])
		all = all[n:]
	}
	return runs
}
