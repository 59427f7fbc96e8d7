package catalog

import "fmt"

// Status is what a platform's state is called on the wire.
type Status uint8

// The states, from good to bad.
const (
	Operational Status = iota + 1
	Degraded
	Outage
)

// String gives the state's name on the wire.
func (s Status) String() string {
	switch s {
	case Operational:
		return "operational"
	case Degraded:
		return "degraded"
	case Outage:
		return "outage"
	}
	return ""
}

// ParseStatus reads what String gave.
func ParseStatus(s string) (Status, error) {
	for status := Operational; status <= Outage; status++ {
		if status.String() == s {
			return status, nil
		}
	}
	return 0, fmt.Errorf("unknown platform status %q", s)
}

// Sweep is how the collection of one active region stands.
type Sweep struct {
	Completed Millis // end of the last complete sweep; zero: none yet
	Failed    bool   // the last one did not complete
}

// Collection is what a platform's status follows from.
type Collection struct {
	Override      Status // set by an administrator; zero: none
	On            bool   // false: the platform is fed by import alone
	CircuitOpen   bool   // requests to the store are held back
	Interval      Millis // how long one round of sweeps may take
	LastCollected Millis // when anything was collected; when collection began, if nothing yet
	Sweeps        []Sweep
}

// How many intervals may pass.
const (
	lateAfter  = 2 // since a sweep's end
	silentFrom = 6 // since anything was collected
)

// PlatformStatus judges a platform at a moment.
func PlatformStatus(c Collection, now Millis) Status {
	switch {
	case c.Override != 0:
		return c.Override
	case !c.On:
		return Operational
	case c.CircuitOpen || now-c.LastCollected >= silentFrom*c.Interval:
		return Outage
	case len(c.Sweeps) == 0:
		return Degraded
	}
	for _, s := range c.Sweeps {
		if s.Failed || s.Completed == 0 || now-s.Completed > lateAfter*c.Interval {
			return Degraded
		}
	}
	return Operational
}
