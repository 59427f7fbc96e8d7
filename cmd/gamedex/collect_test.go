package main

import (
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/testing/storesim"
)

// TestCollectedIsTheTruth collects a world of sixty games in four
// regions (5,000 in eight in the full one) and compares every card with those of an
// import of the world's true listings, on the first day and after each day that
// passes. Each day it collects one region first while requests fail. In the end it compares
// the recorded histories with what each day showed, and lows and verdicts with those of
// the ledger.
func TestCollectedIsTheTruth(t *testing.T) {
	t.Parallel()
	c := storesim.Config{Seed: 1, ConsoleGames: 15, PCGames: 45, Regions: fourRegions}
	share := 0.05 // of requests that fail in one region
	if fullWorld() {
		c.ConsoleGames, c.PCGames, c.Regions = 800, 4200, eightRegions
		share /= 50
	}
	world := simulate(t, c, nil)
	world.change(t, func(profile map[string]any) {
		setHosts(profile, map[string]any{"requestsPerSecond": 100_000, "timeout": "2s", "stopFor": "1s"})
	})
	collected := world.newShop(t)
	truth := &truthService{world.newShop(t), world}
	var past ledger
	for day := range days(t) + 1 {
		if day > 0 {
			world.world.Advance()
		}
		began := time.Now()
		region := c.Regions[day%len(c.Regions)]
		world.world.SetFaults(storesim.Faults{Seed: uint64(day), Share: share, Kinds: transientFaults()})
		world.once(t, collected.dir, "--region", region.String())
		world.world.SetFaults(storesim.Faults{})
		t.Logf("day %d: collected %s with faults in %v", day, region, time.Since(began).Round(time.Millisecond))
		result := world.sweep(t, collected.dir)
		t.Logf("day %d:\n%s", day, result)
		if strings.Contains(result, "held back") { // many left the store at once
			t.Logf("day %d, again:\n%s", day, world.sweep(t, collected.dir, "--force"))
		}
		t.Logf("day %d: collected in %v", day, time.Since(began).Round(time.Millisecond))
		past.addDay(truth.importSettled(t, collected.dir))
		agree(t, collected, truth.shop)
	}
	past.compare(t, collected.dir)
	past.compare(t, truth.dir)
	starts := past.stretched()
	past.compareLows(t, past.stretch(t, world, collected.dir, starts), starts)
}

// importSettled is importTruth for a service that has collected everything. Where only the
// doubts about prices differ, it collects once more.
func (h *truthService) importSettled(t *testing.T, collected string) (sold []catalog.Listing) {
	t.Helper()
	sold = h.importTruth(t, collected)
	if compared := marksThatDiffer(t, collected, sold); len(compared) > 0 {
		t.Logf("%v were compared with prices that have left the store since; again:\n%s", compared, h.world.sweep(t, collected))
		sold = h.importTruth(t, collected)
	}
	return sold
}

// marksThatDiffer returns the listings of which the database and the truth disagree only
// about whether the price is doubtful. A price is compared with other regions when one of
// them is read, not when one is withdrawn, so another sweep may be needed.
func marksThatDiffer(t *testing.T, dir string, truth []catalog.Listing) (keys []catalog.Key) {
	t.Helper()
	stored := make(map[catalog.Key]*catalog.Price)
	for _, l := range listingsOf(t, dir) {
		stored[l.Key] = l.Price
	}
	for _, l := range truth {
		if l.Price != nil && stored[l.Key] != nil {
			want, got := history.StepOf(0, l.Price), history.StepOf(0, stored[l.Key])
			differ := want.Doubtful != got.Doubtful
			if want.Doubtful = got.Doubtful; differ && want == got {
				keys = append(keys, l.Key)
			}
		}
	}
	return keys
}
