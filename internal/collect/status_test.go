package collect_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
)

func TestStatus(t *testing.T) {
	on := &console()[0]
	failed := func(s *catalog.SweepState) { s.Failed = true }
	collected := func(s *catalog.SweepState) { s.Collected = noon() - 2*minute }
	tests := []struct {
		name       string
		collection *catalog.CollectionState
		sweeps     []catalog.SweepState
		override   catalog.Status
		want       catalog.Collection
		status     catalog.Status
	}{
		{"off", nil, []catalog.SweepState{state("consolestore/UA/prices")}, 0, catalog.Collection{}, catalog.Operational},
		{"off, overridden", nil, nil, catalog.Outage, catalog.Collection{Override: catalog.Outage}, catalog.Outage},
		{
			"active regions' prices decide", on,
			[]catalog.SweepState{
				state("consolestore/UA/prices", collected), state("consolestore/UA/editions", failed),
				state("consolestore/US/prices", failed), state("pcstore/UA/prices", failed),
			}, 0,
			catalog.Collection{On: true, Interval: 10 * minute, LastCollected: noon() - 2*minute, Sweeps: []catalog.Sweep{{Completed: noon() - minute}}},
			catalog.Operational,
		}, {
			"one failed", on, []catalog.SweepState{state("consolestore/UA/prices", failed, collected)}, 0,
			catalog.Collection{On: true, Interval: 10 * minute, LastCollected: noon() - 2*minute, Sweeps: []catalog.Sweep{{Completed: noon() - minute, Failed: true}}},
			catalog.Degraded,
		}, {
			"no active region: all of them decide", on, []catalog.SweepState{state("consolestore/US/prices", never, collected)}, 0,
			catalog.Collection{On: true, Interval: 10 * minute, LastCollected: noon() - 2*minute, Sweeps: []catalog.Sweep{{}}},
			catalog.Degraded,
		}, {
			"nothing collected yet: since it was switched on", &catalog.CollectionState{Platform: catalog.ConsoleStore, Since: since(59), Interval: 10 * minute},
			[]catalog.SweepState{state("consolestore/UA/prices", never)}, 0,
			catalog.Collection{On: true, Interval: 10 * minute, LastCollected: since(59), Sweeps: []catalog.Sweep{{}}},
			catalog.Degraded,
		}, {
			"nothing collected for six intervals", &catalog.CollectionState{Platform: catalog.ConsoleStore, Since: since(60), Interval: 10 * minute},
			nil, 0, catalog.Collection{On: true, Interval: 10 * minute, LastCollected: since(60)}, catalog.Outage,
		}, {
			"stopped, and not lifted though the time is over", &catalog.CollectionState{Platform: catalog.ConsoleStore, Interval: 10 * minute, StoppedUntil: since(1)},
			[]catalog.SweepState{state("consolestore/UA/prices", collected)}, 0,
			catalog.Collection{On: true, CircuitOpen: true, Interval: 10 * minute, LastCollected: noon() - 2*minute, Sweeps: []catalog.Sweep{{Completed: noon() - minute}}},
			catalog.Outage,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := collect.Status(tt.collection, tt.sweeps, tt.override)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if status := catalog.PlatformStatus(got, noon()); status != tt.status {
				t.Errorf("status %v, want %v", status, tt.status)
			}
		})
	}
}

func TestFirstSweepDone(t *testing.T) {
	tests := []struct {
		name   string
		sweeps []catalog.SweepState
		want   bool
	}{
		{"nothing to sweep", nil, false},
		{"no prices", []catalog.SweepState{state("consolestore/UA/editions")}, false},
		{"not yet", []catalog.SweepState{state("consolestore/UA/prices", never)}, false},
		{"of another region only", []catalog.SweepState{state("consolestore/UA/prices", never), state("consolestore/US/prices")}, false},
		{"of the active ones", []catalog.SweepState{state("consolestore/UA/prices"), state("consolestore/US/prices", never)}, true},
		{"none is active", []catalog.SweepState{state("consolestore/DE/prices"), state("consolestore/US/prices", never)}, false},
		{"none is active, all done", []catalog.SweepState{state("consolestore/DE/prices")}, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := collect.FirstSweepDone(tt.sweeps); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}
