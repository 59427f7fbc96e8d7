package main

import (
	"context"
	"fmt"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/storesim"
)

// requestLog counts the requests to the stores, and records identical concurrent ones.
type requestLog struct {
	next http.Handler

	mu       sync.Mutex
	inFlight map[string]*http.Request // by content
	twice    []string                 // requests sent twice at the same time
	times    map[string]int           // how often each was sent
}

func (d *requestLog) wrap(next http.Handler) http.Handler {
	d.next, d.inFlight, d.times = next, make(map[string]*http.Request), make(map[string]int)
	return d
}

// ServeHTTP implements http.Handler. It ignores robots.txt, which each process
// fetches.
func (d *requestLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/robots.txt" {
		d.next.ServeHTTP(w, r)
		return
	}
	key := r.Header.Get("X-Psn-Store-Locale-Override") + " " + r.URL.String()
	d.mu.Lock()
	d.times[key]++
	if other := d.inFlight[key]; other != nil && other.Context().Err() == nil {
		d.twice = append(d.twice, key)
	}
	d.inFlight[key] = r
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.inFlight[key] == r {
			delete(d.inFlight, key)
		}
	}()
	d.next.ServeHTTP(w, r)
}

// count returns the number of requests, and how many of them had been sent before.
func (d *requestLog) count() (all, again int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, times := range d.times {
		all, again = all+times, again+times-1
	}
	return all, again
}

func (d *requestLog) wantNoDuplicates(t *testing.T) {
	t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.twice) > 0 {
		t.Errorf("%d identical concurrent requests; the first: %.300s", len(d.twice), d.twice[0])
	}
}

// sweepsOf returns the state of the sweeps in a database.
func sweepsOf(t *testing.T, dir string) []sweep.State {
	t.Helper()
	var sweeps []sweep.State
	withDB(t, dir, func(ctx context.Context, db *sqldb.DB) (err error) {
		sweeps, err = db.Sweeps.Sweeps(ctx, catalog.MillisOf(time.Now()), sweep.ManyItems)
		return err
	})
	return sweeps
}

func listingCount(t *testing.T, dir string) (n int) {
	t.Helper()
	withDB(t, dir, func(ctx context.Context, db *sqldb.DB) (err error) {
		n, err = db.Listings.ListingCount(ctx)
		return err
	})
	return n
}

// swept waits until every sweep was completed and nothing is pending.
func swept(t *testing.T, dir string) {
	t.Helper()
	var open []string
	// Progress: these values move in one direction only.
	mostListings, mostDone, leastPending := 0, 0, math.MaxInt
	if !await.Progress(func() bool {
		open = nil
		sweeps := sweepsOf(t, dir)
		pending := 0
		for _, s := range sweeps {
			pending += s.Pending
			if s.Completed == 0 || s.Pending > 0 {
				open = append(open, fmt.Sprintf("%s: completed %d, pending %d, %s", s.Scope, s.Completed, s.Pending, s.LastError))
			}
		}
		mostListings, mostDone = max(mostListings, listingCount(t, dir)), max(mostDone, len(sweeps)-len(open))
		leastPending = min(leastPending, pending)
		return len(open) == 0 && len(sweeps) > 0
	}, func() any { return [...]int{mostListings, mostDone, leastPending} }) {
		t.Fatalf("not swept: %q", open)
	}
}

var fourRegions = regionsOf("UA", "TR", "PL", "IN")

// TestCollectorKilled kills the collector again and again. It checks that
// stored data stays, that work resumes where it was, and that in the end
// everything is there. Then a day passes, and it kills those that read the new prices:
// each step of the histories must be there once.
func TestCollectorKilled(t *testing.T) {
	t.Parallel()
	chance := newCampaign(t)
	times := max(5, kills(t, 20))
	requests := &requestLog{}
	// Enough work that it is not done before the last kill.
	world := simulate(t, storesim.Config{Seed: chance.Uint64(), ConsoleGames: 4 * times, PCGames: 8 * times, Regions: fourRegions}, requests.wrap)
	world.hosts(t, "requestsPerSecond", 270)
	collected := world.newShop(t)
	collected.kill() // a process that starts alone need not wait for leases of killed processes
	listings := 0
	for range times {
		s := start(t, collected.dir, "--roles", "collect", "--collect-profile", world.profile)
		<-time.After(chance.between(100*time.Millisecond, time.Second))
		s.kill()
		if n := len(listingsOf(t, collected.dir)); n < listings {
			t.Fatalf("%d listings after a kill; there were %d", n, listings)
		} else {
			listings = n
		}
	}
	killed, _ := requests.count()
	s := start(t, collected.dir, "--roles", "collect", "--collect-profile", world.profile)
	swept(t, collected.dir)
	s.stopInOrder()
	all, _ := requests.count()
	requests.wantNoDuplicates(t)

	// The requests of a run without kills, plus what each kill may cost: the
	// steps that were not saved yet.
	before := all
	fresh := world.newShop(t)
	world.hosts(t, "requestsPerSecond", 2000)
	world.sweep(t, fresh.dir)
	all, _ = requests.count()
	needed := all - before
	if most := needed + times*200; before > most {
		t.Errorf("%d requests with %d kills, %d without: the work starts over after a kill", before, times, needed)
	}
	t.Logf("%d kills: %d requests before the last start, %d in all; %d without a kill", times, killed, before, needed)
	collected.server = start(t, collected.dir)
	truth := &truthService{world.newShop(t), world}
	var past ledger
	past.addDay(truth.importTruth(t, collected.dir))
	agree(t, collected, truth.shop)

	collected.kill()
	world.world.Advance()
	killedSteps(t, chance, times, world, collected.dir)
	past.addDay(truth.importSettled(t, collected.dir))
	past.compare(t, collected.dir)
}

// killedSteps kills `collect once` some times after a day has passed, and lets it end then.
// No step that was stored may get lost or come twice.
func killedSteps(t *testing.T, chance campaign, times int, world *simulated, dir string) {
	t.Helper()
	before := historiesOf(t, dir)
	added, killed := 0, 0
	for range times {
		after := chance.between(50*time.Millisecond, time.Second)
		if begin(t, dir, "collect", "once", "--collect-profile", world.profile).killAfter(after) {
			killed++
		}
		now := historiesOf(t, dir)
		for key, steps := range now {
			was := before[key]
			if len(was) > len(steps) || !slices.Equal(was, steps[:len(was)]) {
				t.Fatalf("%v: after a kill the history is\n%+v\nbefore it was\n%+v", key, steps, was)
			}
			added += len(steps) - len(was)
			for i := 1; i < len(steps); i++ {
				if same := steps[i-1]; len(history.Record([]history.Step{same}, steps[i])) != 2 {
					t.Fatalf("%v: step %d is there twice: %+v", key, i, steps)
				}
			}
		}
		if len(now) < len(before) {
			t.Fatalf("%d histories after a kill; there were %d", len(now), len(before))
		}
		before = now
	}
	t.Logf("%d of %d commands were killed; by then %d steps were stored", killed, times, added)
	if result := world.sweep(t, dir); strings.Contains(result, "held back") {
		world.sweep(t, dir, "--force")
	}
}

// TestCollectorsAreLost kills one of two collectors on PostgreSQL, and puts the other to
// sleep until a third one has its work. Each time another one goes on where the work was;
// the one that wakes up stores nothing that it no longer may.
func TestCollectorsAreLost(t *testing.T) {
	d := newDeployment(t)
	requests := &requestLog{}
	world := simulate(t, storesim.Config{Seed: 5, ConsoleGames: 60, PCGames: 120, Regions: fourRegions}, requests.wrap)
	world.hosts(t, "requestsPerSecond", 30)
	must(t, d.dir, "", "migrate")
	must(t, d.dir, string(world.world.Rates().AppendJSON(nil)), "rates", "import", "-")
	collector := func() *server {
		return start(t, d.dir, "--roles", "collect", "--collect-profile", world.profile)
	}
	killed, sleeper := collector(), collector()
	await.That(t, "two collectors to share the work", func() bool { return len(runners(t, d.dir)) == 2 })
	killed.kill()
	var left []string
	await.That(t, "another collector to have the work of the one that was killed", func() bool { left = runners(t, d.dir); return len(left) == 1 })
	asleep := left[0]
	sendSignal(t, sleeper, syscall.SIGSTOP)
	last := collector()
	await.That(t, "another collector to have the work of the one that sleeps", func() bool { left = runners(t, d.dir); return len(left) == 1 && left[0] != asleep })
	before, _ := requests.count()
	requests.wantNoDuplicates(t) // the sleeper may send one more before it notices
	sendSignal(t, sleeper, syscall.SIGCONT)
	swept(t, d.dir)
	for _, s := range []*server{sleeper, last} {
		s.stopInOrder()
	}
	all, again := requests.count()
	if again > 2*200 { // steps that were not stored
		t.Errorf("%d of %d requests had been sent before: the work starts over", again, all)
	}
	t.Logf("%d requests, %d of them before the sleeper woke up; %d had been sent before", all, before, again)
	_, token := newKey(t, d.dir, highLimits...)
	collected := &shop{dir: d.dir, token: token, server: start(t, d.dir, "--roles", "api,build")}
	truth := &truthService{world.newShop(t), world}
	truth.importTruth(t, d.dir)
	agree(t, collected, truth.shop)
}

// runners returns which processes collect now.
func runners(t *testing.T, dir string) (list []string) {
	t.Helper()
	for _, s := range sweepsOf(t, dir) {
		if s.RunBy != "" && !slices.Contains(list, s.RunBy) {
			list = append(list, s.RunBy)
		}
	}
	return list
}
