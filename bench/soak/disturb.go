package main

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"time"

	"gamedex/bench/sample"
	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// importedSample is a sample whose prices change from import to import.
type importedSample struct {
	sample *sample.Sample
	rng    *rand.Rand
}

// write writes a feed with all listings as seen now. A tenth has another price.
func (i *importedSample) write(file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close() // a second time, which has no effect
	buffered := bufio.NewWriter(f)
	lines, now := feed.NewWriter(buffered), catalog.MillisOf(time.Now())
	for l := range i.sample.Listings(2) {
		l.ObservedAt = now
		if l.Price != nil && l.Price.Current.Known() && i.rng.IntN(10) == 0 {
			p := *l.Price
			p.Base += money.Amount(1 + i.rng.IntN(500))
			p.Current = p.Base * money.Amount(100-i.rng.IntN(3)*20) / 100
			p.DiscountPercent, p.DiscountEndsAt, p.DiscountLabel, p.BaseText, p.CurrentText, p.Subscription = catalog.NoPercent, 0, "", "", "", false
			l.Price = &p
		}
		if err := lines.Write(l); err != nil {
			return err
		}
	}
	if err := buffered.Flush(); err != nil {
		return err
	}
	return f.Close()
}

// importAgain imports the sample from a file.
func (s *soak) importAgain(ctx context.Context) error {
	file := filepath.Join(s.run.Dir, "feed.ndjson")
	if err := s.imported.write(file); err != nil {
		return err
	}
	if _, err := s.command(ctx, "import", file); err != nil {
		return err
	}
	s.happened("imports", 1)
	return nil
}

// restart stops a random node in order, or kills it, and starts it again.
func (s *soak) restart(ctx context.Context, rng *rand.Rand, i int) error {
	n := s.nodes[rng.IntN(len(s.nodes))]
	what := "restarts"
	if i%2 == 0 {
		n.up.Store(false)
		if err := n.Stop(); err != nil {
			return err
		}
	} else {
		what = "kills"
		n.kill(s.book.killed)
	}
	s.client.CloseIdleConnections()
	s.happened(what, 1)
	return n.start(ctx, s.run)
}

// changeLimits changes the limits of s.changing.
func (s *soak) changeLimits(ctx context.Context, i int) error {
	return s.withDatabase(ctx, func(db *sqldb.DB) error {
		_, err := db.Accounts.SetKeyLimits(ctx, s.changing.id, []int{60, 20, 40}[i%3], 43200, account.By{Actor: "cli:soak", At: time.Now().UnixMilli()})
		s.happened("changes of limits", 1)
		return err
	})
}

func (s *soak) withDatabase(ctx context.Context, do func(*sqldb.DB) error) error {
	db, err := sqldb.Open(ctx, s.dsn, engine.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	return do(db)
}

// inForce is how long a change of a key may take to be in force everywhere: five times what
// is promised, for a busy machine.
const inForce = 10 * time.Second

// passKey creates a key, uses it on all nodes, suspends and resumes it or not, and revokes
// it.
func (s *soak) passKey(ctx context.Context, i int) error {
	k, err := s.newKey(ctx, "passing", "--limit-minute=1000")
	if err != nil {
		return err
	}
	s.awaitAll(ctx, k, "a new key", 0, http.StatusOK)
	if i%3 == 0 {
		if _, err := s.command(ctx, "key", "suspend", k.id); err != nil {
			return err
		}
		s.awaitAll(ctx, k, "a suspended key", inForce, http.StatusForbidden)
		if _, err := s.command(ctx, "key", "resume", k.id); err != nil {
			return err
		}
		s.awaitAll(ctx, k, "a resumed key", inForce, http.StatusOK)
	}
	if _, err = s.command(ctx, "key", "revoke", k.id); err != nil {
		return err
	}
	s.awaitAll(ctx, k, "a revoked key", inForce, http.StatusForbidden)
	s.happened("keys created and revoked", 1)
	return nil
}

// passUser creates a user with a key, disables and enables the user, and deletes the user.
func (s *soak) passUser(ctx context.Context, i int) error {
	email := fmt.Sprintf("user%d@example.org", i)
	if _, err := s.command(ctx, "user", "create", email); err != nil {
		return err
	}
	k, err := s.newKey(ctx, "of a user", "--user="+email)
	if err != nil {
		return err
	}
	s.awaitAll(ctx, k, "the new key of a user", 0, http.StatusOK)
	for _, change := range []struct {
		command string
		want    int
	}{{"disable", http.StatusForbidden}, {"enable", http.StatusOK}, {"delete", http.StatusForbidden}} {
		if _, err := s.command(ctx, "user", change.command, email); err != nil {
			return err
		}
		s.awaitAll(ctx, k, "the key of a user after "+change.command, inForce, change.want)
	}
	s.happened("users created and deleted", 1)
	return nil
}

// awaitAll asks every node with a key until it gives the status that is wanted. Each may take
// so long.
func (s *soak) awaitAll(ctx context.Context, k key, what string, within time.Duration, want int) {
	for _, n := range s.answering {
		s.await(ctx, n, k, me, what, within, want)
	}
}

func (s *soak) await(ctx context.Context, n *node, k key, q request, what string, within time.Duration, want int) {
	q.may = append(slices.Clone(q.may), http.StatusForbidden, http.StatusTooManyRequests)
	for began := time.Now(); ctx.Err() == nil && n.take(); time.Sleep(200 * time.Millisecond) {
		status, _ := s.ask(n, k, q)
		n.done()
		if status == want || status == 0 {
			return
		}
		if time.Since(began) > within {
			s.book.fail("%s: status %d after %v, want %d", what, status, within, want)
			return
		}
	}
}

// readStored reads how many requests of each key are stored.
func (s *soak) readStored(ctx context.Context) error {
	return s.withDatabase(ctx, func(db *sqldb.DB) error {
		for id, e := range s.book.entries {
			rows, err := db.Accounts.UsageByHour(ctx, []string{id}, 0)
			if err != nil {
				return err
			}
			for _, r := range rows {
				if r.Outcome == quota.OutcomeRefused {
					e.refused.stored += int(r.Count)
				} else {
					e.passed.stored += int(r.Count)
				}
			}
		}
		return nil
	})
}
