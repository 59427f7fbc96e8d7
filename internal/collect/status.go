package collect

import "gamedex/internal/catalog"

// Status is what a platform's status follows from (catalog.PlatformStatus).
// collection is nil where collection is off, and counts as off where sweeps are
// made by hand alone. Of the sweeps only those of the collection's platform
// count: the prices of active regions, or of all regions where none is active.
//
// The circuit counts as open from a stop until something was read again.
func Status(collection *catalog.CollectionState, sweeps []catalog.SweepState, override catalog.Status) catalog.Collection {
	c := catalog.Collection{Override: override}
	if collection == nil || collection.Interval == 0 {
		return c
	}
	c.On, c.Interval = true, collection.Interval
	c.CircuitOpen = collection.StoppedUntil != 0
	c.LastCollected = collection.Since
	var own []catalog.SweepState
	for _, s := range sweeps {
		if s.Scope.Platform == collection.Platform {
			own = append(own, s)
			c.LastCollected = max(c.LastCollected, s.Collected)
		}
	}
	for _, s := range decisive(own) {
		c.Sweeps = append(c.Sweeps, catalog.Sweep{Completed: s.Completed, Failed: s.Failed})
	}
	return c
}

// FirstSweepDone says of one platform's sweeps whether what the store sells was
// read once in full: before that, an unknown id may be one that is not here yet.
func FirstSweepDone(sweeps []catalog.SweepState) bool {
	counted := decisive(sweeps)
	for _, s := range counted {
		if s.Completed == 0 {
			return false
		}
	}
	return len(counted) > 0
}

// decisive are the sweeps that a platform's status rests on.
func decisive(sweeps []catalog.SweepState) []catalog.SweepState {
	var active, all []catalog.SweepState
	for _, s := range sweeps {
		if s.Scope.Kind != catalog.Prices {
			continue
		}
		all = append(all, s)
		if s.Active {
			active = append(active, s)
		}
	}
	if len(active) > 0 {
		return active
	}
	return all
}
