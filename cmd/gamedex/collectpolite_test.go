package main

import (
	"maps"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/storesim"
)

// TestUnknownIDsWhileCollecting checks that an unknown id is reported as not
// yet known while a store has not been read completely, and as unknown when
// nothing is collected or everything was read.
func TestUnknownIDsWhileCollecting(t *testing.T) {
	t.Parallel()
	world := simulate(t, storesim.Config{Seed: 8, ConsoleGames: 8, PCGames: 8, Regions: fourRegions}, nil)
	world.change(t, func(profile map[string]any) {
		setHosts(profile, map[string]any{"timeout": "1s", "attempts": 1, "stopFor": "1s"})
		separateHosts(profile)
	})
	world.world.SetFaults(storesim.Faults{Seed: 1, Share: 1, Kinds: []storesim.Fault{storesim.Forbidden}, Region: catalog.MustRegion("TR"), Platform: catalog.ConsoleStore})
	shop := world.newShop(t, "--collect-profile", world.profile)
	user := shop.user(t)

	// Ukraine is read, Turkey is not: there are games, and the store has an
	// outage.
	const card, slug = "/catalog/games/ZZZZZZZZ", "/catalog/pcstore/games/no-such-game"
	notYet := func(a answer) bool { return a.status == 503 && a.text("error.code") == "UPSTREAM_ERROR" }
	unknown := func(a answer) bool { return a.status == 404 && a.text("error.code") == "GAME_NOT_FOUND" }
	user.eventually(card, notYet).is("error.details.service", `"consolestore"`).is("error.details.retryAfter", "60").in("Retry-After", "60")
	user.eventually("/catalog/platforms", statusesAre("outage", "operational"))
	user.eventually(slug, unknown)
	user.get("/catalog/prices?ids=ZZZZZZZZ").want(200).is("data.notFound", `["ZZZZZZZZ"]`)

	shop.stop()
	if onServers() { // where other machines may go on collecting
		must(t, shop.dir, "", "collect", "stop", "--platform", "consolestore")
		must(t, shop.dir, "", "collect", "stop", "--platform", "pcstore")
	}
	shop.server = start(t, shop.dir)
	user = shop.user(t)
	user.eventually(card, unknown) // nothing is collected
	user.eventually("/catalog/platforms", statusesAre("operational", "operational"))

	shop.stop()
	world.world.SetFaults(storesim.Faults{})
	shop.server = start(t, shop.dir, "--collect-profile", world.profile)
	user = shop.user(t)
	user.eventually("/catalog/platforms", statusesAre("operational", "operational"))
	user.eventually(card, unknown) // everything was read
}

// separateHosts moves the PC store to a second host, so that a stop of one host does
// not stop the other.
func separateHosts(profile map[string]any) {
	pc := profile["pcstore"].(map[string]any)
	for _, name := range []string{"graphql", "platform"} {
		pc[name] = strings.Replace(pc[name].(string), "127.0.0.1", "localhost", 1)
	}
	hosts := profile["hosts"].([]any)
	other := maps.Clone(hosts[0].(map[string]any))
	other["name"] = strings.Replace(other["name"].(string), "127.0.0.1", "localhost", 1)
	profile["hosts"] = append(hosts, other)
}

// hosts sets a field of all hosts.
func (s *simulated) hosts(t *testing.T, field string, value any) {
	t.Helper()
	s.change(t, func(profile map[string]any) { setHosts(profile, map[string]any{field: value}) })
}

// refused runs a sweep that has to fail with a text, and returns the number of
// requests it made.
func (s *simulated) refused(t *testing.T, recorder *requestRecorder, dir, want string) int {
	t.Helper()
	before := len(recorder.requests(""))
	if r := s.once(t, dir); r.status != 1 || !strings.Contains(r.stdout+r.stderr, want) {
		t.Errorf("status %d, want %q: %s%s", r.status, want, r.stdout, r.stderr)
	}
	return len(recorder.requests("")) - before
}

// TestForbiddenStoresGetNoRequests checks that no process sends requests to a store whose
// address the operator did not allow, that forbids them by robots.txt, or that
// has refused one.
func TestForbiddenStoresGetNoRequests(t *testing.T) {
	t.Parallel()
	recorder := &requestRecorder{}
	world := simulate(t, storesim.Config{Seed: 8, ConsoleGames: 3, PCGames: 3, Regions: regionsOf("UA", "TR")}, recorder.wrap)

	t.Run("private address", func(t *testing.T) {
		world.hosts(t, "privateAddresses", false)
		if n := world.refused(t, recorder, world.newShop(t).dir, "privateAddresses"); n > 0 || len(recorder.seen) > 0 {
			t.Errorf("%d requests", len(recorder.seen))
		}
	})
	t.Run("robots.txt", func(t *testing.T) {
		recorder.instead = func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				w.Write([]byte("User-agent: *\nDisallow: /\n"))
				return
			}
			recorder.next.ServeHTTP(w, r)
		}
		defer func() { recorder.instead = nil }()
		world.hosts(t, "privateAddresses", true)
		if n := world.refused(t, recorder, world.newShop(t).dir, "robots.txt"); n > 0 {
			t.Errorf("%d requests", n)
		}
		if agent := recorder.seen[0].UserAgent(); !strings.HasPrefix(agent, "gamedex/") || !strings.Contains(agent, "(tests@store.example)") {
			t.Errorf("user agent %q", agent)
		}
		world.hosts(t, "ignoreRobots", true)
		world.sweep(t, world.newShop(t).dir)
	})
	t.Run("403", func(t *testing.T) {
		world.hosts(t, "stopFor", "4h")
		dir := world.newShop(t).dir
		world.world.SetFaults(storesim.Faults{Seed: 1, Share: 1, Kinds: []storesim.Fault{storesim.Forbidden}})
		if n := world.refused(t, recorder, dir, "answered 403"); n < 1 || n > 8 { // as many as may be in flight
			t.Errorf("%d requests until the cooldown", n)
		}
		world.world.SetFaults(storesim.Faults{})
		if n := world.refused(t, recorder, dir, "stopped until"); n > 0 {
			t.Errorf("%d requests to a store that had refused", n)
		}
	})
}

// TestRatesOff checks that --rates off sends no requests for rates, and that
// without it the banks are queried at once.
func TestRatesOff(t *testing.T) {
	t.Parallel()
	recorder := &requestRecorder{}
	world := simulate(t, storesim.Config{Seed: 1, ConsoleGames: 1, PCGames: 1, Regions: fourRegions}, recorder.wrap)
	for rates, want := range map[string]int{"auto": 2, "off": 0} {
		before := len(recorder.requests("/rates/"))
		dir := t.TempDir()
		s := start(t, dir, append(world.banks(), "--rates", rates)...)
		must(t, dir, "", "import", "testdata/feed.ndjson")
		s.waitFor("", "/api/v1/health", func(status int, _ string) bool {
			return status == 200 && len(recorder.requests("/rates/"))-before >= want
		})
		if s.stop(); len(recorder.requests("/rates/"))-before != want {
			t.Errorf("%s: %d requests, want %d", rates, len(recorder.requests("/rates/"))-before, want)
		}
	}
}
