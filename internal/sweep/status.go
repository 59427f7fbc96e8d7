package sweep

import "gamedex/internal/catalog"

// How many intervals may pass before a platform's status changes.
const (
	degradedAfter = 2 // since the end of a region's last complete sweep
	outageFrom    = 6 // since anything was collected
)

// PlatformStatus returns the status of the platform of c at now. override is
// the status that an operator set; zero: none. c is nil where collection is
// off; a platform without an interval is swept by hand and never late. Only the
// sweeps of the platform count: the prices of active regions, or of all regions
// if none is active. A stop that the store demanded counts as an outage until
// something has been read again.
func PlatformStatus(override catalog.Status, c *Collection, sweeps []State, now catalog.Millis) catalog.Status {
	if override != 0 {
		return override
	}
	if c == nil || c.Interval == 0 {
		return catalog.Operational
	}
	collected := c.Since
	var own []State
	for _, s := range sweeps {
		if s.Scope.Platform == c.Platform {
			own = append(own, s)
			collected = max(collected, s.Collected)
		}
	}
	if c.StoppedUntil != 0 || now-collected >= outageFrom*c.Interval {
		return catalog.Outage
	}
	deciding := statusSweeps(own)
	for _, s := range deciding {
		if s.Failed || s.Completed == 0 || now-s.Completed > degradedAfter*c.Interval {
			return catalog.Degraded
		}
	}
	if len(deciding) == 0 {
		return catalog.Degraded
	}
	return catalog.Operational
}

// FirstSweepDone reports whether the sweeps of one platform have completely read
// its store at least once. Before that, an unknown id may belong to a product that
// has not been read yet.
func FirstSweepDone(sweeps []State) bool {
	deciding := statusSweeps(sweeps)
	for _, s := range deciding {
		if s.Completed == 0 {
			return false
		}
	}
	return len(deciding) > 0
}

// statusSweeps returns the sweeps of one platform that decide its status.
func statusSweeps(sweeps []State) []State {
	var active, all []State
	for _, s := range sweeps {
		if s.Scope.Kind != Prices {
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
