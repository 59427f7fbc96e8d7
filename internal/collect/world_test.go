package collect_test

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/catalogtest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shop is a store and its connector: games with editions, in some regions. Its
// price pages show every game's price; editions and details are items.
type shop struct {
	platform catalog.Platform
	jobs     []sweep.Job
	pageSize int

	mu    sync.Mutex
	games map[string]game // by id, in every region
	// error of a read; nil: none
	fails       func(scope sweep.Scope, from string) error
	took        time.Duration // of one read
	reads       map[sweep.Scope][]string
	at          map[sweep.Scope]int // reads under way
	most        map[sweep.Scope]int
	interrupted bool
	perGame     int // add-ons shown with each game's editions
	// pageOf has the games on whose pages second editions are; without an entry it is their own.
	pageOf map[string]string
	names  bool // pages of prices name the second editions
}

type game struct {
	title  string
	prices map[catalog.Region]int64 // hundredths; 1000 in regions without an entry
}

func newShop(p catalog.Platform, regions string, kinds ...sweep.Kind) *shop {
	s := &shop{
		platform: p, pageSize: 4, games: map[string]game{}, took: 100 * time.Millisecond,
		reads: map[sweep.Scope][]string{}, at: map[sweep.Scope]int{}, most: map[sweep.Scope]int{},
	}
	for _, r := range catalogtest.Regions(strings.Fields(regions)...) {
		for _, kind := range kinds {
			scope := sweep.Scope{Platform: p, Region: r, Kind: kind}
			s.jobs = append(s.jobs, sweep.Job{Scope: scope, Regions: []catalog.Region{r}})
		}
	}
	return s
}

// stock adds n games to the shop.
func (s *shop) stock(n int) *shop {
	for i := range n {
		s.games[fmt.Sprintf("g%03d", i)] = game{title: fmt.Sprintf("Game %d", i)}
	}
	return s
}

func (s *shop) Platform() catalog.Platform { return s.platform }
func (s *shop) Jobs() []sweep.Job          { return s.jobs }
func (s *shop) Host() string               { return s.platform.String() + ".example" }

func (s *shop) Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error) {
	s.enter(job.Scope, from)
	defer s.leave(job.Scope)
	select {
	case <-time.After(s.took):
	case <-ctx.Done():
		return sweep.Page{}, ctx.Err()
	}
	s.mu.Lock()
	fails := s.fails
	s.mu.Unlock()
	if fails != nil {
		if err := fails(job.Scope, from); err != nil {
			return sweep.Page{}, err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if job.Scope.Kind.Paged() {
		return s.page(job, from)
	}
	return s.item(job, from)
}

func (s *shop) enter(scope sweep.Scope, from string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.reads[scope] = append(s.reads[scope], from)
	s.at[scope]++
	s.most[scope] = max(s.most[scope], s.at[scope])
}

func (s *shop) leave(scope sweep.Scope) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at[scope]--
}

// page returns a page of games; the cursor is the number of games before it.
func (s *shop) page(job sweep.Job, from string) (sweep.Page, error) {
	before := 0
	if from != "" {
		n, err := strconv.Atoi(from)
		if err != nil {
			return sweep.Page{}, fmt.Errorf("cursor %q: %w", from, err)
		}
		before = n
	}
	ids := slices.Sorted(maps.Keys(s.games))
	page := sweep.Page{Requests: 1, Interrupted: s.interrupted}
	end := min(len(ids), before+s.pageSize)
	for _, id := range ids[min(before, end):end] {
		for _, r := range job.Regions {
			page.Parts = append(page.Parts, s.part(id, r))
		}
		if s.names {
			page.Present = append(page.Present, s.deluxeOn(id)...)
		}
		mark := fmt.Sprint(s.games[id].prices)
		page.Items = append(page.Items, sweep.Item{Kind: sweep.Editions, ID: id, Mark: mark})
	}
	if end < len(ids) {
		page.Next = strconv.Itoa(end)
	}
	return page, nil
}

// deluxeOn returns the second editions on the page of a game.
func (s *shop) deluxeOn(page string) (products []string) {
	for id := range s.games {
		if product := id + "-deluxe"; cmp.Or(s.pageOf[product], id) == page {
			products = append(products, product)
		}
	}
	return products
}

// item returns the second editions on a game's page, or details of a product.
func (s *shop) item(job sweep.Job, id string) (sweep.Page, error) {
	page := sweep.Page{Requests: 1}
	game := strings.TrimSuffix(id, "-deluxe")
	g, sold := s.games[game]
	if !sold {
		page.Gone = true
		return page, nil
	}
	r := job.Scope.Region
	if job.Scope.Kind == sweep.Details {
		page.Parts = []sweep.Part{{
			Listing: catalog.Listing{
				Key: catalog.Key{Platform: s.platform, Region: r, Product: id}, ObservedAt: now(),
				Facts: catalog.Facts{Family: cmp.Or(s.pageOf[id], game)},
				Prose: catalog.Prose{Publisher: "Publisher of " + g.title},
			},
			Shows: sweep.ShowsPublisher | sweep.ShowsFamily,
		}}
		return page, nil
	}
	for _, product := range s.deluxeOn(id) {
		deluxe := s.part(strings.TrimSuffix(product, "-deluxe"), r)
		deluxe.Product = product
		page.Parts = append(page.Parts, deluxe)
	}
	for i := range s.perGame {
		extra := s.part(id, r)
		extra.Product += fmt.Sprintf("-extra%d", i)
		page.Parts = append(page.Parts, extra)
	}
	page.Items = []sweep.Item{{Kind: sweep.Details, ID: id}}
	return page, nil
}

func (s *shop) part(id string, r catalog.Region) sweep.Part {
	g := s.games[id]
	price, ok := g.prices[r]
	if !ok {
		price = 1000
	}
	l := catalog.Listing{
		Key: catalog.Key{Platform: s.platform, Region: r, Product: id}, ObservedAt: now(),
		Facts: catalog.Facts{Title: g.title, Type: catalog.Game, Slug: id},
		Price: &catalog.Price{
			Currency: "USD", Base: money.Amount(price), Current: money.Amount(price),
			DiscountPercent: catalog.NoPercent, Source: "graphql",
		},
	}
	return sweep.Part{Listing: l, Shows: sweep.ShowsPrice | sweep.ShowsTitle | sweep.ShowsSlug}
}

// set changes the shop while collectors read it.
func (s *shop) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

func (s *shop) readsOf(scope sweep.Scope) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.reads[scope])
}

func now() catalog.Millis { return catalog.MillisOf(time.Now()) }

// world is a database with its collectors.
type world struct {
	t  *testing.T
	db *sqldb.DB
	// receives the lines of all collectors
	log    *lines
	path   string
	events []collect.Event
	mu     sync.Mutex
	stops  []string
	active string
	rates  func(context.Context) (money.Rates, error)
	tune   func(*collect.Config)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, log: &lines{}, path: "sqlite:" + filepath.Join(t.TempDir(), "gamedex.db"), active: "UA US",
		rates: func(context.Context) (money.Rates, error) { return money.Rates{}, nil }}
	w.db = w.open()
	return w
}

func (w *world) open() *sqldb.DB {
	w.t.Helper()
	db, err := sqldb.Open(w.t.Context(), w.path, engine.Options{Create: true})
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() {
		if err := db.Close(); err != nil {
			w.t.Error(err)
		}
	})
	return db
}

// collector is one process of the world.
func (w *world) collector(id string, db *sqldb.DB, shops ...*shop) *collect.Collector {
	w.t.Helper()
	cfg := collect.Config{
		Database: db.Sweeps, Active: regions(w.active), Now: time.Now, Rand: func() float64 { return 0.5 }, Rates: w.rates,
		Leases: lease.Holder{Repository: db.Sweeps.Leases(), ID: id, TTL: 30 * time.Second},
		Log:    slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Stop:   w.stopped, Observe: w.observe, Clock: func(context.Context) (int64, error) { return time.Now().UnixMilli(), nil },
	}
	for _, s := range shops {
		cfg.Connectors = append(cfg.Connectors, s)
	}
	if w.tune != nil {
		w.tune(&cfg)
	}
	c, err := collect.New(cfg)
	if err != nil {
		w.t.Fatal(err)
	}
	return c
}

func (w *world) observe(e collect.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, e)
}

func (w *world) stopped(host string, until time.Time, reason string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stops = append(w.stops, fmt.Sprintf("%s until %s: %s", host, until.UTC().Format(time.TimeOnly), reason))
}

// runs counts the runs that ended in a given way.
func (w *world) runs(scope sweep.Scope, outcome collect.Outcome) (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, e := range w.events {
		if e.Summary.Scope == scope && e.Outcome == outcome {
			n++
		}
	}
	return n
}

// runFor runs collectors for a time.
func (w *world) runFor(d time.Duration, collectors ...*collect.Collector) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), d)
	defer cancel()
	var running sync.WaitGroup
	for _, c := range collectors {
		running.Go(func() {
			if err := c.Run(ctx); err != nil {
				w.t.Error(err)
			}
		})
	}
	running.Wait()
}

// sweeps returns the states by the scopes' names.
func (w *world) sweeps() map[string]sweep.State {
	w.t.Helper()
	list, err := w.db.Sweeps.Sweeps(context.Background(), now(), sweep.ManyItems)
	if err != nil {
		w.t.Fatal(err)
	}
	byName := map[string]sweep.State{}
	for _, s := range list {
		byName[s.Scope.String()] = s
	}
	return byName
}

// listings returns the listings on sale, "UA g001" → listing.
func (w *world) listings() map[string]catalog.Listing {
	w.t.Helper()
	found := map[string]catalog.Listing{}
	err := w.db.Listings.Export(context.Background(), listings.Filter{}, func(l *catalog.Listing) error {
		if !l.Withdrawn {
			found[l.Region.String()+" "+l.Product] = *l
		}
		return nil
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return found
}

func regions(codes string) []catalog.Region {
	return catalogtest.Regions(strings.Fields(codes)...)
}

func scope(name string) sweep.Scope {
	s, err := sweep.ParseScope(name)
	if err != nil {
		panic(err)
	}
	return s
}

// lines is a log that tests can search.
type lines struct{ await.Text }

// with counts the lines that contain all words.
func (l *lines) with(words ...string) (n int) {
	for line := range strings.Lines(l.String()) {
		if !slices.ContainsFunc(words, func(word string) bool { return !strings.Contains(line, word) }) {
			n++
		}
	}
	return n
}
