package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/storesim"
	"gamedex/internal/webhook"
)

// wrongClocks are four machines on one database and one Redis: one whose clock is right, one that is two
// hours ahead, one that is three days behind, and one whose clock is set again and again. Those that are
// wrong do all the work; the first only answers requests.
type wrongClocks struct {
	*countingNodes
	db      *sqldb.DB
	began   time.Time
	jumping *clock
	stores  *simulated
}

const (
	twoHours  = 2 * time.Hour
	threeDays = 72 * time.Hour
)

func startWrongClocks(t *testing.T) *wrongClocks {
	t.Helper()
	enginetest.Need(t, "postgres")
	w := &wrongClocks{countingNodes: &countingNodes{t: t, dir: t.TempDir(), redis: enginetest.NewRedis(t)}, began: time.Now().Truncate(time.Second)}
	usePostgres(t, w.dir)
	w.stores = simulate(t, storesim.Config{Seed: 4, ConsoleGames: 4, PCGames: 4, Regions: regionsOf("TR")}, nil)
	w.stores.change(t, func(profile map[string]any) { delete(profile, "pcstore") }) // its games are imported
	w.sell(0)
	must(t, w.dir, "a long enough password\n", "user", "create", "ann@example.org", "--password-stdin")
	w.db = openDB(t, w.dir)
	t.Cleanup(func() { w.db.Close() })
	for i, ahead := range []time.Duration{0, twoHours, -threeDays, 0} {
		w.jumping = &clock{ofMachine: true}
		w.jumping.step(ahead)
		args := []string{"--roles", "api,build,collect", "--collect-profile", w.stores.profile}
		if i == 0 {
			args = []string{"--roles", "api"}
		}
		w.all = append(w.all, startInside(t, w.jumping, w.dir, append(args, "--node-name", fmt.Sprint("clock-", i),
			"--counters", "redis://"+w.redis.Addr(), "--webhooks", "on", "--webhook-hosts", "127.0.0.1")...))
	}
	return w
}

// sell imports a version of two games with a discount: one lasts for an hour, one was over an hour ago.
func (w *wrongClocks) sell(version int) {
	w.t.Helper()
	var feed strings.Builder
	for name, after := range map[string]time.Duration{"lasts": time.Hour, "over": -time.Hour} {
		seen := w.began.Add(time.Duration(version)*time.Second - 2*time.Hour).UTC().Format(time.RFC3339)
		fmt.Fprintf(&feed, `{"platform":"pcstore","region":"TR","product":"%[1]s","slug":"%[1]s","title":"Game that %[1]s","type":"base",`+
			`"price":{"currency":"TRY","base":%d,"current":%d,"discountEndsAt":"%s"},"observedAt":"%s"}`+"\n",
			name, 2*versionZero, versionZero+version, w.began.Add(after).UTC().Format(time.RFC3339), seen)
	}
	must(w.t, w.dir, feed.String(), "import", "-")
}

// key makes a key that ends so long after the start of the test.
func (w *wrongClocks) key(after time.Duration) (token string) {
	w.t.Helper()
	draft := account.Draft{Name: "clock", ExpiresAt: w.began.Add(after).UnixMilli(), LimitMinute: account.MaxLimitMinute}
	_, token, err := node.CreateKey(w.t.Context(), w.db, draft, w.began.Add(-2*time.Hour))
	if err != nil {
		w.t.Fatal(err)
	}
	return token
}

// TestWrongClocks checks what clients and users may rely on whatever the clocks of the machines show: keys,
// discounts and sessions end when they should; a revoked key works nowhere; limits hold over all machines, and no jump
// and no loss of Redis begins a new window; every change of a price is sent once; the store is read as planned, and
// nothing is stored with a time in the future. Each machine says that its clock is wrong.
func TestWrongClocks(t *testing.T) {
	t.Parallel()
	w := startWrongClocks(t)
	if now := time.Now(); stepped(now, -threeDays).Sub(now) != 0 || stepped(now, -threeDays).Unix() != now.Add(-threeDays).Unix() {
		t.Fatal("a step of the clock changes the time that has passed")
	}
	lasting, ended := w.key(time.Hour), w.key(-time.Hour)
	keyID, revoked := newKey(t, w.dir, "--permissions", "read:catalog,write:webhooks")
	changes := newReceiver()
	at := httptest.NewServer(changes)
	defer at.Close()
	s := webhook.Subscription{ID: "whk_1", KeyID: keyID, URL: at.URL, Secret: "whsec_c2VjcmV0IG9mIHRoaXMgdGVzdA==", Version: 1, Filter: webhook.Filter{When: webhook.WhenChange}}
	if err := w.db.Webhooks.Create(t.Context(), s, []webhook.Served{{Game: "pcstore/lasts"}}); err != nil {
		t.Fatal(err)
	}
	sent := func(done func() bool) {
		t.Helper()
		await.That(t, "a message", func() bool { changes.mu.Lock(); defer changes.mu.Unlock(); return done() })
	}
	sent(func() bool { return len(changes.order) > 0 }) // it says that the past is not known
	ann := newPerson(t, w.all[2].api)
	if !ann.signIn("ann@example.org", "a long enough password") {
		t.Error("nobody can sign in at the machine that is behind")
	}

	const versions = 4
	for version := 1; version <= versions; version++ {
		w.jumping.step([]time.Duration{twoHours, -threeDays, 8 * 24 * time.Hour, -8 * 24 * time.Hour}[version-1])
		w.sell(version)
		for i, s := range w.all {
			path := "/api/v1/catalog/prices?ids=lasts,over&regions=all"
			prices := map[string]int{}
			s.waitFor(lasting, path, func(status int, body string) bool {
				if status != 200 {
					t.Fatalf("step %d, machine %d: a key that lasts for an hour: %d %s", version, i, status, body)
				}
				for _, item := range decoded[bulkAnswer](t, body).Data.Items {
					prices[item.ID] = item.Regions["TUR"].Current - versionZero
				}
				return prices["lasts"] == version
			})
			if prices["over"] != versionZero {
				t.Errorf("step %d, machine %d: the prices are %v: want that without the discount that is over", version, i, prices)
			}
			if _, body := s.get(ended, path); !strings.Contains(body, `"KEY_EXPIRED"`) {
				t.Errorf("step %d, machine %d: a key that has ended: %.200s", version, i, body)
			}
			if status, end, _ := ann.send(s.api+"/profile", nil); status != 200 || end != "/profile" {
				t.Errorf("step %d, machine %d: the session is lost: %d at %s", version, i, status, end)
			}
		}
		sent(func() bool { return changes.versions["lasts"] == version })
	}
	changes.check(t)
	for version := 1; version <= versions; version++ {
		if n := changes.messagesWith("lasts", version); n != 1 {
			t.Errorf("version %d of a price is in %d messages", version, n)
		}
	}

	must(t, w.dir, "", "key", "revoke", keyID)
	for _, s := range w.all {
		s.waitFor(revoked, "/api/v1/catalog/search?q=game", func(_ int, body string) bool { return strings.Contains(body, `"KEY_REVOKED"`) })
	}
	for _, s := range w.all[1:] {
		s.readyzSays("ready", "the clock of this machine differs from the database's by")
	}
	w.readAsPlanned()
	w.limitsHold()
}

// messagesWith returns in how many messages a game has a version.
func (r *receiver) messagesWith(id string, version int) (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, body := range r.bodies {
		var m bulkAnswer // a message has its items in the same place
		if err := json.Unmarshal([]byte(body), &m); err != nil {
			return 0 // check has said so
		}
		for _, item := range m.Data.Items {
			if item.ID == id && item.Regions["TUR"].Current == versionZero+version {
				n++
			}
		}
	}
	return n
}

// readAsPlanned checks that the store was read once, that it will be in an interval, and that no time is in the
// future.
func (w *wrongClocks) readAsPlanned() {
	w.t.Helper()
	var prices sweep.State
	await.That(w.t, "the store to be read", func() bool {
		sweeps, err := w.db.Sweeps.Sweeps(w.t.Context(), catalog.MillisOf(time.Now()), 1)
		if err != nil {
			w.t.Fatal(err)
		}
		i := slices.IndexFunc(sweeps, func(s sweep.State) bool { return s.Scope.Kind == sweep.Prices })
		if i >= 0 {
			prices = sweeps[i]
		}
		return prices.Completed != 0
	})
	now := catalog.MillisOf(time.Now())
	if wait := prices.DueAt - prices.Completed; prices.Completed > now || wait < prices.Interval/2 || wait > 2*prices.Interval {
		w.t.Errorf("the prices were read at %v and will be at %v: %+v", prices.Completed.Time(), prices.DueAt.Time(), prices)
	}
	for _, l := range listingsOf(w.t, w.dir) {
		if at := l.ObservedAt; at > catalog.MillisOf(time.Now()) || at < catalog.MillisOf(w.began.Add(-3*time.Hour)) {
			w.t.Errorf("%v was seen at %v", l.Key, at.Time())
		}
	}
}

// limitsHold checks that the limits of keys hold over all machines while the clock of one jumps, and that the
// requests of a key are not forgotten with Redis.
func (w *wrongClocks) limitsHold() {
	w.t.Helper()
	const minuteLimit, dayLimit = 20, 45
	var minute, day []reply
	w.undisturbed(func() {
		_, ofMinute := newKey(w.t, w.dir, "--limit-minute", fmt.Sprint(minuteLimit))
		_, ofDay := newKey(w.t, w.dir, "--limit-minute", "1000", "--limit-day", fmt.Sprint(dayLimit))
		minute, day = nil, nil
		for _, ahead := range []time.Duration{twoHours, -threeDays, -24 * time.Hour, 24 * time.Hour} {
			w.jumping.step(ahead)
			minute = append(minute, burst(w.t, ofMinute, 12, w.all...)...)
			day = append(day, burst(w.t, ofDay, 20, w.all...)...)
		}
	})
	for window, tt := range map[string]struct {
		replies []reply
		limit   int
	}{"Minute": {minute, minuteLimit}, "Day": {day, dayLimit}} {
		allowed, full := byWindow(tt.replies, window)
		for end, n := range allowed {
			if n > tt.limit || full[end] && n != tt.limit {
				w.t.Errorf("%d requests passed in the window that ends at %s, want %d", n, end, tt.limit)
			}
		}
	}

	// What only the machine that is right has counted is in the database, and in no memory but its own.
	id, token := newKey(w.t, w.dir)
	before := burst(w.t, token, 10, w.all[0])
	hour := w.began.Unix() / 3600
	await.That(w.t, "the usage to be saved", func() bool {
		n, err := w.db.Accounts.CountRequests(w.t.Context(), id, false, hour)
		return err == nil && n == len(before)
	})
	if err := w.redis.Kill(); err != nil {
		w.t.Fatal(err)
	}
	w.redis.Restart(w.t)
	for i, other := range slices.Backward(w.all[1:]) { // first that of tomorrow
		var after []reply
		w.undisturbed(func() { after = burst(w.t, token, 1, other) })
		ends := func(r reply) string { return r.header.Get("X-RateLimit-Reset-Day") }
		if used := dayUsed(w.t, after[0]); used <= len(before) && ends(after[0]) == ends(before[0]) {
			w.t.Errorf("machine %d: after the loss of Redis %d requests are counted today, want more than %d", i+1, used, len(before))
		}
	}
}
