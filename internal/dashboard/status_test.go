package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/status"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/catalogtest"
)

func (p answered) wants(t testing.TB, status int, texts ...string) answered {
	t.Helper()
	if p.status != status {
		t.Errorf("%s: status %d to %q, want %d\n%.3000s", p.path, p.status, p.header.Get("Location"), status, p.body)
	}
	return p.has(t, texts...)
}

// isAt checks where the redirects ended, and that the page there has all these texts.
func (p answered) isAt(t testing.TB, path string, texts ...string) answered {
	t.Helper()
	if p.path != path {
		t.Errorf("status %d at %s, want %s\n%.3000s", p.status, p.path, path, p.body)
	}
	return p.has(t, texts...)
}

func (p answered) has(t testing.TB, texts ...string) answered {
	t.Helper()
	for _, text := range texts {
		if !strings.Contains(p.body, text) {
			_, main, _ := strings.Cut(p.body, "<main")
			t.Fatalf("%s lacks %q\n%.6000s", p.path, text, main)
		}
	}
	return p
}

func hasAll(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is not in\n%s", part, text)
		}
	}
}

func (p answered) lacks(t testing.TB, texts ...string) {
	t.Helper()
	for _, text := range texts {
		if strings.Contains(p.body, text) {
			t.Errorf("%s has %q\n%s", p.path, text, p.body)
		}
	}
}

func TestStatus(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	p := w.signedIn(bobEmail).get("/status")
	p.wants(t, http.StatusOK, "Console Store", "PC Store", "Operational", "Listings are imported",
		`<th scope="row">UA</th>`, `<th scope="row">TR</th>`, "Per US dollar", `<th scope="row">UAH</th><td>42.0500`,
		">USD<", "<dt>Source</dt><dd class=\"wrap-anywhere\">demo</dd>", "MB</dd>", "Manifest number", w.listings())
	p.lacks(t, "Collection jobs", "set by an administrator", "are served only for games")
	w.signedIn(annEmail).get("/status").lacks(t, "Collection jobs") // nothing is collected
}

func TestStatusOfUnservedGames(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	w := v.w
	abroad := catalogtest.Console("JP", "JP0001-PPSA00001_00-ABROAD0000000001", catalogtest.Title("Abroad"), catalogtest.Price("JPY", 1000))
	if _, err := w.db.Listings.Save(t.Context(), []catalog.Listing{abroad}); err != nil {
		t.Fatal(err)
	}
	view, err := buildOnce(t.Context(), w.db, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w.live.Swap(view)
	v.get("/status").wants(t, http.StatusOK, "Prices in JP are served only for games that are also sold in an active region (UA, TR, PL, IN). "+
		"To serve all games, start serve with --active-regions UA,TR,PL,IN,JP.")
}

func TestStatusOfCounters(t *testing.T) {
	t.Parallel()
	var alone atomic.Bool
	v := explorer(t, func(_ *world, c *dashboard.Config) { c.Status.CountsAlone = alone.Load })
	const away = "The server that counts requests for all nodes does not answer."
	v.get("/status").lacks(t, away)
	alone.Store(true)
	v.get("/status").wants(t, http.StatusOK, away)
}

// TestStatusOfDamagedFiles checks that everybody sees that prices may be old, and which file is
// to blame.
func TestStatusOfDamagedFiles(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	v.w.addNode("api-1", 0, "43200", "api")
	const damaged = "The file blob/00ff in the bucket is missing or damaged"
	v.get("/status").lacks(t, damaged)
	if _, err := v.w.db.Exec(t.Context(), "damage", "UPDATE node SET settings = settings || ' blob/00ff'"); err != nil {
		t.Fatal(err)
	}
	p := v.get("/status")
	p.wants(t, http.StatusOK, damaged, "something needs attention")
	p.lacks(t, "Everything works")
}

func (w *world) listings() string {
	w.t.Helper()
	n, err := w.db.Listings.ListingCount(w.t.Context())
	if err != nil || n < 1000 || n > 999_999 {
		w.t.Fatalf("%d listings, %v", n, err)
	}
	return fmt.Sprintf("<dd>%d,%03d</dd>", n/1000, n%1000)
}

func TestStatusBeforeTheFirstIndex(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, cfg *dashboard.Config) {
		cfg.Catalog = func() *overview.Catalog { return nil }
	})
	w.addUser(annEmail, true)
	v := w.signedIn(annEmail)
	v.get("/status").wants(t, http.StatusOK, "No index has been built yet", "There are no exchange rates yet", "There are no listings yet")
	v.get("/admin/platforms").wants(t, http.StatusOK, "Console Store", "PC Store")
}

func TestStatusShowsAnOverride(t *testing.T) {
	t.Parallel()
	v := explorer(t)
	err := v.w.db.Nodes.SetPlatform(t.Context(), catalog.PCStore, "degraded", account.By{At: millis(), Actor: "cli:test"})
	if err != nil {
		t.Fatal(err)
	}
	v.get("/status").wants(t, http.StatusOK, "set by an administrator: Degraded")
}

// collectedIn makes jobs of both platforms in regions, as a profile would.
func (w *world) collectedIn(regions []catalog.Region, since catalog.Millis) {
	w.t.Helper()
	for _, p := range catalog.Platforms() {
		var jobs []sweep.State
		for _, r := range regions {
			for _, k := range []sweep.Kind{sweep.Prices, sweep.Editions} {
				jobs = append(jobs, sweep.State{Scope: sweep.Scope{Platform: p, Region: r, Kind: k},
					Regions: []catalog.Region{r}, Active: true, Interval: 3_600_000})
			}
		}
		if err := w.db.Sweeps.SetCollection(w.t.Context(), sweep.Collection{Platform: p, Since: since, Interval: 3_600_000}, jobs); err != nil {
			w.t.Fatal(err)
		}
	}
}

func (w *world) failJob(scope sweep.Scope, why error) {
	w.t.Helper()
	holder := lease.Holder{Repository: w.db.Nodes, ID: "test", TTL: 20 * time.Second}
	_, err := holder.Hold(w.t.Context(), "collect/"+scope.String(), func(_ context.Context, l *lease.Lease) error {
		l.DueAt = millis() + 5*60_000
		return why
	})
	if !errors.Is(err, why) {
		w.t.Fatalf("job %s: %v", scope, err)
	}
}

func TestStatusShowsJobsToAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	ua := catalog.MustRegion("UA")
	w.collectedIn([]catalog.Region{ua, catalog.MustRegion("PL")}, catalog.Millis(millis()))
	failed := sweep.Scope{Platform: catalog.PCStore, Region: ua, Kind: sweep.Editions}
	w.failJob(failed, errors.New("the store answered <script>alert(1)</script>"))
	until := catalog.Millis(millis() + 10*60_000)
	if err := w.db.Sweeps.StopCollection(t.Context(), catalog.ConsoleStore, until, "too many <b>refusals</b>"); err != nil {
		t.Fatal(err)
	}

	w.signedIn(bobEmail).get("/status").lacks(t, "Collection jobs", "consolestore/UA/prices", "refusals")
	p := w.signedIn(annEmail).get("/status")
	p.wants(t, http.StatusOK, "Collection jobs", "consolestore/UA/prices", "pcstore/PL/editions", "Failed jobs first.",
		"Console Store is not read until", "too many &lt;b&gt;refusals&lt;/b&gt;", "&lt;script&gt;alert(1)",
		"in 5 minutes", "in 10 minutes", "<dt>Jobs</dt><dd>8</dd>", "<dt>Failed</dt><dd>1</dd>")
	p.lacks(t, "<script>alert(1)")
	if first := strings.Index(p.body, failed.String()); first > strings.Index(p.body, "consolestore/UA/prices") {
		t.Error("the failed job is not the first")
	}
}

func TestStatusShowsNodesToAdministrators(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	ann := w.signedIn(annEmail)
	w.addNode("api-1", 0, "43200", "api", "build")
	ann.get("/status").lacks(t, "<h2>Nodes</h2>", "api-1") // one node is nothing to see
	w.addNode("api-2", 0, "43200", "api")
	ann.get("/status").wants(t, http.StatusOK, "<h2>Nodes</h2>", `<th scope="row">api-2</th><td data-label="State"><b class="badge good">live</b></td><td data-label="Roles">api</td>`)
	ann.get("/status").lacks(t, "different values", "Synchronize")
	w.addNode("<api-3>", -2500*time.Millisecond, "1", "api")
	ann.get("/status").wants(t, http.StatusOK, "different values of --limit-day: api-1, api-2 / &lt;api-3&gt;.",
		"The clock of &lt;api-3&gt; differs from the database", ">-2.5 s</td>")
	if _, err := w.db.Exec(t.Context(), "set epochs", "UPDATE node SET epoch = CASE WHEN name = 'api-2' THEN '7/1' ELSE '7/2' END"); err != nil {
		t.Fatal(err)
	}
	ann.get("/status").wants(t, http.StatusOK, "different epochs of the database: &lt;api-3&gt;, api-1 / api-2.")
	w.signedIn(bobEmail).get("/status").lacks(t, "api-1", "different values", "different epochs", "Synchronize")
	if _, err := w.db.Exec(t.Context(), "age", "UPDATE node SET seen = seen - 20000 WHERE name = '<api-3>'"); err != nil {
		t.Fatal(err)
	}
	p := ann.get("/status")
	p.wants(t, http.StatusOK, `<th scope="row">&lt;api-3&gt;</th><td data-label="State"><b class="badge">gone</b>`)
	p.lacks(t, "different values", "Synchronize", "Several nodes")
	if _, err := w.db.Exec(t.Context(), "rename", "UPDATE node SET name = 'api-1', started = started - 20000"); err != nil {
		t.Fatal(err)
	}
	ann.get("/status").wants(t, http.StatusOK, "Several nodes are named api-1. Start each with its own --node-name.")
}

// TestStatusOfManyItems checks that the page says so where not all waiting items are
// counted.
func TestStatusOfManyItems(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	w.collectedIn([]catalog.Region{catalog.MustRegion("UA"), catalog.MustRegion("PL")}, catalog.Millis(millis()))
	w.nameItems(catalog.MustRegion("UA"), sweep.ManyItems+1)
	w.nameItems(catalog.MustRegion("PL"), 7)
	w.signedIn(annEmail).get("/status").wants(t, http.StatusOK, "<dd>10,007 or more</dd>", "to read 10,000 or more ·", "to read 7 ·", "to read 0 ·")
}

func (w *world) nameItems(region catalog.Region, n int) {
	w.t.Helper()
	scope := sweep.Scope{Platform: catalog.ConsoleStore, Region: region, Kind: sweep.Prices}
	batch := sweep.Batch{Scope: scope, Regions: []catalog.Region{region}, At: catalog.Millis(millis())}
	for i := range n {
		batch.Items = append(batch.Items, sweep.Item{Kind: sweep.Editions, ID: fmt.Sprint(i)})
	}
	holder := lease.Holder{Repository: w.db.Sweeps.Leases(), ID: "test", TTL: time.Minute}
	_, err := holder.Hold(w.t.Context(), "collect/"+scope.String(), func(ctx context.Context, l *lease.Lease) error {
		if err := w.db.Sweeps.BeginSweep(ctx, *l, scope, batch.At); err != nil {
			return err
		}
		_, err := w.db.Sweeps.SaveBatch(ctx, *l, batch, sweep.Rules{})
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestStatusOfManyRegionsIsLight checks that a page of sixty regions stays
// light: it has all regions, but not all jobs.
func TestStatusOfManyRegionsIsLight(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	var regions []catalog.Region
	for _, code := range strings.Fields(`AE AR AT AU BE BG BH BO BR CA CH CL CN CO CR CY CZ DE DK EC EE ES FI FR GB GR GT HK HN HR
		HU ID IE IL IN IS IT JP KR KW KZ LB LT LU LV MT MX MY NI NL NO NZ OM PA PE PL PT PY QA RO`) {
		regions = append(regions, catalog.MustRegion(code))
	}
	w.collectedIn(regions, catalog.Millis(millis()))
	long := errors.New(strings.Repeat("the store did not answer as it should; ", 20))
	for _, r := range regions {
		w.failJob(sweep.Scope{Platform: catalog.ConsoleStore, Region: r, Kind: sweep.Prices}, long)
		w.failJob(sweep.Scope{Platform: catalog.ConsoleStore, Region: r, Kind: sweep.Editions}, long)
	}
	w.live.Swap(widened(w.live.View(), regions))
	v := w.signedIn(annEmail)
	v.header.Set("Accept-Language", "ru") // the longer language
	p := v.get("/status")
	p.wants(t, http.StatusOK, "Ещё 190 заданий не показано", "consolestore/AE/prices")
	if len(p.body) > 100_000 {
		t.Errorf("the page has %d bytes", len(p.body))
	}
	t.Logf("%d bytes", len(p.body))
}

// widened returns a view whose platforms have listings in all these regions.
func widened(v *index.View, regions []catalog.Region) *index.View {
	wide := *v
	wide.Platforms = nil
	old := catalog.Millis(millis() - 17*3_600_000)
	for _, p := range catalog.Platforms() {
		state := index.PlatformState{Platform: p, Status: "degraded", Collecting: true}
		for _, r := range regions {
			state.Freshness = append(state.Freshness, catalog.Freshness{Platform: p, Region: r, Listings: 123_456, Doubtful: 7,
				OldestSeen: old, MedianSeen: old, LastSweep: old})
		}
		wide.Platforms = append(wide.Platforms, state)
	}
	return &wide
}

// TestStatusForStrangers checks that a visitor without an account reads how all is, from
// memory, and nothing of the database or of how the service is run.
func TestStatusForStrangers(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, c *dashboard.Config) { c.Status = status.Repositories{} })
	p := w.newVisitor().get("/status")
	p.wants(t, http.StatusOK, "Everything works.", "How fresh the prices are", `<th scope="row">Ukraine</th>`, "Console Store")
	p.lacks(t, "Exchange rates", "--active-regions", "Manifest number", "Collection jobs")
}

// TestStatusSummary checks that the first line tells warnings from failures, and that
// what is wrong comes right after it.
func TestStatusSummary(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	stranger := w.newVisitor()
	for _, tt := range []struct {
		state catalog.Status
		want  []string
	}{
		{catalog.Operational, []string{"Everything works."}},
		{catalog.Degraded, []string{"something needs attention.", "Console Store: The API answers, but some prices"}},
		{catalog.Outage, []string{"Some prices cannot be updated right now.", "Console Store: The store cannot be read"}},
	} {
		wide := widened(w.live.View(), []catalog.Region{catalog.MustRegion("UA")})
		for i := range wide.Platforms {
			wide.Platforms[i].Status = catalog.Operational.String()
		}
		wide.Platforms[0].Status = tt.state.String()
		w.live.Swap(wide)
		p := stranger.get("/status")
		p.wants(t, http.StatusOK, tt.want...)
		if n := strings.Count(p.body, `<li class="notice`); n != len(tt.want)-1 {
			t.Errorf("%v: %d troubles", tt.state, n)
		}
	}
}
