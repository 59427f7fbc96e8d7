package main

import (
	"testing"
	"time"

	"gamedex/internal/storesim"
)

// TestCollectedIsTheTruth collects a world of a hundred games in four
// regions (5,000 in eight in the full one) and compares every card with those of an
// import of the world's true listings, on the first day and after each day that
// passes.
func TestCollectedIsTheTruth(t *testing.T) {
	t.Parallel()
	c := storesim.Config{Seed: 1, ConsoleGames: 25, PCGames: 75, Regions: fourRegions}
	if fullWorld() {
		c.ConsoleGames, c.PCGames, c.Regions = 800, 4200, eightRegions
	}
	world := simulate(t, c, nil)
	world.change(t, pace(100_000, "tests@store.example"))
	collected := world.newShop(t)
	truth := &truthService{world.newShop(t), world}
	for day := range days(t) + 1 {
		if day > 0 {
			world.world.Advance()
		}
		began := time.Now()
		t.Logf("day %d:\n%s", day, world.sweep(t, collected.dir))
		t.Logf("day %d: collected in %v", day, time.Since(began).Round(time.Millisecond))
		truth.importTruth(t, collected.dir)
		agree(t, collected, truth.shop)
	}
}
