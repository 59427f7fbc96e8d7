package adversary_test

import (
	"context"
	"math/rand/v2"
	"regexp"
	"strings"
	"sync"
	"time"

	"gamedex/internal/sqldb/engine"
)

// adverse is an engine whose transactions pause between reading and writing. With locks
// false they take none: Lock does nothing, " FOR UPDATE" is cut, and a counter is raised in
// a transaction of its own, as a sequence would be.
type adverse struct {
	engine.Engine
	pace  *pace
	locks bool
}

// Write implements engine.Engine.
func (e *adverse) Write(ctx context.Context, fn func(engine.Conn) error) error {
	err := e.Engine.Write(ctx, func(c engine.Conn) error { return fn(&adverseConn{Conn: c, engine: e}) })
	e.pace.written()
	return err
}

type adverseConn struct {
	engine.Conn
	engine *adverse
	wrote  bool
}

var writing = regexp.MustCompile(`^\s*(INSERT|UPDATE|DELETE)\b`)

// see pauses before statements that write.
func (c *adverseConn) see(text string) string {
	if writing.MatchString(text) {
		c.engine.pace.pause(!c.wrote)
		c.wrote = true
	}
	if c.engine.locks {
		return text
	}
	return strings.TrimSuffix(text, " FOR UPDATE")
}

func (c *adverseConn) Lock(ctx context.Context, names ...string) error {
	if c.engine.locks {
		return c.Conn.Lock(ctx, names...)
	}
	return nil
}

func (c *adverseConn) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	if strings.HasPrefix(text, "UPDATE counter ") {
		if !c.engine.locks {
			return c.engine.Engine.Write(ctx, func(own engine.Conn) error { return own.Query(ctx, text, args, row) })
		}
		return c.Conn.Query(ctx, text, args, row)
	}
	return c.Conn.Query(ctx, c.see(text), args, row)
}

func (c *adverseConn) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	return c.Conn.Exec(ctx, c.see(text), args...)
}

func (c *adverseConn) InsertRows(ctx context.Context, in *engine.Insert, n int, fill func([]any, int) []any) (int64, error) {
	if n > 0 {
		c.see("INSERT")
	}
	return c.Conn.InsertRows(ctx, in, n, fill)
}

func (c *adverseConn) UpdateRows(ctx context.Context, up *engine.Update, n int, fill func([]any, int) []any) ([]int, error) {
	if n > 0 {
		c.see("UPDATE")
	}
	return c.Conn.UpdateRows(ctx, up, n, fill)
}

// pace lets writers run into each other: transactions take their time, now and then. Without
// locks, one that has read also waits until a few others have committed, so that what it
// has read is old; with locks that would be a deadlock.
type pace struct {
	wait bool

	mu      sync.Mutex
	changed *sync.Cond
	random  *rand.Rand
	writers int // in the race
	waiting int
	commits int
}

func newPace(wait bool) *pace {
	p := &pace{wait: wait, random: rand.New(rand.NewPCG(3, 4))}
	p.changed = sync.NewCond(&p.mu)
	return p
}

func (p *pace) join(writers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writers = writers
}

func (p *pace) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.writers--
	p.changed.Broadcast()
}

// written notes that a transaction has ended.
func (p *pace) written() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.commits++
	p.changed.Broadcast()
}

// pause pauses before a statement that writes.
func (p *pace) pause(first bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.writers == 0:
	case p.wait && first:
		p.await(p.commits + p.random.IntN(4))
	case p.random.IntN(2) == 0:
		p.dawdle(p.commits + 1)
	}
}

// await waits for a number of commits. If all wait, one of them goes on.
func (p *pace) await(until int) {
	p.waiting++
	for p.commits < until {
		if p.waiting < p.writers {
			p.changed.Wait()
			continue
		}
		p.commits++
		p.changed.Broadcast()
	}
	p.waiting--
}

// dawdle takes some time, without locks until another writer has committed: but not
// long, because that one may wait for this one.
func (p *pace) dawdle(until int) {
	most := 1 + p.random.IntN(3)
	if p.wait {
		most = 20
	}
	for range most {
		p.mu.Unlock()
		time.Sleep(300 * time.Microsecond)
		p.mu.Lock()
		if p.commits >= until {
			return
		}
	}
}
