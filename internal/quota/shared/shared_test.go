package shared_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/valkey-io/valkey-go"
	"go.uber.org/goleak"

	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
	"gamedex/internal/testing/quotatest"
)

// A closed client of a cluster sleeps for up to a second before it would ask which nodes
// there are.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("github.com/valkey-io/valkey-go.(*call).DelayDo.func1"))
}

// clock is a node's clock that a test sets.
type clock struct{ millis atomic.Int64 }

func (c *clock) now() time.Time { return time.UnixMilli(c.millis.Load()) }

// config returns the configuration of a node on a server.
func config(t testing.TB, address string) shared.Config {
	t.Helper()
	a, err := shared.ParseAddress(address)
	must(t, err)
	return shared.Config{Address: a, Nodes: func() int { return 1 }, Now: time.Now, Rand: func() float64 { return 0.5 }, Log: slog.New(slog.DiscardHandler)}
}

// open opens a node, which runs until the test ends. Its calls wait for a server that
// is there.
func open(t testing.TB, cfg shared.Config) *shared.Shared {
	t.Helper()
	return run(t, cfg, (*shared.Shared).WaitLonger)
}

// openHasty is open for a node that waits no longer than the program does.
func openHasty(t testing.TB, cfg shared.Config) *shared.Shared {
	t.Helper()
	return run(t, cfg, func(*shared.Shared) {})
}

// openSilent is open for a node that makes no calls but those for requests.
func openSilent(t testing.TB, cfg shared.Config) *shared.Shared {
	t.Helper()
	s, err := shared.Open(t.Context(), cfg)
	must(t, err)
	s.WaitLonger()
	t.Cleanup(s.Close)
	return s
}

func run(t testing.TB, cfg shared.Config, set func(*shared.Shared)) *shared.Shared {
	t.Helper()
	s, err := shared.Open(t.Context(), cfg)
	must(t, err)
	set(s)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-ended)
		s.Close()
	})
	return s
}

// setServerClock returns a function that sets the clock of scripts made by
// TakeTimeFromKeys.
func setServerClock(t testing.TB, addr string) func(now int64) {
	t.Helper()
	client, err := valkey.NewClient(valkey.ClientOption{InitAddress: []string{addr}, ForceSingleClient: true, DisableCache: true})
	must(t, err)
	t.Cleanup(client.Close)
	return func(now int64) {
		set := client.B().Mset().KeyValue().KeyValue("seconds", strconv.FormatInt(now/1000, 10)).
			KeyValue("micros", strconv.FormatInt(now%1000*1000, 10)).Build()
		must(t, client.Do(context.Background(), set).Error())
	}
}

// TestShared runs the tests of all counters, with the server's clock set by the test.
// The clock of the node goes with it.
func TestShared(t *testing.T) {
	server := enginetest.NewRedis(t)
	quotatest.Run(t, func(t *testing.T) (quota.Counter, func(int64)) {
		var node clock
		cfg := config(t, "redis://"+server.Addr())
		cfg.Now = node.now
		s := open(t, cfg)
		s.TakeTimeFromKeys("seconds", "micros")
		setServer := setServerClock(t, server.Addr())
		return s, func(now int64) {
			setServer(now)
			node.millis.Store(now)
			if s.Alone() {
				t.Error("the server was not asked")
			}
		}
	})
}

// TestSeveralNodes checks that nodes count together: exactly as many requests pass as
// the limit allows, although their clocks differ by two seconds over the end of a minute.
func TestSeveralNodes(t *testing.T) {
	server := enginetest.NewRedis(t)
	setServer := setServerClock(t, server.Addr())
	setServer(noon)
	nodes := make([]*shared.Shared, 3)
	for i := range nodes {
		cfg := config(t, "redis://"+server.Addr())
		ahead := time.Duration(i-1) * 2 * time.Second
		cfg.Now = func() time.Time { return time.Now().Add(ahead) }
		nodes[i] = open(t, cfg)
		nodes[i].TakeTimeFromKeys("seconds", "micros")
	}
	var passed atomic.Int64
	var all sync.WaitGroup
	for i := range 60 {
		all.Go(func() {
			for range 10 {
				now := int64(noon + (i%3-1)*2000)
				d, err := nodes[i%3].Take(t.Context(), "key", quota.Limits{Minute: 100, Day: 1000}, quota.Owner{}, now)
				if err != nil {
					t.Error(err)
				}
				if d.Allowed {
					passed.Add(1)
				}
			}
		})
	}
	all.Wait()
	if passed.Load() != 100 {
		t.Errorf("%d requests passed, want 100", passed.Load())
	}
}

const (
	noon   = 1_772_366_400_000 // 2026-03-01 12:00 UTC
	minute = 60_000
)

func take(t testing.TB, c quota.Counter, keyID string, l quota.Limits) quota.Decision {
	t.Helper()
	return takeOwned(t, c, keyID, l, quota.Owner{})
}

func takeOwned(t testing.TB, c quota.Counter, keyID string, l quota.Limits, o quota.Owner) quota.Decision {
	t.Helper()
	d, err := c.Take(context.Background(), keyID, l, o, time.Now().UnixMilli())
	if err != nil {
		t.Error(err)
	}
	return d
}

// calmDay waits until the day does not end within four minutes, which is more than a test
// takes.
func calmDay(t testing.TB) {
	t.Helper()
	await.That(t, "midnight", func() bool { return time.Now().Add(4*time.Minute).UTC().Day() == time.Now().UTC().Day() })
}

// calls returns how many scripts a server has run.
func calls(t testing.TB, server *enginetest.Redis) int {
	t.Helper()
	_, rest, _ := strings.Cut(server.Ask(t, "INFO commandstats"), "cmdstat_evalsha:calls=")
	text, _, _ := strings.Cut(rest, ",")
	n, err := strconv.Atoi(text)
	must(t, err)
	return n
}

// TestARefusalCostsNoRoundTrip checks that a node refuses without asking what it knows to be
// over the limit, until the window ends or a limit changes.
func TestARefusalCostsNoRoundTrip(t *testing.T) {
	server := enginetest.NewRedis(t)
	setServer := setServerClock(t, server.Addr())
	var node clock
	set := func(now int64) { setServer(now); node.millis.Store(now) }
	set(noon)
	cfg := config(t, "redis://"+server.Addr())
	cfg.Now = node.now
	s := open(t, cfg)
	s.TakeTimeFromKeys("seconds", "micros")
	l, o := quota.Limits{Minute: 5, Day: 20}, quota.Owner{ID: "usr", Limits: quota.Limits{Minute: 7, Day: 20}}
	for range 5 {
		if !takeOwned(t, s, "a", l, o).Allowed {
			t.Fatal("refused within the limits")
		}
	}
	refused := func(what, key string, l quota.Limits, byOwner bool, retryAfter int) {
		t.Helper()
		before := calls(t, server)
		for range 50 {
			if d := takeOwned(t, s, key, l, o); d.Allowed || d.ByOwner != byOwner || d.RetryAfter != retryAfter {
				t.Fatalf("%s: %+v", what, d)
			}
		}
		if n := calls(t, server) - before; n > 0 {
			t.Errorf("%s: %d of 50 refusals were asked for", what, n)
		}
	}
	refused("the key's minute", "a", l, false, 60)
	for range 2 {
		takeOwned(t, s, "b", l, o)
	}
	refused("the owner's minute", "b", l, true, 60)
	node.millis.Store(noon + 59_000)
	refused("59 s later", "a", l, false, 1)
	set(noon + 59_000)
	higher := quota.Limits{Minute: 6, Day: 20}
	o.Limits.Minute = 8
	if d := takeOwned(t, s, "a", higher, o); !d.Allowed || d.Minute.Used != 6 {
		t.Errorf("after the limits were raised: %+v", d)
	}
	setServer(noon + minute - 1)
	node.millis.Store(noon + minute) // the server has not answered since
	if d := takeOwned(t, s, "a", higher, o); d.Allowed || d.RetryAfter != 1 {
		t.Errorf("before the server's minute ends: %+v", d)
	}
	set(noon + minute)
	if d := takeOwned(t, s, "a", higher, o); !d.Allowed || d.Minute.Used != 1 {
		t.Errorf("in the next minute: %+v", d)
	}
}

// TestAStepOfTheServersClockIsNoticed checks that a refusal by the day is asked for
// again after a minute: the server's clock may have been wrong.
func TestAStepOfTheServersClockIsNoticed(t *testing.T) {
	server := enginetest.NewRedis(t)
	setServer := setServerClock(t, server.Addr())
	setServer(noon)
	var node clock
	node.millis.Store(noon)
	cfg := config(t, "redis://"+server.Addr())
	cfg.Now = node.now
	s := open(t, cfg)
	s.TakeTimeFromKeys("seconds", "micros")
	l := quota.Limits{Minute: 5, Day: 1}
	take(t, s, "key", l)
	setServer(noon + 24*60*minute)
	for _, tt := range []struct {
		later int64
		want  bool
	}{{0, false}, {minute, false}, {minute + 1, true}} {
		node.millis.Store(noon + tt.later)
		if d := take(t, s, "key", l); d.Allowed != tt.want {
			t.Errorf("%d ms later: %+v, want allowed %v", tt.later, d, tt.want)
		}
	}
}

// TestUnknownKeysBeginWithTodaysUsage checks what a key begins with on a server that
// does not know it, and that several nodes agree on the highest.
func TestUnknownKeysBeginWithTodaysUsage(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	var asked atomic.Int64
	cfg := config(t, "redis://"+server.Addr())
	cfg.Today = func(_ context.Context, id string, owner bool) (int, error) {
		asked.Add(1)
		if want := map[string]bool{"key": false, "usr": true}; want[id] != owner {
			return 0, fmt.Errorf("asked for %s, an owner: %v", id, owner)
		}
		return map[string]int{"key": 40, "usr": 70}[id], nil
	}
	s := open(t, cfg)
	l, o := quota.Limits{Minute: 1000, Day: 1000}, quota.Owner{ID: "usr", Limits: quota.Limits{Minute: 1000, Day: 1000}}
	if d := takeOwned(t, s, "key", l, o); d.Day.Used != 41 || d.Day.Remaining != 1000-71 || asked.Load() != 2 {
		t.Errorf("the first request: %+v after %d questions", d, asked.Load())
	}
	takeOwned(t, s, "key", l, o)
	server.Ask(t, "FLUSHALL")
	if d := takeOwned(t, s, "key", l, o); d.Day.Used != 43 || d.Day.Remaining != 1000-73 {
		t.Errorf("after the server lost its memory: %+v", d)
	}
	// Another node, which knows less, is the first to ask next time.
	cfg.Today = nil
	other := open(t, cfg)
	server.Ask(t, "FLUSHALL")
	if d := takeOwned(t, other, "key", l, o); d.Day.Used != 1 {
		t.Errorf("a node that knows nothing: %+v", d)
	}
	takeOwned(t, s, "key", l, o) // learns that the server knows less
	if d := takeOwned(t, s, "key", l, o); d.Day.Used != 45 {
		t.Errorf("once the first node has reported what it knows: %+v", d)
	}
	if d := takeOwned(t, other, "key", l, o); d.Day.Used != 46 {
		t.Errorf("the other node: %+v", d)
	}
}

// TestKeysWithoutAKnownBeginning checks that a node counts a key alone while nobody
// knows how much it has used, and reports it to the server once that is known.
func TestKeysWithoutAKnownBeginning(t *testing.T) {
	calmDay(t)
	server := enginetest.NewRedis(t)
	var known atomic.Bool
	var node clock
	node.millis.Store(noon)
	cfg := config(t, "redis://"+server.Addr())
	cfg.Now, cfg.Nodes = node.now, func() int { return 2 }
	var asked atomic.Int64
	cfg.Today = func(context.Context, string, bool) (int, error) {
		asked.Add(1)
		if !known.Load() {
			return 0, errors.New("the database does not answer")
		}
		return 10, nil
	}
	s := open(t, cfg)
	l := quota.Limits{Minute: 100, Day: 4}
	for i := range 5 {
		if d := take(t, s, "key", l); d.Allowed != (i < 2) || s.Alone() {
			t.Errorf("request %d: %+v, alone: %v", i, d, s.Alone())
		}
	}
	if asked.Load() != 1 {
		t.Errorf("the database was asked %d times within a second", asked.Load())
	}
	known.Store(true)
	node.millis.Add(1001)
	l.Day = 100
	take(t, s, "key", l) // reports what was granted before the database was asked
	if d := take(t, s, "key", l); d.Day.Used != 14 {
		t.Errorf("once usage is known: %+v, want 10 of the database, 2 granted and these two", d)
	}
}

// TestKeysExpire checks that every key of the server expires, not before the day
// is over.
func TestKeysExpire(t *testing.T) {
	server := enginetest.NewRedis(t)
	s := open(t, config(t, "redis://"+server.Addr()))
	for range 3 {
		takeOwned(t, s, "key", quota.Limits{Minute: 5, Day: 5}, quota.Owner{ID: "usr", Limits: quota.Limits{Minute: 5, Day: 5}})
	}
	for key, size := range map[string]string{"gamedex:key:{usr}:key": "24", "gamedex:owner:{usr}": "12"} {
		if n := server.Ask(t, "STRLEN "+key); n != size {
			t.Errorf("%s has %s bytes, want %s", key, n, size)
		}
		if ttl, err := strconv.Atoi(server.Ask(t, "TTL "+key)); err != nil || ttl <= 24*3600 || ttl > 48*3600 {
			t.Errorf("%s ends in %d s, %v", key, ttl, err)
		}
	}
	if n := server.Ask(t, `EVAL "return #redis.call('KEYS', '*') - #redis.call('KEYS', 'gamedex:tries:*')" 0`); n != "2" {
		t.Errorf("the server has %s keys, want 2", n)
	}
	if n := server.Ask(t, `EVAL "local n = 0 for _, key in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', key) < 0 then n = n + 1 end end return n" 0`); n != "0" {
		t.Errorf("%s keys do not expire", n)
	}
}

// TestCluster counts keys of owners on a cluster of three.
func TestCluster(t *testing.T) {
	calmDay(t)
	servers := enginetest.NewRedisCluster(t)
	s := open(t, config(t, "redis://"+servers[0].Addr()+"?cluster=1"))
	o := quota.Owner{Limits: quota.Limits{Minute: 1000, Day: 1000}}
	for round := range 3 {
		for i := range 30 {
			o.ID = fmt.Sprint("usr_", i)
			d := takeOwned(t, s, fmt.Sprint("key_", i), quota.Limits{Minute: 1000, Day: 1000}, o)
			if d.Day.Used != round+1 || s.Alone() {
				t.Fatalf("round %d, key %d: %+v, alone: %v", round, i, d, s.Alone())
			}
		}
	}
	for _, server := range servers {
		if n := server.Ask(t, "DBSIZE"); n == "0" {
			t.Error("a server of the cluster counts nothing")
		}
	}
}

// handler is a slog.Handler that is a function.
type handler func(slog.Record)

func (handler) Enabled(context.Context, slog.Level) bool        { return true }
func (h handler) Handle(_ context.Context, r slog.Record) error { h(r); return nil }
func (h handler) WithAttrs([]slog.Attr) slog.Handler            { return h }
func (h handler) WithGroup(string) slog.Handler                 { return h }

// must ends the test if err is not nil.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
