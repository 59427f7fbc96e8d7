package main

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/storesim"
)

// daysBehind is how many days old a served price may be while every twentieth
// request fails. A day lasts until everything that shows prices was swept.
const daysBehind = 10

// TestCollectedWithFaults runs the service against stores that fail in every
// way. It checks that the service never holds a price that was not shown
// recently, never withdraws what is on sale, reports its status, and recovers.
func TestCollectedWithFaults(t *testing.T) {
	t.Parallel()
	chance := newCampaign(t)
	games := storesim.Config{Seed: chance.Uint64(), ConsoleGames: 20, PCGames: 40, Regions: fourRegions}
	if fullWorld() {
		games.ConsoleGames, games.PCGames = 50, 80
	}
	world := simulate(t, games, nil)
	mornings := []time.Time{time.Now()}
	collected := world.collecting(t, 8*time.Second, func(profile map[string]any) {
		setHosts(profile, map[string]any{"timeout": "2s", "stopFor": "1s"})
	})
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the log of the service:\n%s", collected.stderr)
		}
	})
	user := collected.user(t)
	user.eventually("/catalog/platforms", statusesAre("operational", "operational"))

	faults := storesim.Faults{Seed: chance.Uint64(), Share: 0.05, Kinds: transientFaults()}
	world.world.SetFaults(faults)
	for range days(t) {
		world.world.Advance()
		mornings = append(mornings, time.Now())
		morning, since := mornings[len(mornings)-1], mornings[max(0, len(mornings)-1-daysBehind)]
		var left []sweep.State
		read := 0
		if !await.Progress(func() bool {
			listings := listingsOf(t, collected.dir)
			wantRecentPrices(t, world.world, listings, since)
			read = observedSince(listings, morning)
			left = pricesSince(t, collected.dir, morning)
			return !slices.ContainsFunc(left, func(s sweep.State) bool { return s.HeldBack == 0 })
		}, func() any { return [...]int{len(left), read} }) {
			t.Fatalf("sweeps that were not completed since the day began: %+v\n%s", left, collected.stderr)
		}
		if len(left) > 0 { // held back until an operator confirms it
			world.world.SetFaults(storesim.Faults{})
			recovered(t, world, collected.dir)
			world.world.SetFaults(faults)
		}
	}

	world.world.SetFaults(storesim.Faults{Seed: 1, Share: 1, Kinds: []storesim.Fault{storesim.Forbidden}, Platform: catalog.ConsoleStore})
	user.eventually("/catalog/platforms", func(a answer) bool { return a.text("data.platforms.0.status") == "outage" })
	user.get("/catalog/search?q=golden").want(200)
	wantRecentPrices(t, world.world, listingsOf(t, collected.dir), mornings[max(0, len(mornings)-1-daysBehind)])

	world.world.SetFaults(storesim.Faults{})
	recovered(t, world, collected.dir)
	truth := &truthService{world.newShop(t), world}
	truth.importTruth(t, collected.dir)
	agree(t, collected, truth.shop)
	user.eventually("/catalog/platforms", statusesAre("operational", "operational"))
}

// collecting starts a service that has swept everything once and sweeps on, prices at least at this
// interval. On a busy machine it is longer: prices come first, and if they were due all the time,
// nothing else would be read.
func (s *simulated) collecting(t *testing.T, interval time.Duration, change func(profile map[string]any)) *shop {
	t.Helper()
	collected := s.newShop(t)
	began := time.Now()
	s.sweep(t, collected.dir)
	interval = max(interval, 2*time.Since(began))
	collected.stop()
	often, seldom := interval.String(), (interval * 5 / 2).String()
	s.change(t, func(profile map[string]any) {
		profile["intervals"] = map[string]any{"prices": often, "editions": often, "addons": often, "titles": seldom, "details": seldom}
		change(profile)
	})
	if serverDSN(t, collected.dir) != "" {
		must(t, collected.dir, "", "collect", "profile", s.profile)
	}
	collected.server = start(t, collected.dir, "--collect-profile", s.profile)
	return collected
}

// recovered runs collect once beside the service, as soon as the store may be
// queried again. In a world this small, a few withdrawn games are more than a tenth of some
// scope: it confirms what sweeps hold back.
func recovered(t *testing.T, world *simulated, dir string) {
	t.Helper()
	var r result
	complete := 0 // the most sweeps that one run completed
	if !await.Progress(func() bool {
		r = world.once(t, dir, "--force")
		complete = max(complete, strings.Count(r.stdout, "complete"))
		return r.status == 0
	}, func() any { return complete }) {
		t.Fatalf("no recovery: %s%s", r.stdout, r.stderr)
	}
}

// TestOutdatedProfileIsReported checks that a profile with hashes that the store no
// longer knows is reported as outdated, that nothing is withdrawn, and that
// collection resumes with a corrected profile.
func TestOutdatedProfileIsReported(t *testing.T) {
	t.Parallel()
	world := simulate(t, storesim.Config{Seed: 3, ConsoleGames: 20, PCGames: 30, Regions: fourRegions}, nil)
	collected := world.collecting(t, 2*time.Second, func(map[string]any) {})
	user := collected.user(t)
	user.eventually("/catalog/platforms", statusesAre("operational", "operational"))
	world.world.RotateHashes()
	user.eventually("/catalog/platforms", statusesAre("degraded", "degraded"))
	if log := collected.stderr.String(); !strings.Contains(log, "profile outdated") {
		t.Errorf("the log does not say that the profile is outdated: %s", log)
	}
	for _, l := range listingsOf(t, collected.dir) {
		if l.Withdrawn {
			t.Fatalf("%v was withdrawn", l.Key)
		}
	}
	if r := world.once(t, collected.dir); r.status != 1 || !strings.Contains(r.stdout, "outdated") {
		t.Errorf("collect once: status %d, %s", r.status, r.stdout)
	}
	collected.stop()
	world.world.RestoreHashes()
	collected.server = start(t, collected.dir, "--collect-profile", world.profile)
	collected.user(t).eventually("/catalog/platforms", statusesAre("operational", "operational"))
}

// TestVanishedPricesAreHeldBack checks that prices stay while the stores show everything as
// unavailable, also after collectors were killed, and go only if an operator confirms it.
func TestVanishedPricesAreHeldBack(t *testing.T) {
	t.Parallel()
	world := simulate(t, storesim.Config{Seed: 4, ConsoleGames: 20, PCGames: 30, Regions: regionsOf("UA", "TR")}, nil)
	collected := world.newShop(t)
	world.sweep(t, collected.dir)
	before := pricesOf(t, collected.dir)
	wantSame := func(when string) {
		t.Helper()
		if diff := cmp.Diff(before, pricesOf(t, collected.dir)); diff != "" || len(before) < 50 {
			t.Errorf("%s, %d listings had a price (-want +got):\n%s", when, len(before), diff)
		}
	}
	vanish := storesim.Faults{Share: 1, Kinds: []storesim.Fault{storesim.PricesVanish}}
	world.world.SetFaults(vanish)
	chance := newCampaign(t)
	for range 3 {
		begin(t, collected.dir, "collect", "once", "--collect-profile", world.profile).killAfter(chance.between(50*time.Millisecond, time.Second))
	}
	if result := world.sweep(t, collected.dir); strings.Count(result, "would be withdrawn or lose their price") < 4 {
		t.Errorf("no platform and region is held back:\n%s", result)
	}
	wantSame("held back")
	world.world.SetFaults(storesim.Faults{})
	if result := world.sweep(t, collected.dir); strings.Contains(result, "held back") {
		t.Errorf("with prices again:\n%s", result)
	}
	wantSame("with prices again")
	world.world.SetFaults(vanish)
	result := world.sweep(t, collected.dir, "--force")
	if left := pricesOf(t, collected.dir); len(left) > 0 {
		t.Errorf("forced: %d listings still have a price: %v\n%s", len(left), left, result)
	}
}

// pricesOf returns the prices of all listings.
func pricesOf(t *testing.T, dir string) map[catalog.Key]catalog.Price {
	t.Helper()
	prices := make(map[catalog.Key]catalog.Price)
	for _, l := range listingsOf(t, dir) {
		if l.Price != nil && !l.Withdrawn {
			prices[l.Key] = *l.Price
		}
	}
	return prices
}

// transientFaults lists the faults that hit single requests.
func transientFaults() []storesim.Fault {
	var kinds []storesim.Fault
	for _, f := range storesim.AllFaults() {
		if f != storesim.Forbidden && f != storesim.Rotated && f != storesim.PricesVanish {
			kinds = append(kinds, f)
		}
	}
	return kinds
}

// statusesAre returns a condition: the two platforms have these statuses.
func statusesAre(console, pc string) func(answer) bool {
	return func(a answer) bool {
		return a.status == 200 && a.text("data.platforms.0.status") == console && a.text("data.platforms.1.status") == pc
	}
}

// pricesSince returns the sweeps of what shows prices that have not been completed since
// then.
func pricesSince(t *testing.T, dir string, then time.Time) (left []sweep.State) {
	t.Helper()
	for _, s := range sweepsOf(t, dir) {
		if s.Scope.Kind <= sweep.AddOns && s.Completed < catalog.MillisOf(then) {
			left = append(left, s)
		}
	}
	return left
}

// observedSince returns how many of the listings were read from a store since then.
func observedSince(listings []catalog.Listing, then time.Time) (n int) {
	for _, l := range listings {
		if l.ObservedAt >= catalog.MillisOf(then) {
			n++
		}
	}
	return n
}

// wantRecentPrices fails the test if a listing has a price that the world has not
// shown since then, or is withdrawn although it was on sale all the time.
func wantRecentPrices(t *testing.T, world *storesim.World, listings []catalog.Listing, then time.Time) {
	t.Helper()
	wrong := 0
	for _, l := range listings {
		honest := false
		for _, shown := range world.History(l.Key) {
			if !shown.To.IsZero() && shown.To.Before(then) {
				continue
			}
			if l.Withdrawn {
				honest = honest || !shown.Listed
			} else {
				honest = honest || shown.Listed && shown.Covers(l.Price)
			}
		}
		if !honest {
			if wrong++; wrong <= 3 {
				t.Errorf("%v: withdrawn %v, %+v was not shown since %v: %s", l.Key, l.Withdrawn, l.Price, then, historyText(world.History(l.Key)))
			}
		}
	}
	if wrong > 0 {
		t.Errorf("%d listings are not what was shown", wrong)
	}
}

// historyText lists what was shown, with the prices themselves.
func historyText(past []storesim.Shown) string {
	var b strings.Builder
	for _, s := range past {
		fmt.Fprintf(&b, "\n%v to %v: listed %t, only in lists %t, %+v", s.From, s.To, s.Listed, s.OnlyInLists, s.Price)
	}
	return b.String()
}
