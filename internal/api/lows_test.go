package api_test

import (
	"testing"

	"gamedex/internal/index"
	"gamedex/internal/index/pack"
)

const lowsOfForge = "/catalog/prices?ids=" + forge + "&include=lows"

// TestLowsInTheTag checks that the tag of an answer with lows changes with the lows and
// with the day of the windows, and that of others does not.
func TestLowsInTheTag(t *testing.T) {
	for name, tt := range map[string]struct {
		change  func(*sample)
		changed bool
	}{
		"nothing":                {func(*sample) {}, false},
		"another day":            {func(s *sample) { s.lows = pack.NewLows(start/day + 1); s.pastPrices() }, true},
		"no lows":                {func(s *sample) { s.lows = pack.NewLows(start / day) }, true},
		"the past of other game": {func(s *sample) { s.past(t, uint32(len(s.in.Entries)-1), nil) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, unlimited)
			const without = "/catalog/prices?ids=" + forge
			before, beforeWithout := w.get(lowsOfForge).want(200).header.Get("ETag"), w.get(without).want(200).header.Get("ETag")
			s := sampleCatalog()
			tt.change(s)
			w.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
			if changed := w.get(lowsOfForge).want(200).header.Get("ETag") != before; changed != tt.changed {
				t.Errorf("the tag changed: %v, want %v", changed, tt.changed)
			}
			if w.get(without).want(200).header.Get("ETag") != beforeWithout {
				t.Error("the tag of an answer without lows changed")
			}
		})
	}
}

// TestLowsAfterTheDiscount checks that the answer changes when the discount ends, without
// another snapshot.
func TestLowsAfterTheDiscount(t *testing.T) {
	w := newWorld(t, unlimited)
	const low, real = "data.items.0.regions.UA.lows.days90.lastAt", "data.items.0.regions.UA.lows.real"
	first := w.get(lowsOfForge).want(200)
	first.is(low, "null")
	w.now.Store(start + 2*day)
	second := w.get(lowsOfForge).want(200)
	second.is(low, `"2026-11-22T07:00:12.345Z"`)
	second.is(real, "null")
	second.is("data.items.0.regions.UA.lows.meets", "null")
	if first.header.Get("ETag") == second.header.Get("ETag") {
		t.Error("the tag is the same after the discount")
	}
}

// TestSnapshotWithoutLows checks that lows are null where an older version of the program
// published the snapshot.
func TestSnapshotWithoutLows(t *testing.T) {
	w := newWorld(t, unlimited)
	snap, err := sampleSnapshot()
	if err != nil {
		t.Fatal(err)
	}
	w.live.Swap(index.NewView(snap.WithoutLows(), sampleManifest(t)))
	w.get(lowsOfForge).want(200).is("data.items.0.regions.UA.lows", "null")
}
