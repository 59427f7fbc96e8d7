package account_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"gamedex/internal/account"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func now() int64 { return time.Now().UnixMilli() }

func newCache(s *memoryKeys) *account.Cache {
	return account.NewCache(s, now, slog.New(slog.DiscardHandler))
}

// run runs c inside a synctest bubble until the test ends or stop is called.
func run(t *testing.T, c *account.Cache) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- c.Run(ctx) }()
	return func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Run: %v", err)
		}
	}
}

func TestFindOutcomes(t *testing.T) {
	s := newKeys()
	c := newCache(s)
	k, token := s.create(t, "a")
	_, unknown, err := account.Draft{Name: "b"}.Issue(now(), rand.Reader)
	must(t, err)
	if got, err := c.Find(t.Context(), token); err != nil || got.ID != k.ID {
		t.Errorf("a key that the cache has not seen: %v, %v", got.ID, err)
	}
	wantIs(t, "a valid token without a key", one(c.Find(t.Context(), unknown)), account.ErrUnknown)
	finds := s.finds
	for _, bad := range []string{"", "gdx_", token + "x", token[:39] + "!", strings.ToLower(token)} {
		if _, err := c.Find(t.Context(), bad); !errors.Is(err, account.ErrMalformed) {
			t.Errorf("%q: %v, want ErrMalformed", bad, err)
		}
	}
	if s.finds != finds {
		t.Errorf("malformed tokens caused %d lookups", s.finds-finds)
	}
}

func TestKnownKeysAreNotRead(t *testing.T) {
	s := newKeys()
	_, cached := s.create(t, "a")
	c := newCache(s)
	must(t, c.Refresh(t.Context()))
	_, fresh := s.create(t, "b")
	s.set(func(s *memoryKeys) { s.down = errors.New("disk gone") })
	if _, err := c.Find(t.Context(), cached); err != nil {
		t.Errorf("known key without the store: %v", err)
	}
	_, err := c.Find(t.Context(), fresh)
	if !errors.Is(err, account.ErrUnavailable) || errors.Is(err, account.ErrUnknown) || !strings.Contains(err.Error(), "disk gone") {
		t.Errorf("unknown key without the store: %v, want ErrUnavailable with the reason", err)
	}
	s.set(func(s *memoryKeys) { s.down = nil })
	if _, err := c.Find(t.Context(), fresh); err != nil {
		t.Errorf("the failure was remembered: %v", err)
	}
}

func TestChangesAreInForceWithinTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newKeys()
		k, token := s.create(t, "a")
		c := newCache(s)
		defer run(t, c)()
		status := func() account.Status {
			got, err := c.Find(t.Context(), token)
			must(t, err)
			return got.Status(now())
		}
		steps := []struct {
			change func(*account.Key)
			want   account.Status
		}{
			{func(*account.Key) {}, account.StatusActive},
			{func(k *account.Key) { k.SuspendedAt = now() }, account.StatusSuspended},
			{func(k *account.Key) { k.SuspendedAt = 0 }, account.StatusActive},
			{func(k *account.Key) { k.RevokedAt = now() }, account.StatusRevoked},
		}
		for i, step := range steps {
			step.change(&k)
			s.put(k)
			time.Sleep(2 * time.Second)
			if got := status(); got != step.want {
				t.Errorf("step %d: %s after 2 s, want %s", i, got, step.want)
			}
		}
		k.LimitMinute = 99
		s.put(k)
		time.Sleep(2 * time.Second)
		if got, _ := c.Find(t.Context(), token); got.LimitMinute != 99 {
			t.Errorf("limit %d after 2 s, want 99", got.LimitMinute)
		}
	})
}

func TestExpiryNeedsNoRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newKeys()
		k, token := s.create(t, "a")
		k.ExpiresAt = now() + 1000
		s.put(k)
		c := newCache(s)
		if got, _ := c.Find(t.Context(), token); got.Status(now()) != account.StatusActive {
			t.Errorf("before: %s", got.Status(now()))
		}
		time.Sleep(time.Second)
		got, _ := c.Find(t.Context(), token)
		if got.Status(now()) != account.StatusExpired || got.LastUsedAt == now() {
			t.Errorf("after: %s, last used %d: want expired, and no use", got.Status(now()), got.LastUsedAt)
		}
	})
}

// TestALookupNeverOverwritesARefresh checks that a lookup that read a key before its
// revocation does not overwrite the refreshed record.
func TestALookupNeverOverwritesARefresh(t *testing.T) {
	s := newKeys()
	k, token := s.create(t, "a")
	c := newCache(s)
	s.found = func() {
		revoked := k
		revoked.RevokedAt = now()
		s.put(revoked)
		if err := c.Refresh(context.Background()); err != nil {
			t.Error(err)
		}
	}
	for range 2 {
		if got, err := c.Find(t.Context(), token); err != nil || got.Status(now()) != account.StatusRevoked {
			t.Errorf("got %s, %v, want revoked", got.Status(now()), err)
		}
	}
}

// TestAnotherDatabaseReplacesWhatWasKnown has a database that was restored, whose number of changes is lower, and a standby
// that lacks the last commits and gives the number of the last known change to another one.
func TestAnotherDatabaseReplacesWhatWasKnown(t *testing.T) {
	for name, become := range map[string]func(*memoryKeys){
		"restored": func(s *memoryKeys) { s.seq = 1 },
		"promoted": func(s *memoryKeys) { s.epoch = "2" },
	} {
		t.Run(name, func(t *testing.T) {
			s := newKeys()
			s.epoch = "1"
			revoked, revokedToken := s.create(t, "revoked")
			_, keptToken := s.create(t, "kept")
			_, lostToken := s.create(t, "lost")
			c := newCache(s)
			must(t, c.Refresh(t.Context()))
			if _, err := c.Find(t.Context(), revokedToken); err != nil {
				t.Fatal(err)
			}
			used := c.LastUsed(revoked.Hash)
			revoked.RevokedAt = now()
			s.set(func(s *memoryKeys) {
				become(s)
				delete(s.keys, account.HashToken(lostToken))
				s.keys[revoked.Hash], s.changed[revoked.Hash] = revoked, s.seq
			})
			must(t, c.Refresh(t.Context()))
			if k, err := c.Find(t.Context(), revokedToken); err != nil || k.Status(now()) != account.StatusRevoked {
				t.Errorf("revoked key: %s, %v", k.Status(now()), err)
			}
			if _, err := c.Find(t.Context(), keptToken); err != nil {
				t.Errorf("kept key: %v", err)
			}
			wantIs(t, "lost key", one(c.Find(t.Context(), lostToken)), account.ErrUnknown)
			if got := c.LastUsed(revoked.Hash); got != used || used == 0 {
				t.Errorf("last use %d, want %d", got, used)
			}
		})
	}
}

func TestRefusalsAreRememberedForTwoSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newKeys()
		c := newCache(s)
		token, _ := account.NewToken(rand.Reader)
		ask := func() {
			wantIs(t, "got", one(c.Find(t.Context(), token)), account.ErrUnknown)
		}
		for range 100 {
			ask()
		}
		if s.finds != 1 {
			t.Errorf("%d lookups for 100 requests, want 1", s.finds)
		}
		time.Sleep(2 * time.Second)
		ask()
		if s.finds != 2 {
			t.Errorf("%d lookups after 2 s, want 2", s.finds)
		}
	})
}

func TestManyGuessesStayBounded(t *testing.T) {
	s := newKeys()
	c := newCache(s)
	var first string
	for i := range 5000 { // more than the cache remembers
		token, err := account.NewToken(rand.Reader)
		must(t, err)
		if i == 0 {
			first = token
		}
		if _, err := c.Find(t.Context(), token); !errors.Is(err, account.ErrUnknown) {
			t.Fatal(err)
		}
	}
	if _, err := c.Find(t.Context(), first); !errors.Is(err, account.ErrUnknown) || s.finds != 5001 {
		t.Errorf("%v after %d lookups, want a new lookup of the oldest unknown token", err, s.finds)
	}
}

func TestConcurrentFindsShareALookup(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newKeys()
		_, token := s.create(t, "a")
		s.block = make(chan struct{})
		c := newCache(s)
		var wg sync.WaitGroup
		hasty, cancel := context.WithCancel(t.Context())
		wg.Go(func() {
			if _, err := c.Find(hasty, token); !errors.Is(err, account.ErrUnavailable) || !errors.Is(err, context.Canceled) {
				t.Errorf("the caller that left: %v", err)
			}
		})
		synctest.Wait()
		for range 50 {
			wg.Go(func() {
				if _, err := c.Find(t.Context(), token); err != nil {
					t.Errorf("the caller that stayed: %v", err)
				}
			})
		}
		synctest.Wait()
		cancel() // the first caller leaves; the lookup continues for the others
		synctest.Wait()
		close(s.block)
		wg.Wait()
		if s.finds != 1 {
			t.Errorf("%d lookups, want 1", s.finds)
		}
	})
}

func TestAHangingStoreTakesFiveSecondsAtMost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newKeys()
		_, known := s.create(t, "known")
		c := newCache(s)
		must(t, c.Refresh(t.Context()))
		s.hang = true
		began := time.Now()
		var wg sync.WaitGroup
		for range 400 {
			token, _ := account.NewToken(rand.Reader)
			wg.Go(func() {
				wantIs(t, "got", one(c.Find(t.Context(), token)), account.ErrUnavailable)
			})
		}
		wg.Go(func() {
			if _, err := c.Find(t.Context(), known); err != nil {
				t.Errorf("known key: %v", err)
			}
		})
		wg.Wait()
		if took := time.Since(began); took > 5*time.Second {
			t.Errorf("took %v, want at most 5 s", took)
		}
		if s.most != 8 {
			t.Errorf("%d lookups at once in the database, want 8", s.most)
		}
	})
}

func TestUsesAreSavedPeriodicallyAndAtTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newKeys()
		k, token := s.create(t, "a")
		s.create(t, "never used")
		c := newCache(s)
		stop := run(t, c)
		for range 95 {
			time.Sleep(100 * time.Millisecond)
			got, err := c.Find(t.Context(), token)
			if err != nil || got.LastUsedAt != now() {
				t.Fatalf("last used %d, %v, want now", got.LastUsedAt, err)
			}
		}
		if saves, _ := s.saved(k.ID); saves != 0 {
			t.Errorf("%d saves in the first 10 s", saves)
		}
		time.Sleep(600 * time.Millisecond)
		if saves, at := s.saved(k.ID); saves != 1 || at == 0 || len(s.uses) != 1 {
			t.Errorf("after 10 s: %d saves, the key at %d, of %d keys", saves, at, len(s.uses))
		}
		time.Sleep(time.Minute)
		if saves, _ := s.saved(k.ID); saves != 1 {
			t.Errorf("%d saves without a use", saves)
		}
		last := now()
		if _, err := c.Find(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		stop()
		if _, at := s.saved(k.ID); at != last {
			t.Errorf("at the end %d is saved, want %d", at, last)
		}
	})
}

func TestFailuresAreLoggedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newKeys()
		var log bytes.Buffer
		c := account.NewCache(s, now, slog.New(slog.NewTextHandler(&log, nil)))
		stop := run(t, c)
		time.Sleep(time.Second)
		s.set(func(s *memoryKeys) { s.down = errors.New("disk gone") })
		time.Sleep(time.Minute)
		s.set(func(s *memoryKeys) { s.down = nil })
		time.Sleep(time.Minute)
		stop()
		if n := strings.Count(log.String(), "refreshing keys failed"); n != 1 || !strings.Contains(log.String(), "disk gone") {
			t.Errorf("%d log lines for one outage, want 1:\n%s", n, log.String())
		}
		if n := strings.Count(log.String(), "refreshing keys works again"); n != 1 {
			t.Errorf("%d lines about its end, want 1:\n%s", n, log.String())
		}
	})
}

// TestFindOfAKnownKeyAllocatesLittle checks that only the token's bytes to hash
// and the hash to look up are allocated.
func TestFindOfAKnownKeyAllocatesLittle(t *testing.T) {
	s := newKeys()
	_, token := s.create(t, "a")
	c := newCache(s)
	must(t, c.Refresh(t.Context()))
	ctx := t.Context()
	if n := testing.AllocsPerRun(100, func() {
		if _, err := c.Find(ctx, token); err != nil {
			t.Fatal(err)
		}
	}); n > 2 {
		t.Errorf("%v allocations, want at most 2", n)
	}
}

// TestConcurrentUse runs readers, new keys, changes, refreshes and saves
// concurrently, for the race detector.
func TestConcurrentUse(t *testing.T) {
	s := newKeys()
	c := newCache(s)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 30 {
				k, token := s.create(t, fmt.Sprint(i, " ", j))
				if got, err := c.Find(t.Context(), token); err != nil || got.ID != k.ID {
					t.Errorf("got %s, %v, want %s", got.ID, err, k.ID)
				}
				k.RevokedAt = now()
				s.put(k)
				if err := errors.Join(c.Refresh(t.Context()), c.SaveUses(t.Context())); err != nil {
					t.Error(err)
				}
				if got, err := c.Find(t.Context(), token); err != nil || got.Status(now()) != account.StatusRevoked {
					t.Errorf("after a refresh: %s, %v, want revoked", got.Status(now()), err)
				}
			}
		})
	}
	wg.Wait()
}

func BenchmarkFind(b *testing.B) {
	s := newKeys()
	k, token, err := account.Draft{Name: "a"}.Issue(now(), rand.Reader)
	must(b, err)
	s.put(k)
	c := newCache(s)
	must(b, c.Refresh(b.Context()))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Find(context.Background(), token); err != nil {
			b.Fatal(err)
		}
	}
}
