package adversary_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/sqldb/sqlite"
	"gamedex/internal/sqldb/sweeps"
	"gamedex/internal/testing/enginetest"
)

// smallRounds are the rounds of a contest in `make test`; -rapid.checks sets others, as
// `make torture` does.
const smallRounds = "3"

func TestMain(m *testing.M) {
	if err := errors.Join(flag.Set("rapid.checks", smallRounds), enginetest.TempInMemory()); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func needFullWorld(t *testing.T) {
	if os.Getenv("GAMEDEX_WORLD") != "full" {
		t.Skip("only in the full world: GAMEDEX_WORLD=full")
	}
}

// contest is what several writers do to the same rows.
type contest struct {
	name string
	play func(r *round)
	// broken are the rules that break on PostgreSQL without locks. The others rest on
	// statements that read and write at once.
	broken []string
}

var contests = []contest{
	{"lines of the same listings", lines, []string{newestWins, followed}},
	{"histories imported while prices are recorded", imports, []string{historyWhole}},
	{"a batch against a lease taken over", sweepBatches, []string{fenced}},
	{"a listing seen while a sweep ends", seenMeanwhile, []string{seenStays}},
	{"batches compared with each other", comparisons, []string{judgedByAll}},
	{"a collection begun while it is ended", beginAndEnd, []string{collectionsHaveJobs}},
	{"a collection changed while it sweeps", collections, []string{itemsHaveJobs}},
	{"the last administrator", administrators, []string{adminLeft, keysStop, keysFollowed}},
	{"keys at their maximum", manyKeys, []string{keyLimit, newKeyLimit}},
	{"a link taken twice", links, []string{linksHaveUsers}},
	{"identities of the same person", identities, []string{identitiesHaveUsers}},
	{"sessions that end", sessions, []string{epochsRise}},
	{"addresses of a deleted user", addresses, []string{addressesErased}},
	{"published numbers", numbers, nil},
	{"batches of usage", batches, nil},
}

// round is one round of a contest.
type round struct {
	ctx    context.Context
	number int         // rounds before it with the same database
	dbs    []*sqldb.DB // one for each writer
	pick   func(n int) int
	pace   *pace

	mu     sync.Mutex
	faults map[string]string // by rule
	shown  []string          // products that were seen in time
}

// name returns a name that no other round uses.
func (r *round) name(kind string, i int) string { return fmt.Sprintf("%s_%d_%d", kind, r.number, i) }

// chance reports true once in n times.
func (r *round) chance(n int) bool { return r.pick(n) == 0 }

// noError is the rule that a writer gets no error but those that it expects.
const noError = "no other error"

// fault notes that a rule is broken.
func (r *round) fault(rule, format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.faults[rule] == "" {
		r.faults[rule] = fmt.Sprintf(format, args...)
	}
}

// ok reports whether err is nil. An error other than the allowed ones is a fault.
func (r *round) ok(err error, allowed ...error) bool {
	for _, a := range allowed {
		if errors.Is(err, a) {
			return false
		}
	}
	if err != nil {
		r.fault(noError, "%v", err)
	}
	return err == nil
}

// raceFollowed is race, and calls follow again and again until the race is over, and once
// more then.
func (r *round) raceFollowed(follow func(db *sqldb.DB), writers ...func(db *sqldb.DB)) {
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			select {
			case <-over:
				follow(r.dbs[len(r.dbs)-1])
				return
			case <-time.After(time.Millisecond): // the writers need the processor
				follow(r.dbs[len(r.dbs)-1])
			}
		}
	}()
	r.race(writers...)
	close(over)
	<-ended
}

// race runs writers at the same time, each with its own handle.
func (r *round) race(writers ...func(db *sqldb.DB)) {
	start := make(chan struct{})
	var all sync.WaitGroup
	r.pace.join(len(writers))
	for i, write := range writers {
		all.Go(func() {
			defer r.pace.leave()
			<-start
			write(r.dbs[i])
		})
	}
	close(start)
	all.Wait()
}

// wantNone checks that a query counts nothing.
func (r *round) wantNone(rule, query string, args ...any) {
	var n int
	if _, err := r.dbs[0].FindRow(r.ctx, "count", query, args, []any{&n}); err != nil {
		r.fault(noError, "%v", err)
	} else if n != 0 {
		r.fault(rule, "%d rows: %s", n, query)
	}
}

// execute runs statements before the race.
func (r *round) execute(statements ...string) {
	for _, text := range statements {
		_, err := r.dbs[0].Exec(r.ctx, "execute", text)
		r.ok(err)
	}
}

// world is a database with a handle for each writer.
type world struct {
	dbs    []*sqldb.DB
	pace   *pace
	rounds int
}

// writers is the most writers of a contest.
const writers = 4

// newWorld opens the database of a DSN once for each writer.
func newWorld(t *testing.T, dsn string, locks bool) *world {
	w := &world{pace: newPace(!locks)}
	for range writers {
		opened, err := openEngine(t.Context(), dsn)
		if err != nil {
			t.Fatal(err)
		}
		db := engine.New(&adverse{opened, w.pace, locks})
		t.Cleanup(func() {
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		})
		ls := listings.New(db)
		w.dbs = append(w.dbs, &sqldb.DB{DB: db, Listings: ls, Sweeps: sweeps.New(db, ls), Accounts: accounts.New(db), Nodes: nodes.New(db)})
	}
	return w
}

func openEngine(ctx context.Context, dsn string) (engine.Engine, error) {
	if file, ok := strings.CutPrefix(dsn, "sqlite:"); ok {
		return sqlite.Open(ctx, file, engine.Options{Create: true})
	}
	return postgres.Open(ctx, dsn, engine.Options{Create: true})
}

// play plays a round and returns the broken rules.
func (w *world) play(ctx context.Context, c contest, pick func(int) int) map[string]string {
	r := &round{ctx: ctx, number: w.rounds, dbs: w.dbs, pick: pick, pace: w.pace, faults: map[string]string{}}
	w.rounds++
	c.play(r)
	return r.faults
}

// compete plays all contests: no rule may break.
func (w *world) compete(t *testing.T) {
	for _, c := range contests {
		t.Run(c.name, func(t *testing.T) {
			rapid.Check(t, func(rt *rapid.T) {
				pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(rt, "pick") }
				for rule, fault := range w.play(t.Context(), c, pick) {
					rt.Errorf("%s: %s", rule, fault)
				}
			})
		})
	}
	if faults, err := w.dbs[0].Check(t.Context()); err != nil || len(faults) > 0 {
		t.Errorf("after all rounds: %q, %v", faults, err)
	}
}

func TestContests(t *testing.T) {
	t.Run("SQLite", func(t *testing.T) {
		t.Parallel()
		newWorld(t, "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), true).compete(t)
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		t.Parallel()
		s := enginetest.SharedPostgres(t)
		newWorld(t, s.OwnDSN(s.NewDatabase(t, "")), true).compete(t)
	})
	t.Run("PgBouncer", func(t *testing.T) {
		needFullWorld(t)
		t.Parallel()
		s := enginetest.SharedPostgres(t)
		newWorld(t, s.NewPgBouncer(t).OwnDSN(s.NewDatabase(t, "")), true).compete(t)
	})
}

// manyRounds is how many rounds a rule without locks may take to break.
const manyRounds = 400

// TestWithoutLocks shows that the contests can fail: without locks, the rules that they
// name break.
func TestWithoutLocks(t *testing.T) {
	needFullWorld(t)
	s := enginetest.SharedPostgres(t)
	w := newWorld(t, s.OwnDSN(s.NewDatabase(t, "")), false)
	for _, c := range contests {
		t.Run(c.name, func(t *testing.T) {
			broken := map[string]string{}
			missing := func() []string {
				return slices.DeleteFunc(slices.Clone(c.broken), func(rule string) bool { return broken[rule] != "" })
			}
			random := rand.New(rand.NewPCG(1, 2))
			n := 0
			for ; n < manyRounds && len(missing()) > 0; n++ {
				maps.Copy(broken, w.play(t.Context(), c, random.IntN))
			}
			for rule, fault := range broken {
				t.Logf("%s: %s", rule, fault)
			}
			if len(missing()) > 0 {
				t.Errorf("not broken in %d rounds: %q", n, missing())
			}
			t.Logf("%d rounds", n)
		})
	}
}
