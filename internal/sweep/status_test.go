package sweep_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

const (
	minute   = catalog.Millis(60_000)
	now      = 10_000 * minute
	interval = 10 * minute
)

// state returns a complete, active sweep of a scope such as
// "consolestore/UA/prices" that ended a minute ago.
func state(t *testing.T, scope string, changes ...func(*sweep.State)) sweep.State {
	t.Helper()
	at, err := sweep.ParseScope(scope)
	if err != nil {
		t.Fatal(err)
	}
	s := sweep.State{Scope: at, Active: true, Completed: now - minute, Collected: now - minute}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func never(s *sweep.State)    { s.Completed, s.Collected = 0, 0 }
func failed(s *sweep.State)   { s.Failed = true }
func inactive(s *sweep.State) { s.Active = false }

func completed(at catalog.Millis) func(*sweep.State) {
	return func(s *sweep.State) { s.Completed = at }
}

func TestPlatformStatus(t *testing.T) {
	console := func(changes ...func(*sweep.State)) sweep.State { return state(t, "consolestore/UA/prices", changes...) }
	collection := func(c sweep.Collection) *sweep.Collection {
		c.Platform = catalog.ConsoleStore
		return &c
	}
	on := collection(sweep.Collection{Interval: interval})
	tests := []struct {
		name       string
		override   catalog.Status
		collection *sweep.Collection
		sweeps     []sweep.State
		want       catalog.Status
	}{
		{"collection off", 0, nil, []sweep.State{console(failed)}, catalog.Operational},
		{"only swept by hand", 0, collection(sweep.Collection{}), []sweep.State{console(failed)}, catalog.Operational},
		{"off and overridden", catalog.Outage, nil, nil, catalog.Outage},
		{"every sweep complete", 0, on, []sweep.State{console(), state(t, "consolestore/TR/prices")}, catalog.Operational},
		{"two intervals late", 0, on, []sweep.State{console(completed(now - 2*interval))}, catalog.Operational},
		{"over two intervals late", 0, on, []sweep.State{console(completed(now - 2*interval - 1))}, catalog.Degraded},
		{"one region late", 0, on, []sweep.State{console(), state(t, "consolestore/TR/prices", completed(now-2*interval-1))}, catalog.Degraded},
		{"the last sweep failed", 0, on, []sweep.State{console(failed)}, catalog.Degraded},
		{"a region was never swept", 0, on, []sweep.State{console(), state(t, "consolestore/TR/prices", never)}, catalog.Degraded},
		{"no sweeps at all", 0, collection(sweep.Collection{Interval: interval, Since: now - minute}), nil, catalog.Degraded},
		{
			"other kinds, inactive regions and platforms do not count", 0, on,
			[]sweep.State{
				console(), state(t, "consolestore/UA/editions", failed), state(t, "consolestore/US/prices", failed, inactive),
				state(t, "pcstore/UA/prices", failed),
			}, catalog.Operational,
		},
		{"without an active region all count", 0, on, []sweep.State{state(t, "consolestore/US/prices", inactive, failed)}, catalog.Degraded},
		{
			"nothing collected for nearly six intervals", 0, collection(sweep.Collection{Interval: interval, Since: now - 6*interval + 1}),
			[]sweep.State{console(never)}, catalog.Degraded,
		}, {
			"nothing collected for six intervals", 0, collection(sweep.Collection{Interval: interval, Since: now - 6*interval}),
			[]sweep.State{console(never)}, catalog.Outage,
		}, {
			"the last collected sweep counts, not when collection was switched on", 0, collection(sweep.Collection{Interval: interval, Since: now - 60*interval}),
			[]sweep.State{console()}, catalog.Operational,
		}, {
			"stopped until a time that has passed", 0, collection(sweep.Collection{Interval: interval, StoppedUntil: now - minute}),
			[]sweep.State{console()}, catalog.Outage,
		}, {
			"an override takes precedence over a stop", catalog.Operational, collection(sweep.Collection{Interval: interval, StoppedUntil: now + minute}),
			[]sweep.State{console()}, catalog.Operational,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sweep.PlatformStatus(tt.override, tt.collection, tt.sweeps, now); got != tt.want {
				t.Errorf("status = %s, want %s", got, tt.want)
			}
		})
	}
}

func TestFirstSweepDone(t *testing.T) {
	tests := []struct {
		name   string
		sweeps []sweep.State
		want   bool
	}{
		{"nothing to sweep", nil, false},
		{"no prices", []sweep.State{state(t, "consolestore/UA/editions")}, false},
		{"not yet", []sweep.State{state(t, "consolestore/UA/prices", never)}, false},
		{"only an inactive region", []sweep.State{state(t, "consolestore/UA/prices", never), state(t, "consolestore/US/prices", inactive)}, false},
		{"every active region", []sweep.State{state(t, "consolestore/UA/prices"), state(t, "consolestore/US/prices", inactive, never)}, true},
		{"no active region, one not done", []sweep.State{state(t, "consolestore/DE/prices", inactive), state(t, "consolestore/US/prices", inactive, never)}, false},
		{"no active region, all done", []sweep.State{state(t, "consolestore/DE/prices", inactive)}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := sweep.FirstSweepDone(tt.sweeps); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
