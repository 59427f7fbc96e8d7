package catalog_test

import (
	"testing"

	"gamedex/internal/catalog"
)

func TestPlatformStatus(t *testing.T) {
	const hour = catalog.Millis(3_600_000)
	const now = 100 * hour
	good := catalog.Sweep{Completed: now - hour}
	collected := func(sweeps ...catalog.Sweep) catalog.Collection {
		return catalog.Collection{On: true, Interval: hour, LastCollected: now - hour, Sweeps: sweeps}
	}
	with := func(c catalog.Collection, change func(*catalog.Collection)) catalog.Collection {
		change(&c)
		return c
	}
	tests := []struct {
		name string
		c    catalog.Collection
		want catalog.Status
	}{
		{"fed by import alone", catalog.Collection{}, catalog.Operational},
		{"every sweep complete", collected(good, good), catalog.Operational},
		{"late by two intervals", collected(catalog.Sweep{Completed: now - 2*hour}), catalog.Operational},
		{"later than that", collected(good, catalog.Sweep{Completed: now - 2*hour - 1}), catalog.Degraded},
		{"the last sweep failed", collected(catalog.Sweep{Completed: now - hour, Failed: true}), catalog.Degraded},
		{"before the first", collected(good, catalog.Sweep{}), catalog.Degraded},
		{"no region swept at all", collected(), catalog.Degraded},
		{"circuit open", with(collected(good), func(c *catalog.Collection) { c.CircuitOpen = true }), catalog.Outage},
		{"nothing for six intervals", with(collected(good), func(c *catalog.Collection) { c.LastCollected = now - 6*hour }), catalog.Outage},
		{"nearly six", with(collected(good), func(c *catalog.Collection) { c.LastCollected = now - 6*hour + 1 }), catalog.Operational},
		{"an administrator's word", with(collected(good), func(c *catalog.Collection) { c.Override = catalog.Outage }), catalog.Outage},
		{"even against the circuit", with(collected(good), func(c *catalog.Collection) {
			c.Override, c.CircuitOpen = catalog.Operational, true
		}), catalog.Operational},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := catalog.PlatformStatus(tt.c, now); got != tt.want {
				t.Errorf("status = %s, want %s", got, tt.want)
			}
		})
	}
}
