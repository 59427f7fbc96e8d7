package main

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gamedex/internal/lease"
	"gamedex/internal/sqldb"
	"gamedex/internal/testing/await"
	"gamedex/internal/webhook"
)

// receiver is a receiver of webhooks that fails now and then. It keeps what it accepted.
type receiver struct {
	arrived  chan struct{} // has a value after a message has arrived; it is answered a little later
	mu       sync.Mutex
	failed   map[string]bool   // messages of which a try failed: a third one would be after a minute
	bodies   map[string]string // by the id of the message
	order    []string          // ids as they were accepted, repetitions too
	versions map[string]int    // of the stock, by game
	invalid  []string
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(req.Body)
	if err != nil {
		return // the sender was killed
	}
	select {
	case r.arrived <- struct{}{}:
	default:
	}
	time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond) // the sender may be killed meanwhile
	r.mu.Lock()
	defer r.mu.Unlock()
	verifier, err := standardwebhooks.NewWebhook("whsec_c2VjcmV0IG9mIHRoaXMgdGVzdA==")
	if err == nil {
		err = verifier.Verify(body, req.Header)
	}
	id := req.Header.Get("webhook-id")
	if before, known := r.bodies[id]; err != nil || known && before != string(body) {
		r.invalid = append(r.invalid, id)
	}
	if !r.failed[id] && rand.IntN(2) == 0 {
		r.failed[id] = true
		w.WriteHeader(http.StatusInternalServerError)
		return
	}
	var m struct {
		Data struct {
			Items []struct {
				ID      string
				Regions map[string]struct{ Current int }
			}
		}
	}
	if err := json.Unmarshal(body, &m); err != nil {
		r.invalid = append(r.invalid, err.Error())
	}
	r.bodies[id], r.order = string(body), append(r.order, id)
	for _, item := range m.Data.Items {
		r.versions[item.ID] = item.Regions["TUR"].Current - versionZero
	}
}

func newReceiver() *receiver {
	return &receiver{arrived: make(chan struct{}, 1), failed: map[string]bool{}, bodies: map[string]string{}, versions: map[string]int{}}
}

// check checks signatures, bytes and order of what was accepted.
func (r *receiver) check(t *testing.T) {
	t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.invalid) > 0 {
		t.Errorf("messages with a wrong signature or other bytes than before: %q", r.invalid)
	}
	seen := map[string]bool{}
	for i, id := range r.order {
		if seen[id] && r.order[i-1] != id {
			t.Errorf("message %s is repeated after a later one", id)
		}
		seen[id] = true
	}
	t.Logf("%d messages, %d with repetitions", len(seen), len(r.order))
}

// hasArrived reports whether a message has arrived since it was called last.
func (r *receiver) hasArrived() bool {
	select {
	case <-r.arrived:
		return true
	default:
		return false
	}
}

// throughLease waits until another process has the lease of a sender that is stopped, or until it could have: one that is
// stopped in the middle of a write on SQLite lets no other write.
func throughLease(t *testing.T, db *sqldb.DB) {
	t.Helper()
	find := func() lease.Lease {
		l, _, err := db.Nodes.FindLease(t.Context(), webhook.LeaseName)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	before := find()
	await.That(t, "another lease", func() bool {
		now := find()
		return now.Token != before.Token || time.Now().UnixMilli() > before.Until+10_000
	})
}

// TestWebhooksOfKilledSenders kills the sender of webhooks and its standby in the middle of a delivery, again and
// again, while the receivers fail now and then, and in the full world puts it to sleep through its lease. One receiver gets
// every change, the other every deal once, in order, and repetitions are equal.
func TestWebhooksOfKilledSenders(t *testing.T) {
	t.Parallel()
	rounds := 4
	switch {
	case fullWorld() && onServers():
		rounds = 11 // the lease of a killed process lasts there
	case fullWorld():
		rounds = 55
	}
	got, deals := newReceiver(), newReceiver()
	at, dealsAt := httptest.NewServer(got), httptest.NewServer(deals)
	defer at.Close()
	defer dealsAt.Close()
	dir, k := t.TempDir(), newStock(6, "TR", "UA")
	k.offers = true
	must(t, dir, k.feed(0), "import", "-")
	keyID, _ := newKey(t, dir, "--permissions", "read:catalog,write:webhooks")
	db := openDB(t, dir)
	defer db.Close()
	var served []webhook.Served
	for _, id := range k.slugs(1) {
		served = append(served, webhook.Served{Game: "pcstore/" + id})
	}
	s := webhook.Subscription{ID: "whk_1", KeyID: keyID, URL: at.URL, Secret: "whsec_c2VjcmV0IG9mIHRoaXMgdGVzdA==", Version: 1, Filter: webhook.Filter{When: webhook.WhenChange}}
	if err := db.Webhooks.Create(t.Context(), s, served); err != nil {
		t.Fatal(err)
	}
	s.ID, s.URL, s.Filter = "whk_2", dealsAt.URL, webhook.Filter{Deals: "?minDiscount=1&regions=TR", When: webhook.WhenDeal}
	if err := db.Webhooks.Create(t.Context(), s, nil); err != nil {
		t.Fatal(err)
	}
	builders := make([]*server, 2)
	for i := range builders {
		builders[i] = start(t, dir, "--roles", "build", "--webhooks", "on", "--webhook-hosts", "127.0.0.1")
	}
	waitFor := func(r *receiver, done func() bool) {
		t.Helper()
		await.That(t, "messages", func() bool {
			r.mu.Lock()
			defer r.mu.Unlock()
			return done()
		})
	}
	for _, r := range []*receiver{got, deals} {
		waitFor(r, func() bool { return len(r.order) > 0 }) // resync: the cursor is of no database
	}
	for version := 1; version <= rounds; version++ {
		got.hasArrived() // a message before this change
		must(t, dir, discounted(k, version), "import", "-")
		await.That(t, "a message", got.hasArrived)
		time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond) // any time will do
		if fullWorld() && version%11 == 0 {
			sendSignal(t, builders[0], syscall.SIGSTOP)
			throughLease(t, db)
			sendSignal(t, builders[0], syscall.SIGCONT)
			continue
		}
		for _, b := range builders { // one of them sends
			b.kill()
		}
		for i := range builders {
			builders[i] = start(t, dir, "--roles", "build", "--webhooks", "on", "--webhook-hosts", "127.0.0.1")
		}
	}
	waitFor(got, func() bool {
		return len(got.versions) == k.games && !slices.ContainsFunc(k.slugs(1), func(id string) bool { return got.versions[id] != rounds })
	})
	games := k.slugs(1)[:min(k.games, rounds)]
	waitFor(deals, func() bool { return len(deals.versions) == len(games) })
	got.check(t)
	deals.check(t)
	for _, id := range games {
		n := 0
		for _, body := range deals.bodies {
			n += strings.Count(body, `"id":"`+id+`"`)
		}
		if n != 1 {
			t.Errorf("%s is a new deal in %d messages", id, n)
		}
	}
}

// discounted returns the feed of a version in which the first games have a discount, one more in each version.
func discounted(k stock, version int) string {
	first := k.part(0, min(version, k.games), version)
	return strings.ReplaceAll(first, fmt.Sprintf(`"base":%d,`, versionZero+version), `"base":200000,`) + k.part(min(version, k.games), k.games, version)
}
