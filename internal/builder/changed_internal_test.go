package builder

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/api"
	"gamedex/internal/bucket"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/quota"
	"gamedex/internal/snapshot"
	ct "gamedex/internal/testing/catalogtest"
)

// service is a database, builders that take turns, and nodes with clocks of their own.
type service struct {
	t           *testing.T
	rng         *rand.Rand
	stores      stores
	batches     [][]catalog.Listing // that the database has
	db          source
	epoch       int
	rates       money.Rates
	now         catalog.Millis
	bucket      bucket.Bucket
	publication *counted
	builder     *Builder
	nodes       []*apiNode
	mirrors     []*mirror
}

// apiNode is a node that answers from the snapshot that it read last.
type apiNode struct {
	live     *index.Live
	follower *publish.Follower
	skew     time.Duration
	handler  http.Handler
}

// mirror is a client that keeps a list of prices.
type mirror struct {
	parameters url.Values
	post       bool
	cursor     string
	seq        int64          // of the snapshot of its last answer
	items      map[string]any // by requested id
}

func newService(t *testing.T, seed uint64) *service {
	s := &service{t: t, rng: rand.New(rand.NewPCG(seed, 37)), publication: new(counted), now: ct.Day(2)}
	s.stores = stores{rng: s.rng, at: map[catalog.Key]int{}}
	s.openDatabase()
	s.openBucket()
	s.startBuilder()
	for range 3 {
		s.nodes = append(s.nodes, s.newNode())
	}
	s.save()
	s.build()
	return s
}

// openDatabase opens a database with the batches, in the present epoch.
func (s *service) openDatabase() {
	s.db = openDatabase(s.t)
	s.db.id, s.db.rates = "database", func() money.Rates { return s.rates }
	s.db.inEpoch = func(string) string { return fmt.Sprint(s.epoch) }
	for _, batch := range s.batches {
		save(s.t, s.db, batch...)
	}
}

// openBucket opens an empty bucket.
func (s *service) openBucket() {
	folder, err := bucket.OpenFolder(s.t.TempDir())
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { folder.Close() })
	s.bucket = folder
}

// startBuilder lets another builder take over.
func (s *service) startBuilder() {
	now := func() time.Time { return s.now.Time() }
	s.builder = New(Config{
		Database: s.db, Publication: s.publication, ServedIDs: s.db.Listings, Bucket: s.bucket, Leases: lease.Holder{},
		Active: ct.Regions("UA", "TR"), Keep: time.Hour,
		Overrides: func(context.Context) (override.Set, error) { return override.Set{}, nil },
		States:    func(context.Context, string) ([]index.PlatformState, error) { return nil, nil },
		Now:       now, Clock: now, Log: slog.New(slog.DiscardHandler),
	})
	s.builder.held = func(context.Context) error { return nil }
	s.resume()
}

func (s *service) resume() {
	if err := s.builder.publisher.Resume(s.t.Context(), merge.MergeVersion); err != nil {
		s.t.Fatal(err)
	}
}

func (s *service) newNode() *apiNode {
	n := &apiNode{live: new(index.Live)}
	n.follower = publish.NewFollower(s.bucket, n.live, func(error) {}) // manifests are damaged on purpose
	n.handler = api.New(api.Config{
		Live: n.live, Clock: func() time.Time { return time.UnixMilli(int64(s.now)).Add(n.skew) },
		PersonLimits: quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay},
	}).Person("someone")
	return n
}

// save stores what the stores show now.
func (s *service) save() {
	batch := s.stores.change(s.now)
	if s.rng.IntN(2) == 0 { // seen again at the same prices
		batch = nil
		for range 1 + s.rng.IntN(3) {
			batch = append(batch, s.seenAgain())
		}
	}
	for i := range batch {
		l := &batch[i]
		if l.Platform != catalog.PCStore {
			continue
		}
		switch s.rng.IntN(6) {
		case 0:
			l.Facts.Aliases = []string{"s3"}
		case 1: // a slug that is also a game id
			ids := s.served()
			l.Facts.Slug = strings.ToLower(ids[s.rng.IntN(len(ids))])
		}
	}
	s.store(batch...)
}

func (s *service) store(batch ...catalog.Listing) {
	s.batches = append(s.batches, batch)
	save(s.t, s.db, batch...)
}

// seenAgain returns a listing in which at most one thing but the price is new.
func (s *service) seenAgain() catalog.Listing {
	l := &s.stores.listed[s.rng.IntN(len(s.stores.listed))]
	l.ObservedAt = s.now
	switch s.rng.IntN(7) {
	case 0:
		l.Facts.Title = s.stores.pick("Star", "Dust", "Moon")
	case 1:
		l.Facts.Edition = s.stores.pick("", "Gold", "Silver")
	case 2:
		l.Facts.Family = s.stores.pick("a", "b", "c")
	case 3:
		l.Facts.Titles = []catalog.LocalTitle{{Locale: "uk", Title: s.stores.pick("Зоря", "Місяць")}}
	case 4:
		l.Withdrawn = !l.Withdrawn
	case 5:
		l.Popularity = s.rng.Float64()
	}
	return *l
}

// served returns the ids that cards have or had, and some others.
func (s *service) served() []string {
	ids := []string{"s1", "s2", "s3", "no-game"}
	err := s.db.Listings.Served(s.t.Context(), func(one catalog.Served) error { ids = append(ids, one.ID); return nil })
	if err != nil {
		s.t.Fatal(err)
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// build lets the builder look until it publishes what there is.
func (s *service) build() {
	for range 3 {
		if err := s.builder.check(s.t.Context()); err != nil { // another one has published
			s.resume()
		}
		s.now += 61_000
	}
}

// step is one event of a history.
func (s *service) step() {
	switch s.rng.IntN(16) { // the events after which all games count as changed are rare
	case 0, 1, 2, 3, 4, 5, 6:
		s.save()
		s.build()
	case 7:
		s.save()
	case 8, 9, 10:
		s.now += catalog.Millis(s.rng.Int64N(int64(48 * time.Hour / time.Millisecond)))
	case 11:
		s.startBuilder()
	case 12:
		s.changeRates()
	case 13:
		s.nodes[s.rng.IntN(len(s.nodes))] = s.newNode()
	case 14:
		rare := []func(){s.failOver, s.publishAsBefore, s.damageManifest, s.restore}
		rare[s.rng.IntN(len(rare))]()
	}
	s.follow(2)
	if s.rng.IntN(4) == 0 || len(s.mirrors) == 0 {
		s.mirrors = append(s.mirrors, s.newMirror())
		s.mirrors = s.mirrors[max(0, len(s.mirrors)-5):]
	}
	s.pollAll()
}

// follow lets one of so many nodes read the newest snapshot, and changes some clocks.
func (s *service) follow(oneOf int) {
	for _, n := range s.nodes {
		if s.rng.IntN(oneOf) == 0 || n.live.View() == nil {
			if _, err := n.follower.Poll(s.t.Context()); err != nil {
				s.t.Fatal(err)
			}
		}
		if s.rng.IntN(3) == 0 {
			n.skew = time.Duration(s.rng.Int64N(int64(4*time.Hour))) - 2*time.Hour
		}
	}
}

func (s *service) pollAll() {
	for _, m := range s.mirrors {
		s.poll(m, s.nodes[s.rng.IntN(len(s.nodes))])
	}
}

// failOver replaces the database by a standby that lacks the newest commits.
func (s *service) failOver() {
	s.batches = s.batches[:max(1, len(s.batches)-s.rng.IntN(4))]
	s.publication.seq = max(0, s.publication.seq-int64(s.rng.IntN(3)))
	s.epoch++
	s.openDatabase()
	s.startBuilder()
	s.build()
}

// restore replaces the database by a backup, which is in the same epoch, and loses the
// snapshots. Publications go on with lower numbers, and reach those of before again.
func (s *service) restore() {
	s.batches = s.batches[:max(1, len(s.batches)-s.rng.IntN(4))]
	s.publication.seq = max(0, s.publication.seq-1-int64(s.rng.IntN(4)))
	s.openBucket()
	s.openDatabase()
	s.startBuilder()
	for i := range s.nodes {
		s.nodes[i] = s.newNode()
	}
	s.build()
	for range s.rng.IntN(6) {
		s.save()
		s.build()
	}
}

// publishAsBefore publishes the newest snapshot as a builder of an older version would.
func (s *service) publishAsBefore() {
	older := publish.NewPublisher(s.bucket, s.publication, slog.New(slog.DiscardHandler))
	if err := older.Resume(s.t.Context(), merge.MergeVersion); err != nil {
		s.t.Fatal(err)
	}
	m := older.Current()
	if m.Seq == 0 {
		return
	}
	blob, err := older.Blob(s.t.Context(), m.Prices)
	if err == nil {
		m.Prices, err = older.PutBlob(s.t.Context(), withoutSection(s.t, blob, "prices", "changes"))
	}
	if err == nil {
		err = older.Publish(s.t.Context(), m)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

func withoutSection(t *testing.T, blob []byte, kind, section string) []byte {
	f, err := snapshot.Open(blob, kind, index.Formats())
	if err != nil {
		t.Fatal(err)
	}
	w := snapshot.NewWriter(kind, index.Format)
	for _, name := range f.Names() {
		if data, err := f.Section(name); err != nil {
			t.Fatal(err)
		} else if name != section {
			w.Add(name, data)
		}
	}
	blob, err = w.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	return blob
}

// damageManifest damages the newest manifest, which nodes have read. What was new in it is
// as before in the next one.
func (s *service) damageManifest() {
	before := s.stores.listed[s.rng.IntN(len(s.stores.listed))]
	after := before
	before.Withdrawn, before.Price = false, s.stores.price()
	after.Withdrawn, after.Price = false, s.stores.price()
	for _, l := range []*catalog.Listing{&before, &after} {
		l.ObservedAt = s.now
		s.store(*l)
		s.build()
	}
	s.follow(1)
	s.pollAll()
	before.ObservedAt = s.now
	s.store(before)
	name := publish.ManifestName(s.publication.seq)
	_ = s.bucket.Delete(s.t.Context(), name) // it may be missing
	if err := s.bucket.Put(s.t.Context(), name, []byte("nonsense")); err != nil {
		s.t.Fatal(err)
	}
	s.startBuilder()
	s.build()
}

// changeRates publishes another table, mostly with the same currencies.
func (s *service) changeRates() {
	decimals := map[money.Currency]string{"USD": "1", "UAH": fmt.Sprint(40 + s.rng.IntN(9))}
	if s.rng.IntN(6) == 0 {
		delete(decimals, "UAH")
	}
	var err error
	if s.rates, err = money.NewRates("USD", decimals, int64(s.now)); err != nil {
		s.t.Fatal(err)
	}
	s.build()
}

// newMirror is a client of some of the games that there ever were.
func (s *service) newMirror() *mirror {
	m := &mirror{parameters: url.Values{"ids": {strings.Join(s.served(), ",")}}, post: s.rng.IntN(2) == 0, items: map[string]any{}}
	for name, values := range map[string][]string{
		"regions": {"all", "TR", "US,UA"}, "include": {"editions", "editions,lows,url", "meta,image,url", "lows,fx"},
		"platform": {"pcstore", "consolestore"}, "currency": {"UAH", "EUR"}, "lang": {"uk", "en"},
	} {
		if n := s.rng.IntN(len(values) + 2); n < len(values) {
			m.parameters.Set(name, values[n])
		}
	}
	return m
}

// answer is what a node answers.
type answer struct {
	status int
	header http.Header
	body   struct {
		Counts struct{ Resolved, Unchanged, NotFound int }
		Data   struct {
			Items    []map[string]any
			NotFound []string
			Moved    map[string][]string
		}
		Meta struct{ Cursor string }
	}
}

// ask sends the request of a mirror to a node.
func (s *service) ask(m *mirror, n *apiNode, cursor string) answer {
	parameters := maps.Clone(m.parameters)
	if cursor != "" {
		parameters.Set("changedSince", cursor)
	}
	r := httptest.NewRequest(http.MethodGet, "/api/v1/catalog/prices?"+parameters.Encode(), http.NoBody)
	if m.post {
		body := map[string]string{}
		for name := range parameters {
			body[name] = parameters.Get(name)
		}
		raw, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		r = httptest.NewRequest(http.MethodPost, "/api/v1/catalog/prices", strings.NewReader(string(raw)))
	}
	w := httptest.NewRecorder()
	n.handler.ServeHTTP(w, r)
	a := answer{status: w.Code, header: w.Header()}
	raw, err := io.ReadAll(w.Body)
	if err == nil {
		err = json.Unmarshal(raw, &a.body)
	}
	if err != nil {
		s.t.Fatalf("%v: %s", err, raw)
	}
	return a
}

// poll asks a node what has changed, and compares the mirror with the whole answer.
func (s *service) poll(m *mirror, n *apiNode) {
	s.t.Helper()
	began := time.Now()
	changed := s.ask(m, n, m.cursor)
	seq := n.live.View().Seq
	if changed.status == http.StatusServiceUnavailable && changed.header.Get("Retry-After") == "1" {
		if waited := time.Since(began); seq >= m.seq || waited != 2*time.Second {
			s.t.Fatalf("503 after %s, from snapshot %d for a cursor of %d", waited, seq, m.seq)
		}
		return
	}
	if changed.status != http.StatusOK { // the platform has no card
		return
	}
	whole := s.ask(m, n, "")
	for _, item := range changed.body.Data.Items {
		for _, id := range requested(item) {
			m.items[id] = item
		}
	}
	for _, id := range changed.body.Data.NotFound {
		delete(m.items, id)
	}
	all := map[string]any{}
	for _, item := range whole.body.Data.Items {
		for _, id := range requested(item) {
			all[id] = item
		}
	}
	left := changed.body.Counts.Unchanged
	if left != len(whole.body.Data.Items)-len(changed.body.Data.Items) || changed.body.Counts.Resolved != whole.body.Counts.Resolved {
		s.t.Fatalf("counts %+v with %d items, want those of %+v with %d", changed.body.Counts, len(changed.body.Data.Items), whole.body.Counts, len(whole.body.Data.Items))
	}
	if d := cmp.Diff(whole.body.Data.NotFound, changed.body.Data.NotFound) + cmp.Diff(whole.body.Data.Moved, changed.body.Data.Moved); d != "" {
		s.t.Fatalf("(-whole +changed):\n%s", d)
	}
	for _, item := range changed.body.Data.Items {
		if d := cmp.Diff(all[requested(item)[0]], any(item)); d != "" {
			s.t.Fatalf("an item of the changed games (-whole +changed):\n%s", d)
		}
	}
	if d := cmp.Diff(stripped(all), stripped(m.items)); d != "" {
		s.t.Fatalf("%v after snapshot %d, now %d: (-whole +mirror):\n%s", m.parameters, m.seq, seq, d)
	}
	m.cursor, m.seq = changed.body.Meta.Cursor, seq
	replays, leftOut = replays+1, leftOut+left
}

var replays, leftOut int

// requested returns the ids for which an item was sent.
func requested(item map[string]any) (ids []string) {
	list, ok := item["requestedIds"].([]any)
	if !ok {
		return []string{item["id"].(string)}
	}
	for _, id := range list {
		ids = append(ids, id.(string))
	}
	return ids
}

// stripped returns items without what may differ in games that were left out.
func stripped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, member := range v {
			switch name {
			case "usd", "converted", "cheapest", "pricedAt", "updatedAt", "lows":
			default:
				out[name] = stripped(member)
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = stripped(v[i])
		}
		return out
	}
	return v
}

// TestMirrorsEqualTheWholeAnswer replays random histories: prices, merges, divisions,
// withdrawals, ends by the clock, builders that restart or are of an older version, lost
// manifests, failovers that lose commits, restores without snapshots, and three nodes that are behind each other, with
// clocks that differ. Whatever happens, a client that replaces items by those that changed
// has what the whole answer shows.
func TestMirrorsEqualTheWholeAnswer(t *testing.T) {
	replays, leftOut = 0, 0
	seeds := uint64(3)
	if os.Getenv("GAMEDEX_WORLD") == "full" {
		seeds = 6
	}
	for seed := range seeds {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newService(t, seed)
				for range 60 {
					s.step()
				}
			})
		})
	}
	t.Logf("%d replays left out %d games", replays, leftOut)
	if leftOut < replays {
		t.Error("too few games were left out")
	}
}
