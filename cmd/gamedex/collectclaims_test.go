package main

import (
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/storesim"
)

// setHosts sets fields of all hosts of a profile.
func setHosts(profile, fields map[string]any) {
	for _, h := range profile["hosts"].([]any) {
		maps.Copy(h.(map[string]any), fields)
	}
}

// wantSoldListingsKept fails the test if a listing that is sold today is withdrawn.
func wantSoldListingsKept(t *testing.T, world *storesim.World, dir string) {
	t.Helper()
	for _, l := range listingsOf(t, dir) {
		past := world.History(l.Key)
		if l.Withdrawn && len(past) > 0 && past[len(past)-1].Listed {
			t.Errorf("%v was withdrawn and is sold", l.Key)
		}
	}
}

// collectedTruth fails the test if the listings or prices differ from the
// world's.
func collectedTruth(t *testing.T, world *storesim.World, dir string) {
	t.Helper()
	want, got := map[catalog.Key]*catalog.Price{}, map[catalog.Key]*catalog.Price{}
	for _, l := range world.Truth(time.Now()) {
		want[l.Key] = l.Price
	}
	for _, l := range listingsOf(t, dir) {
		if !l.Withdrawn {
			got[l.Key] = l.Price
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("not the truth (-want +got):\n%.3000s", diff)
	}
}

// TestEveryFault makes all requests about one region fail in one way, in a
// world that has moved on. It checks that the sweep reports the fault, that the
// region holds only what the store showed recently, and that nothing on sale is
// withdrawn. When the fault is over, one sweep brings the truth;
// TestCollectedWithFaults covers faults that open the breaker for a minute.
func TestEveryFault(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		fault  storesim.Fault
		want   string // in the results of both stores' sweeps of prices
		breaks bool   // the breaker
		always bool   // not only in the full world
	}{
		{storesim.Slow, "complete", false, false},
		{storesim.Hang, "down: no answer in time", true, true},
		{storesim.Cut, "broken answer", true, false},
		{storesim.TooMany, "throttled: answered 429", true, false},
		{storesim.TooManyRetryAfter, "throttled until ", true, false},
		{storesim.Forbidden, "answered 403 with a challenge page", false, true},
		{storesim.ServerError, "down: answered 50", true, false},
		{storesim.WrongType, "broken answer", true, false},
		{storesim.GarbageGzip, "broken answer", true, false},
		{storesim.Partial, "complete", true, true}, // as far as it goes; the page service is down
		{storesim.EmptyRegion, "broken answer", false, true},
		{storesim.Rotated, "profile outdated", true, false}, // the same
	} {
		t.Run(c.fault.String(), func(t *testing.T) {
			if !c.always && !fullWorld() {
				t.Skip("only in the full world: GAMEDEX_WORLD=full")
			}
			t.Parallel()
			world := simulate(t, storesim.Config{Seed: 4, ConsoleGames: 6, PCGames: 6, Regions: regionsOf("UA", "TR")}, nil)
			// With one host, the failures of one store could open the other's breaker.
			hosts := map[string]any{"timeout": "1m"}
			set := func(profile map[string]any) {
				separateHosts(profile)
				setHosts(profile, hosts)
			}
			world.change(t, set)
			dir, began := world.newShop(t).dir, time.Now()
			world.sweep(t, dir)
			hosts["attempts"], hosts["stopFor"] = 1, "1s"
			if c.fault == storesim.Hang {
				hosts["timeout"] = "1s"
			}
			world.change(t, set)
			world.world.Advance()
			world.world.Advance()
			share := 1.0
			if c.fault == storesim.Slow { // the right answers, slowly
				share = 0.3
			}
			world.world.SetFaults(storesim.Faults{Seed: 1, Share: share, Kinds: []storesim.Fault{c.fault}, Region: catalog.MustRegion("TR")})
			r := world.once(t, dir, "--region", "tr")
			for _, platform := range catalog.Platforms() {
				if line := lineOf(r.stdout, platform.String()+"/TR/prices"); !strings.Contains(line, c.want) {
					t.Errorf("%q, want %q", line, c.want)
				}
			}
			if bad := c.fault != storesim.Slow; bad != (r.status == 1) {
				t.Errorf("status %d: %s%s", r.status, r.stdout, r.stderr)
			}
			wantRecentPrices(t, world.world, listingsOf(t, dir), began)
			wantSoldListingsKept(t, world.world, dir)
			if world.world.SetFaults(storesim.Faults{}); !c.breaks {
				recovered(t, world, dir)
				collectedTruth(t, world.world, dir)
			}
		})
	}
}

// lineOf returns the line that begins with a token.
func lineOf(text, token string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, token+" ") {
			return strings.TrimSpace(line)
		}
	}
	return ""
}

// TestChangedPriceIsServed checks that a new price is served as soon as its
// region is swept and a snapshot is built, also for an edition whose sweep is
// due only in hours.
func TestChangedPriceIsServed(t *testing.T) {
	t.Parallel()
	world := simulate(t, storesim.Config{Seed: 11, ConsoleGames: 40, PCGames: 40, Regions: regionsOf("UA", "TR")}, nil)
	world.change(t, func(profile map[string]any) {
		profile["intervals"] = map[string]any{"prices": "1s"}
	})
	shop := world.newShop(t, "--collect-profile", world.profile, "--webhooks", "on")
	user := shop.user(t)
	swept(t, shop.dir)
	user.eventually("/catalog/platforms", statusesAre("operational", "operational"))
	before := make(map[catalog.Key]catalog.Listing)
	for _, l := range world.world.Truth(time.Now()) {
		before[l.Key] = l
	}
	changed := time.Now()
	world.world.Advance()
	seen := make(map[catalog.Platform]int)
	for _, l := range world.world.Truth(time.Now()) {
		was, known := before[l.Key]
		if !known || l.Region != catalog.MustRegion("UA") || !priceChanged(was.Price, l.Price) || seen[l.Platform] == 3 {
			continue
		}
		if l.Platform == catalog.PCStore && l.Facts.Type != catalog.Base || l.Platform == catalog.ConsoleStore && l.Facts.Type != catalog.EditionType && l.Facts.Type != catalog.Game {
			continue
		}
		id, row := l.Facts.Slug, "data.items.0.regions.UKR.current"
		served := func() bool {
			if l.Platform == catalog.ConsoleStore {
				// The id may change until all editions are read and built.
				found, ok := user.get("/catalog/search?platform=consolestore&q=" + l.Product).at("data.results.0.id").(string)
				if !ok {
					return false
				}
				id, row = found, "data.items.0.regions.UA.current"
			}
			return fmt.Sprint(user.get("/catalog/prices?regions=UA&ids="+id).at(row)) == fmt.Sprint(int64(l.Price.Current))
		}
		await.That(t, fmt.Sprintf("%v to cost %d", l.Key, l.Price.Current), served)
		t.Logf("%v is answered %v after the day began", l.Key, time.Since(changed).Round(time.Millisecond))
		seen[l.Platform]++
	}
	if seen[catalog.ConsoleStore] == 0 || seen[catalog.PCStore] == 0 {
		t.Errorf("prices that changed: %v", seen)
	}
	wantDocumentedMetrics(t, shop.ops) // it has served, built and collected
}

// priceChanged reports whether a numeric price changed.
func priceChanged(was, is *catalog.Price) bool {
	return was != nil && is != nil && was.Current.Known() && is.Current.Known() && was.Current != is.Current
}
