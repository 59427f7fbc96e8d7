package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// fullWorld reports whether tests run at full numbers.
func fullWorld() bool { return os.Getenv("GAMEDEX_WORLD") == "full" }

// pair is a server, its standby, and a database handle that knows both.
type pair struct {
	primary, standby *enginetest.Postgres
	name             string // of the database
	db               *postgres.DB
	warnings         chan string
}

func newPair(t *testing.T) *pair {
	t.Helper()
	p := &pair{primary: enginetest.NewPostgres(t), warnings: make(chan string, 100)}
	p.name = p.primary.NewDatabase(t, "")
	p.standby = p.primary.NewStandby(t)
	p.db = openWith(t, enginetest.OneOf(p.name, p.primary, p.standby), engine.Options{Create: true, Warn: func(text string) { p.warnings <- text }})
	p.write(t, func(ctx context.Context, c engine.Conn) error {
		_, err := c.Exec(ctx, "CREATE TABLE word (writer BIGINT, number BIGINT)")
		return err
	})
	return p
}

func (p *pair) write(t *testing.T, fn func(context.Context, engine.Conn) error) {
	t.Helper()
	must(t, p.db.Write(t.Context(), func(c engine.Conn) error { return fn(t.Context(), c) }))
}

// insert stores a number of a writer.
func (p *pair) insert(ctx context.Context, writer, number int64) error {
	return p.db.Write(ctx, func(c engine.Conn) error {
		_, err := c.Exec(ctx, "INSERT INTO word (writer, number) VALUES ($1, $2)", writer, number)
		return err
	})
}

// stored returns how often each number of a writer is stored.
func (p *pair) stored(t *testing.T, writer int64) map[int64]int {
	t.Helper()
	list := map[int64]int{}
	must(t, p.db.Query(t.Context(), "SELECT number FROM word WHERE writer = $1", []any{writer}, func(rows engine.Rows) error {
		var n int64
		err := rows.Scan(&n)
		list[n]++
		return err
	}))
	return list
}

// writers write numbers without pause until they are stopped. They take a new number
// after each error, as nothing is to be repeated.
type writers struct {
	acknowledged [4][]int64
	unclear      [4][]int64
	total        atomic.Int64
	stop         func()
}

func (p *pair) startWriters(t *testing.T, limit time.Duration) *writers {
	w := &writers{}
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range w.acknowledged {
		all.Go(func() {
			for number := int64(0); ctx.Err() == nil; number++ {
				limited, done := context.WithTimeout(context.WithoutCancel(ctx), limit)
				err := p.insert(limited, int64(i), number)
				done()
				switch {
				case err == nil:
					w.acknowledged[i] = append(w.acknowledged[i], number)
					w.total.Add(1)
				case errors.Is(err, postgres.ErrUnclear):
					w.unclear[i] = append(w.unclear[i], number)
				}
			}
		})
	}
	w.stop = sync.OnceFunc(func() { cancel(); all.Wait() })
	t.Cleanup(w.stop)
	return w
}

// more waits until writers have written n more.
func (w *writers) more(t *testing.T, n int64) {
	t.Helper()
	want := w.total.Load() + n
	if !await.Progress(func() bool { return w.total.Load() >= want }, func() any { return w.total.Load() }) {
		t.Fatalf("%d of %d rows were written", w.total.Load(), want)
	}
}

// TestFailover kills the primary under load and promotes its standby, for which each
// commit has waited. The same handle writes again, nothing acknowledged is lost, and
// nothing is stored twice.
func TestFailover(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.primary.WaitForStandby(t)
	w := p.startWriters(t, 10*time.Second)
	w.more(t, 50)
	must(t, p.primary.Kill())
	p.standby.Promote(t)
	promoted := time.Now()
	w.more(t, 1)
	t.Logf("written again %v after the promotion", time.Since(promoted).Round(time.Millisecond))
	w.more(t, 50)
	w.stop()
	w.check(t, p)
}

// check checks that each acknowledged number is stored, and none twice.
func (w *writers) check(t *testing.T, p *pair) {
	t.Helper()
	unclear := 0
	for i, list := range w.acknowledged {
		stored := p.stored(t, int64(i))
		known := map[int64]bool{}
		for _, n := range list {
			known[n] = true
			if stored[n] == 0 {
				t.Errorf("number %d of writer %d was acknowledged and is lost", n, i)
			}
		}
		for _, n := range w.unclear[i] {
			known[n] = true
		}
		unclear += len(w.unclear[i])
		for n, times := range stored {
			if times > 1 || !known[n] {
				t.Errorf("number %d of writer %d is stored %d times; acknowledged or unclear: %v", n, i, times, known[n])
			}
		}
	}
	t.Logf("%d rows were acknowledged, %d commits were unclear", w.total.Load(), unclear)
}

// TestFrozenPrimary freezes the primary: what is asked of it ends when its time is over.
// After the promotion of the standby the same handle finds that one. The frozen server
// has no more sessions afterwards than the pool may have.
func TestFrozenPrimary(t *testing.T) {
	if !fullWorld() {
		t.Skip("with GAMEDEX_WORLD=full only: it waits for seconds")
	}
	p := newPair(t)
	w := p.startWriters(t, time.Second)
	w.more(t, 50)
	must(t, p.primary.Freeze())
	for range 3 {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		began := time.Now()
		err := p.db.Query(ctx, "SELECT 1", nil, func(engine.Rows) error { return nil })
		cancel()
		if err == nil {
			t.Error("a frozen server answers")
		}
		t.Logf("a question to the frozen server ended after %v: %v", time.Since(began), err)
	}
	p.standby.Promote(t)
	promoted := time.Now()
	w.more(t, 1)
	t.Logf("written again %v after the promotion", time.Since(promoted).Round(time.Millisecond))
	w.more(t, 50)
	w.stop()
	must(t, p.primary.Thaw())
	conn := connect(t, p.primary.DSN("postgres", "postgres"))
	const sessions = "SELECT 'busy' FROM pg_stat_activity WHERE application_name = 'gamedex' AND state <> 'idle'"
	for len(query(t, conn, sessions)) > 0 {
		time.Sleep(10 * time.Millisecond) // the test's timeout ends it
	}
	if n := len(query(t, conn, "SELECT 'one' FROM pg_stat_activity WHERE application_name = 'gamedex'")); n > 8 {
		t.Errorf("%d sessions are left on the server that was frozen", n)
	}
}

// TestOldPrimaryComesBack starts the old primary again beside the promoted one, as a server
// that can be written and is the first of the DSN. A process that has seen the new
// timeline takes no connection to the old one: it stays with the promoted server, and
// without that it has an error that names both timelines. It warns the operator once, with
// the first connection that it refuses.
func TestOldPrimaryComesBack(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.primary.WaitForStandby(t)
	must(t, p.insert(t.Context(), 1, 1))
	must(t, p.primary.Kill())
	p.standby.Promote(t)
	for p.insert(t.Context(), 1, 2) != nil { // the first connections may be broken
		time.Sleep(10 * time.Millisecond) // the test's timeout ends it
	}
	promoted := epochOf(t, p.db)

	p.primary.Restart(t)
	// Commits of the old primary would wait for a standby.
	p.primary.Exec(t, "postgres", "ALTER SYSTEM RESET synchronous_standby_names", "SELECT pg_reload_conf()")
	want := fmt.Sprintf("127.0.0.1:%d is an old primary, on timeline 1, and this process has seen timeline 2", p.primary.Port)
	p.write(t, func(ctx context.Context, _ engine.Conn) error { return p.insert(ctx, 1, 5) }) // the second connection is new
	select {
	case warning := <-p.warnings:
		if !strings.Contains(warning, want) {
			t.Errorf("the warning is %q, want %q in it", warning, want)
		}
	default:
		t.Error("an old primary beside the promoted server is refused without a warning")
	}
	must(t, p.standby.Stop())
	for !strings.Contains(p.db.Remedy(p.insert(t.Context(), 1, 3)), want) { // until no connection to the other one is left
		time.Sleep(10 * time.Millisecond) // the test's timeout ends it
	}

	p.standby.Restart(t)
	if err := p.insert(t.Context(), 1, 4); err != nil {
		t.Errorf("beside the old primary: %v", err)
	}
	if now := epochOf(t, p.db); now != promoted {
		t.Errorf("epoch %s, was %s after the promotion", now, promoted)
	}
	if n := p.stored(t, 1); n[2] != 1 || n[4] != 1 || n[5] != 1 || n[3] != 0 {
		t.Errorf("stored %v, want what the promoted server has", n)
	}
	if len(p.warnings) > 0 {
		t.Errorf("it is warned again: %q", <-p.warnings)
	}
}

// TestOldPrimaryStays promotes the standby while the primary is still written to. As soon
// as one connection of a process has found the promoted server, all others leave the old
// primary.
func TestOldPrimaryStays(t *testing.T) {
	t.Parallel()
	p := newPair(t)
	p.db = open(t, enginetest.OneOf(p.name, p.standby, p.primary))
	old := epochOf(t, p.db)
	p.write(t, func(ctx context.Context, c engine.Conn) error { // holds its connection, so the others are new
		p.standby.Promote(t)
		if promoted := epochOf(t, p.db); promoted == old {
			t.Errorf("a new connection is to epoch %s, want that of the promoted server", promoted)
		}
		return nil
	})
	for number := range int64(10) {
		must(t, p.insert(t.Context(), 1, number))
	}
	if stored := query(t, connect(t, p.primary.OwnDSN(p.name)), "SELECT number::text FROM word"); len(stored) > 0 {
		t.Errorf("the old primary has got %q", stored)
	}
}

// TestBrokenNetwork breaks the network between a process and the server in several
// ways. Every statement fails in its time, and the next ones work when the network does;
// the pool gets all its connections back.
func TestBrokenNetwork(t *testing.T) {
	s := enginetest.SharedPostgres(t)
	p := enginetest.NewProxy(t, fmt.Sprint("127.0.0.1:", s.Port))
	name := s.NewDatabase(t, "")
	db := open(t, fmt.Sprintf("postgres://gamedex@%s/%s?application_name=%[2]s", p.Addr, name))
	for _, fault := range []string{enginetest.LostRequests, enginetest.LostAnswers, enginetest.CutRequests, enginetest.CutAnswers, enginetest.Reset} {
		p.Break(t, fault)
		var all sync.WaitGroup
		for range 12 { // more than there are connections
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
				defer cancel()
				err := db.Query(ctx, "SELECT 1", nil, func(engine.Rows) error { return nil })
				if err == nil {
					t.Errorf("%s: the server answers", fault)
				} else if text := db.Remedy(err); !strings.Contains(text, "answer") {
					t.Errorf("%s: the remedy of %v is %q", fault, err, text)
				}
			})
		}
		all.Wait()
		p.Heal()
		// All connections at once: each transaction waits until the others have begun.
		var begun sync.WaitGroup
		begun.Add(8)
		for range 8 {
			all.Go(func() {
				err := db.Write(t.Context(), func(c engine.Conn) error {
					begun.Done()
					begun.Wait()
					return nil
				})
				if err != nil {
					t.Errorf("%s, healed: %v", fault, err)
				}
			})
		}
		all.Wait()
	}
}

// TestCutCommits cuts the network before a commit reaches the server, and after it has.
// The error says that nobody knows, and the transaction does not run again: it is stored
// once or not at all.
func TestCutCommits(t *testing.T) {
	t.Parallel()
	s := enginetest.SharedPostgres(t)
	p := enginetest.NewProxy(t, fmt.Sprint("127.0.0.1:", s.Port))
	name := s.NewDatabase(t, "")
	db := open(t, fmt.Sprintf("postgres://gamedex@%s/%s", p.Addr, name))
	write(t, db, func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), "CREATE TABLE word (number BIGINT)")
		return err
	})
	for i, tt := range []struct {
		fault string
		want  int
	}{{enginetest.CutAnswers, 1}, {enginetest.CutRequests, 0}, {enginetest.CutAnswers, 1}} {
		runs := 0
		err := db.Write(t.Context(), func(c engine.Conn) error {
			runs++
			_, err := c.Exec(t.Context(), "INSERT INTO word (number) VALUES ($1)", int64(i))
			p.Break(t, tt.fault)
			return err
		})
		p.Heal()
		if !errors.Is(err, postgres.ErrUnclear) || runs != 1 {
			t.Errorf("%s: %v after %d runs, want ErrUnclear after one", tt.fault, err, runs)
		}
		own := connect(t, s.OwnDSN(name))
		// The lost session may still be at work on its commit.
		for len(query(t, own, "SELECT 'x' FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'gamedex' AND state <> 'idle'")) > 0 {
			time.Sleep(time.Millisecond)
		}
		if n := len(query(t, own, fmt.Sprintf("SELECT 'x' FROM word WHERE number = %d", i))); n != tt.want {
			t.Errorf("%s: stored %d times, want %d", tt.fault, n, tt.want)
		}
	}
}
