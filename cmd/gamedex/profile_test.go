package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/testing/storesim"
)

// filledProfile returns the file of a profile: the template with other addresses.
func filledProfile(t *testing.T) string {
	t.Helper()
	text := read(t, "../../doc/examples/collect-profile.txt")
	file := filepath.Join(t.TempDir(), "profile.txt")
	writeFile(t, file, strings.ReplaceAll(text, ".example", ".test"))
	return file
}

// TestProfileErrors checks that errors of a profile name the field or the line,
// and are reported before any request.
func TestProfileErrors(t *testing.T) {
	t.Parallel()
	filled := filledProfile(t)
	text := read(t, filled)
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	for _, c := range []struct{ name, old, new, want string }{
		{"a number for a duration", `"prices": "10m"`, `"prices": 10`, "duration 10"},
		{"a negative duration", `"prices": "10m"`, `"prices": "-10m"`, `"-10m"`},
		{"a host that nothing is at", `"name": "`, `"name": "other.`, "no address of the profile has this host"},
		{"a region that is none", `"region": "UA"`, `"region": "UK"`, "regions["},
		{"a hash that is none", `"categoryGridRetrieve": "`, `"categoryGridRetrieve": "x`, "categoryGridRetrieve"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(text, c.old) {
				t.Fatalf("the template has no %s", c.old)
			}
			file := filepath.Join(t.TempDir(), "profile.txt")
			writeFile(t, file, strings.Replace(text, c.old, c.new, 1))
			r := run(t, dir, "", "collect", "once", "--collect-profile", file)
			if r.status != 1 || !strings.Contains(r.stderr, c.want) || !strings.Contains(r.stderr, file) {
				t.Errorf("status %d, %q; want %q and the file's name", r.status, r.stderr, c.want)
			}
		})
	}
	for args, want := range map[string]string{
		"once":                           "--collect-profile: required",
		"once --collect-profile nowhere": "no such file",
		"once --region JP --collect-profile " + filled: "JP",
		"plan": "collection is off",
	} {
		if r := run(t, dir, "", append([]string{"collect"}, strings.Fields(args)...)...); r.status != 1 || !strings.Contains(r.stderr, want) {
			t.Errorf("collect %s: status %d, %q", args, r.status, r.stderr)
		}
	}
	if r := run(t, t.TempDir(), "", "collect", "once", "--collect-profile", filled); r.status != 1 || !strings.Contains(r.stderr, "there is no ") {
		t.Errorf("without a database: status %d, %q", r.status, r.stderr)
	}
}

// TestCollectCommands checks the operator's commands: one sweep of a part, the
// plan, an override, and turning collection off.
func TestCollectCommands(t *testing.T) {
	t.Parallel()
	world := simulate(t, storesim.Config{Seed: 9, ConsoleGames: 10, PCGames: 10, Regions: fourRegions}, nil)
	collected := world.newShop(t)
	user := collected.user(t)
	out := world.sweep(t, collected.dir, "--platform", "consolestore", "--region", "tr")
	if !strings.Contains(out, "consolestore/TR/editions") || strings.Contains(out, "pcstore") || strings.Contains(out, "/UA/") {
		t.Errorf("one region's sweep:\n%s", out)
	}
	for _, l := range listingsOf(t, collected.dir) {
		if l.Platform != catalog.ConsoleStore || l.Region != catalog.MustRegion("TR") {
			t.Fatalf("%v was collected too", l.Key)
		}
	}
	plan := must(t, collected.dir, "", "collect", "plan")
	for _, want := range []string{"SWEEP", "consolestore/TR/prices", "consolestore/UA/prices", "never", "every 10m"} {
		if !strings.Contains(plan, want) {
			t.Errorf("the plan lacks %q:\n%s", want, plan)
		}
	}
	shown := decodedAs[planShown](t, "gamedex collect plan", must(t, collected.dir, "", "collect", "plan", "--json"))
	of := func(sweep string) int {
		return slices.IndexFunc(shown.Sweeps, func(s sweepShown) bool { return s.Sweep == sweep })
	}
	ua, tr := of("consolestore/UA/prices"), of("consolestore/TR/prices")
	if ua < 0 || tr < 0 || shown.Sweeps[ua].Alpha2 != "UA" || shown.Sweeps[ua].CompletedAt != nil || shown.Sweeps[tr].CompletedAt == nil || !strings.HasSuffix(shown.Sweeps[tr].Why, "every 10m") {
		t.Errorf("the plan as JSON: %+v", shown)
	}
	for _, set := range []struct{ status, want string }{{"outage", "outage"}, {"auto", "operational"}} { // a manual sweep is never late
		must(t, collected.dir, "", "platform", "set", "consolestore", set.status)
		user.eventually("/catalog/platforms", func(a answer) bool { return a.status == 200 && a.text("data.platforms.0.status") == set.want })
	}
	if r := run(t, collected.dir, "", "platform", "set", "consolestore", "fine"); r.status != 2 {
		t.Errorf("an invalid state: status %d, %s", r.status, r.stderr)
	}
	for platform, status := range map[string]int{"pcstore": 1, "nostore": 1, "": 1} {
		if r := run(t, collected.dir, "", "collect", "stop", "--platform", platform); r.status != status || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("stop of %q: status %d, %s", platform, r.status, r.stderr)
		}
	}
	before := len(listingsOf(t, collected.dir))
	must(t, collected.dir, "", "collect", "stop", "--platform", "consolestore")
	if r := run(t, collected.dir, "", "collect", "plan"); r.status != 1 || !strings.Contains(r.stderr, "collection is off") {
		t.Errorf("plan after the stop: status %d, %s", r.status, r.stderr)
	}
	if n := len(listingsOf(t, collected.dir)); n != before {
		t.Errorf("%d of %d listings are left after the stop", n, before)
	}
	world.sweep(t, collected.dir, "--platform", "consolestore", "--region", "tr")
	must(t, collected.dir, "", "collect", "plan")
	// A service that does not collect reports that the platforms are fed by
	// imports.
	collected.stop()
	collected.server = start(t, collected.dir)
	collected.user(t).eventually("/catalog/platforms", statusesAre("operational", "operational"))
}
