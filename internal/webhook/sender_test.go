package webhook_test

import (
	"bytes"
	"context"
	cryptorand "crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"gamedex/internal/account"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/webhook"
)

// world is a database with subscriptions, a shop, and one receiver of everything. Time is that of a bubble.
type world struct {
	t     testing.TB
	db    *sqldb.DB
	shop  *webhook.Shop
	view  atomic.Pointer[index.View]
	key   account.Key
	every time.Duration
	ttl   time.Duration
	works atomic.Bool
	fails atomic.Bool // the database, the next time that a try is stored
	log   bytes.Buffer

	mu       sync.Mutex
	receive  func(webhook.Message) (status int, header http.Header, err error)
	messages []message // that were delivered, with repetitions
	tried    []string  // ids of messages, with repetitions
}

type message struct{ id, body string }

func newWorld(t testing.TB) *world {
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true, Now: time.Now})
	webhook.Must(t, err)
	t.Cleanup(func() { db.Close() })
	w := &world{t: t, db: db, shop: &webhook.Shop{Games: map[string]map[string]webhook.Offer{}}, every: time.Second, ttl: 15 * time.Second}
	w.works.Store(true)
	k, _, err := account.Draft{Name: "k"}.Issue(time.Now().UnixMilli(), cryptorand.Reader)
	if err == nil {
		err = db.Accounts.CreateKey(t.Context(), k, account.By{})
	}
	webhook.Must(t, err)
	w.key, w.receive = k, ok
	return w
}

func ok(webhook.Message) (int, http.Header, error) { return 200, nil, nil }

func (w *world) setReceiver(receive func(webhook.Message) (int, http.Header, error)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.receive = receive
}

// set sets the price of a game in Turkey.
func (w *world) set(id string, amount money.Amount, change ...func(*webhook.Offer)) {
	o := webhook.Offer{Amount: amount, Currency: "TRY"}
	for _, f := range change {
		f(&o)
	}
	w.shop.Games[id] = map[string]webhook.Offer{"TR": o}
}

func (w *world) publish(source string) { w.view.Store(w.shop.Publish(w.t, source)) }

// subscribe makes a subscription to games of the shop, now.
func (w *world) subscribe(f webhook.Filter, ids ...string) webhook.Subscription {
	w.t.Helper()
	for _, id := range ids {
		f.Games = append(f.Games, "consolestore/"+id)
	}
	d := webhook.Draft{URL: "https://shop.example/hook?secret=1", Filter: f}
	s, served, err := d.Issue(w.key.ID, w.view.Load(), time.Now().UnixMilli(), cryptorand.Reader)
	if err == nil {
		err = w.db.Webhooks.Create(w.t.Context(), s, served)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// start starts a sender. kill ends it as kill -9 does: its lease stays.
func (w *world) start() (kill func()) {
	ctx, cancel := context.WithCancel(w.t.Context())
	leases := &mortalLeases{Repository: w.db.Nodes}
	s := &webhook.Sender{
		Outbox: &brittleOutbox{w.db.Webhooks, &w.fails}, View: w.view.Load, Works: func(context.Context, string) (bool, error) { return w.works.Load(), nil },
		Leases: lease.Holder{Repository: leases, ID: fmt.Sprint("sender ", rand.Uint64()), TTL: w.ttl},
		Client: webhook.NewTestClient(w.exchange), Every: w.every, Now: time.Now, Rand: func() float64 { return 0.5 }, Random: cryptorand.Reader,
		Log: slog.New(slog.NewTextHandler(&w.log, nil)), Observe: func(string) {},
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Run(ctx); err != nil {
			w.t.Error(err)
		}
	}()
	return func() {
		leases.dead.Store(true)
		cancel()
		<-ended
	}
}

type brittleOutbox struct {
	webhook.Outbox
	fails *atomic.Bool
}

func (b *brittleOutbox) Save(ctx context.Context, s webhook.Subscription, with webhook.Outcome) (bool, error) {
	if with.Try != nil && b.fails.CompareAndSwap(true, false) {
		return false, errors.New("disk full")
	}
	return b.Outbox.Save(ctx, s, with)
}

type mortalLeases struct {
	*nodes.Repository
	dead atomic.Bool
}

func (m *mortalLeases) Release(ctx context.Context, l lease.Lease) (bool, error) {
	if m.dead.Load() {
		return false, errors.New("killed")
	}
	return m.Repository.Release(ctx, l)
}

// exchange is the receiver.
func (w *world) exchange(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	m := webhook.Message{ID: r.Header.Get(standardwebhooks.HeaderWebhookID), Body: body}
	if strings.TrimSpace(string(body)) == "" || m.ID == "" {
		w.t.Errorf("an empty message: %v", r.Header)
	}
	w.mu.Lock()
	receive := w.receive
	w.tried = append(w.tried, m.ID)
	w.mu.Unlock()
	status, header, err := receive(m)
	if err != nil {
		return nil, err
	}
	if status < 300 {
		w.mu.Lock()
		w.messages = append(w.messages, message{m.ID, string(body)})
		w.mu.Unlock()
	}
	return &http.Response{StatusCode: status, Header: header, Body: io.NopCloser(strings.NewReader("ok"))}, nil
}

// delivered returns what was delivered, each message once, and checks that repetitions are equal and directly after the
// message.
func (w *world) delivered() (list []message) {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	bodies := map[string]string{}
	for i, m := range w.messages {
		before, known := bodies[m.id]
		switch {
		case !known:
			bodies[m.id] = m.body
			list = append(list, m)
		case before != m.body:
			w.t.Errorf("message %s has two bodies:\n%s\n%s", m.id, before, m.body)
		case w.messages[i-1].id != m.id:
			w.t.Errorf("message %s is repeated after a later one", m.id)
		}
	}
	return list
}

// content is what a receiver knows after messages: amounts in hundredths by game and region; -1 without a number.
func content(t testing.TB, list []message) (mirror map[string]map[string]int64, moved map[string][]string, types string) {
	t.Helper()
	mirror, moved = map[string]map[string]int64{}, map[string][]string{}
	for _, m := range list {
		var body struct {
			Type, Timestamp string
			Data            struct {
				Items []struct {
					ID      string
					Regions map[string]struct{ Current *int64 }
				}
				Moved    map[string][]string
				NotFound []string
			}
		}
		d := json.NewDecoder(strings.NewReader(m.body))
		if err := d.Decode(&body); err != nil {
			t.Fatalf("%v: %s", err, m.body)
		}
		if len(m.body) > 256<<10 || len(body.Data.Items) > 101 {
			t.Errorf("a message of %d bytes with %d items", len(m.body), len(body.Data.Items))
		}
		types += body.Type + " "
		for _, item := range body.Data.Items {
			mirror[item.ID] = map[string]int64{}
			for region, p := range item.Regions {
				mirror[item.ID][region] = -1
				if p.Current != nil {
					mirror[item.ID][region] = *p.Current
				}
			}
		}
		for _, id := range body.Data.NotFound {
			delete(mirror, id)
		}
		for id, now := range body.Data.Moved {
			delete(mirror, id)
			moved[id] = now
		}
	}
	return mirror, moved, strings.TrimSpace(types)
}

func bubble(t *testing.T, test func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t)
		test(w)
	})
}

// TestChanges follows subscriptions through changes: a price, a discount that ends, a game that moves, one that goes, a
// restored database, and a ping.
func TestChanges(t *testing.T) {
	bubble(t, func(w *world) {
		ends := catalog.MillisOf(time.Now().Add(time.Hour))
		w.set("GAME0001", 1000)
		w.set("GAME0002", 2000, func(o *webhook.Offer) { o.Percent, o.EndsAt = 5, ends })
		w.set("GAME0003", 3000)
		w.publish("db")
		s := w.subscribe(webhook.Filter{When: webhook.WhenChange}, "GAME0001", "GAME0002")
		defer w.start()()
		expect := func(what, types string, want map[string]map[string]int64) {
			t.Helper()
			time.Sleep(5 * time.Second)
			mirror, _, got := content(w.t, w.delivered())
			if diff := cmp.Diff(want, mirror); diff != "" || got != types {
				w.t.Errorf("%s: messages %q, want %q; -want +got:\n%s\nlog: %s", what, got, types, diff, &w.log)
			}
			w.mu.Lock()
			w.messages = nil
			w.mu.Unlock()
		}
		none := map[string]map[string]int64{}
		expect("nothing has changed", "", none)
		w.set("GAME0001", 900)
		w.set("GAME0003", 2900)
		w.publish("db")
		expect("a price", "prices.changed", map[string]map[string]int64{"GAME0001": {"TR": 900}})
		time.Sleep(time.Hour)
		expect("a discount has ended", "prices.changed", map[string]map[string]int64{"GAME0002": {"TR": 2100}})
		w.set("GAME0001", 950, func(o *webhook.Offer) { *o = o.Doubtful() })
		w.publish("db")
		expect("a doubtful price", "", none)
		w.works.Store(false)
		w.set("GAME0001", 800)
		w.publish("db")
		expect("the key is suspended", "", none)
		w.works.Store(true)
		time.Sleep(2 * time.Minute)
		expect("the key works again", "prices.changed", map[string]map[string]int64{"GAME0001": {"TR": 800}})
		if err := w.db.Webhooks.RequestPing(w.t.Context(), s.ID); err != nil {
			w.t.Fatal(err)
		}
		expect("a ping", "ping", none)
		delete(w.shop.Games, "GAME0001")
		w.set("GAME0004", 700)
		w.shop.Moved = map[string][]string{"GAME0001": {"GAME0004"}}
		w.publish("db")
		time.Sleep(5 * time.Second)
		if _, moved, _ := content(w.t, w.delivered()); cmp.Diff(map[string][]string{"GAME0001": {"GAME0004"}}, moved) != "" {
			w.t.Errorf("moved %v", moved)
		}
		expect("a game moves", "prices.changed", map[string]map[string]int64{"GAME0004": {"TR": 700}})
		w.set("GAME0004", 600)
		delete(w.shop.Games, "GAME0002")
		w.publish("db")
		expect("the successor gets cheaper, another game goes", "prices.changed", map[string]map[string]int64{"GAME0004": {"TR": 600}})
		w.set("GAME0004", 500)
		w.publish("restored")
		expect("another database", "prices.resync", none)
		w.set("GAME0002", 2100)
		w.publish("restored")
		expect("the game is back", "prices.changed", map[string]map[string]int64{"GAME0002": {"TR": 2100}})
		if err := w.db.Webhooks.Delete(w.t.Context(), s.ID); err != nil {
			w.t.Fatal(err)
		}
		w.set("GAME0002", 1100)
		w.publish("restored")
		expect("the subscription is deleted", "", none)
		if strings.Contains(w.log.String(), "secret=1") || strings.Contains(w.log.String(), "whsec_") {
			w.t.Errorf("the log has a secret: %s", &w.log)
		}
	})
}

// TestReceiverIsAway has a receiver that is away for four days, one that demands to wait, and one that is gone for good. When
// it is back and the subscription is turned on, everything is there, the message that failed first.
func TestReceiverIsAway(t *testing.T) {
	bubble(t, func(w *world) {
		w.every, w.ttl = 5*time.Second, time.Hour
		w.set("GAME0001", 1000)
		w.publish("db")
		s := w.subscribe(webhook.Filter{When: webhook.WhenChange}, "GAME0001")
		defer w.start()()
		find := func() webhook.Subscription {
			t.Helper()
			got, err := w.db.Webhooks.Find(w.t.Context(), s.ID)
			if err != nil {
				w.t.Fatal(err)
			}
			return got
		}
		turnOn := func() {
			t.Helper()
			if _, err := w.db.Webhooks.Update(w.t.Context(), s.ID, func(s *webhook.Subscription) error { s.TurnOn(); return nil }); err != nil {
				w.t.Fatal(err)
			}
		}
		w.setReceiver(func(webhook.Message) (int, http.Header, error) { return 500, nil, nil })
		for hour := range 4 * 24 {
			w.set("GAME0001", money.Amount(900-hour))
			w.publish("db")
			time.Sleep(time.Hour)
		}
		off := find()
		if want := "7 tries failed; the last one: answered 500"; off.OffAt == 0 || off.OffReason != want {
			w.t.Errorf("off at %d: %q, want %q", off.OffAt, off.OffReason, want)
		}
		tries, err := w.db.Webhooks.Tries(w.t.Context(), s.ID)
		if err != nil || len(tries) != 7 {
			w.t.Fatalf("%d tries, %v", len(tries), err)
		}
		slices.Reverse(tries)
		for i, want := range []time.Duration{5 * time.Second, time.Minute, 10 * time.Minute, time.Hour, 6 * time.Hour, 24 * time.Hour} {
			if got := time.Duration(tries[i+1].At-tries[i].At) * time.Millisecond; got < want || got > want+3*w.every {
				w.t.Errorf("try %d was %v after the one before, want %v", i+2, got, want)
			}
		}
		w.setReceiver(ok)
		time.Sleep(48 * time.Hour)
		if n := len(w.delivered()); n > 0 {
			w.t.Errorf("%d messages while it is off", n)
		}
		turnOn()
		time.Sleep(time.Minute)
		list := w.delivered()
		mirror, _, _ := content(w.t, list)
		if len(list) != 2 || list[0].id != tries[0].MessageID || mirror["GAME0001"]["TR"] != 900-95 {
			w.t.Errorf("after it is on again: %d messages, %v\nlog: %s", len(list), mirror, &w.log)
		}

		busy := true
		w.setReceiver(func(webhook.Message) (int, http.Header, error) {
			if busy {
				busy = false
				return 429, http.Header{"Retry-After": {"7200"}}, nil
			}
			return 200, nil, nil
		})
		w.set("GAME0001", 10)
		w.publish("db")
		time.Sleep(2*time.Hour - time.Minute)
		if n := len(w.delivered()); n != 2 {
			w.t.Error("Retry-After was not obeyed")
		}
		time.Sleep(2 * time.Minute)
		if n := len(w.delivered()); n != 3 {
			w.t.Errorf("%d messages after Retry-After", n)
		}

		w.setReceiver(func(webhook.Message) (int, http.Header, error) { return 410, nil, nil })
		w.set("GAME0001", 20)
		w.publish("db")
		time.Sleep(time.Minute)
		if off := find(); off.OffReason != "the receiver answered 410: gone" || off.Message.Failures != 1 {
			w.t.Errorf("after 410: %+v", off)
		}
	})
}

// TestNothingIsLost kills senders at any time, while prices change and the receiver fails or never answers. In the end the
// receiver has what is served, in order, and repetitions are equal. A further sender waits for the lease all the time.
func TestNothingIsLost(t *testing.T) {
	for seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(w *world) {
				rnd := rand.New(rand.NewPCG(seed, 7))
				var ids []string
				for i := range 130 { // more than fit a message
					id := fmt.Sprintf("GAME0%03d", i)
					ids = append(ids, id)
					w.set(id, 1000)
				}
				w.publish("db")
				w.subscribe(webhook.Filter{When: webhook.WhenChange, Regions: selection.Regions{All: true}}, ids...)
				var mu sync.Mutex
				w.setReceiver(func(webhook.Message) (int, http.Header, error) {
					mu.Lock()
					luck, wait := rnd.IntN(8), time.Duration(rnd.IntN(1000))*time.Millisecond
					mu.Unlock()
					switch time.Sleep(wait); luck {
					case 0:
						return 500, nil, nil
					case 1:
						return 0, nil, errors.New("connection reset")
					}
					return 200, nil, nil
				})
				defer w.start()()
				kill := w.start()
				for range 40 {
					mu.Lock()
					n, pause, dies := rnd.IntN(len(ids)), time.Duration(rnd.IntN(30_000))*time.Millisecond, rnd.IntN(3) == 0
					for _, i := range rnd.Perm(len(ids))[:n] {
						w.set(ids[i], money.Amount(rnd.IntN(5000)))
					}
					mu.Unlock()
					w.publish("db")
					time.Sleep(pause)
					if dies {
						kill()
						kill = w.start()
					}
				}
				w.setReceiver(ok)
				time.Sleep(3 * time.Hour)
				kill()
				got, _, _ := content(w.t, w.delivered())
				want := map[string]map[string]int64{}
				for id, prices := range w.shop.Games {
					if got[id] != nil || prices["TR"].Amount != 1000 {
						want[id] = map[string]int64{"TR": int64(prices["TR"].Amount)}
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					w.t.Errorf("the receiver has not what is served (-want +got):\n%s\nlog: %s", diff, &w.log)
				}
				if len(slices.Collect(maps.Keys(got))) < 100 || len(w.delivered()) < 10 {
					w.t.Errorf("only %d messages about %d games", len(w.delivered()), len(got))
				}
			})
		})
	}
}
