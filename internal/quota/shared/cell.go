package shared

import (
	"strings"
	"sync"
	"time"

	"gamedex/internal/quota"
)

// cell is what this node knows about a key or an owner.
type cell struct {
	id    string
	owner bool   // the id is an owner's
	name  string // of its state in Redis

	mu           sync.Mutex
	known        quota.Spent   // the server has said that at least this was used
	granted      quota.Spent   // by this node alone, and not yet known to the server
	batch        batch         // the part of it that is reported to the server; number 0: none
	last         int64         // number of the last batch
	reporting    bool          // a call under way has the batch
	ahead        bool          // the server has lost what is known
	clock        reading       // of the server's clock
	free         []place       // those that no call has
	places       uint64        // how many there are
	unknownUntil time.Duration // earliest tick at which the node asks again how much was used today
}

// batch is a part of what was granted. Its number, which rises, makes the server count it
// once, however often it is reported.
type batch struct {
	number int64 // 0: there is none
	spent  quota.Spent
}

// batches are those of a key and its owner.
type batches struct{ key, owner batch }

// claim returns the batch for a call, which must settle it. While another call has it there
// is none.
func (c *cell) claim() batch {
	if c.reporting || c.batch.number == 0 && c.granted == (quota.Spent{}) {
		return batch{}
	}
	if c.batch.number == 0 {
		c.last++
		c.batch = batch{c.last, c.granted}
	}
	c.reporting = true
	return c.batch
}

// settle ends the call that has b; reported is whether the server has answered it.
// Otherwise the batch stays as it is, because the server may have counted it.
func (c *cell) settle(b batch, reported bool) {
	if b.number == 0 {
		return
	}
	c.reporting = false
	if reported {
		c.granted, c.batch = c.granted.Sub(b.spent), batch{}
	}
}

// place is where the server remembers a charge of a key, so that it counts once however
// often it arrives. One call at a time has a place, with a number that rises.
type place struct {
	name   uint64 // no other node has it
	number uint32
}

// reading is the server's clock, read between two times of this node's.
type reading struct {
	at             int64 // Unix milliseconds
	sent, received time.Duration
}

// readingAge is how long a node relies on a reading. A step of the server's clock is
// noticed after that time.
const readingAge = time.Minute

// between returns bounds of the server's clock now; ok is false if it was not read within
// readingAge.
func (r reading) between(now time.Duration) (low, high int64, ok bool) {
	if r.at == 0 || now < r.received || now-r.received > readingAge {
		return 0, 0, false
	}
	return r.at + (now - r.received).Milliseconds(), r.at + 1 + (now - r.sent).Milliseconds(), true
}

// pair is the cells of a key and its owner. A key without an owner has an empty cell for it.
type pair struct{ key, owner *cell }

func (p pair) owned() bool { return p.owner.name != "" }

// ref names a key, or an owner if key is "".
type ref struct{ key, owner string }

// pair returns the cells of a key and its owner, and makes those that are missing.
func (s *Shared) pair(keyID, ownerID string) pair {
	p := pair{key: s.cell(ref{keyID, ownerID}), owner: new(cell)}
	if ownerID != "" {
		p.owner = s.cell(ref{"", ownerID})
	}
	return p
}

// cell returns the cell of a key or an owner. The states of an owner's keys are in the
// owner's slot.
func (s *Shared) cell(r ref) *cell {
	if c, ok := s.cells.Load(r); ok {
		return c.(*cell)
	}
	c := &cell{id: r.key, name: "gamedex:key:{" + r.key + "}"}
	switch {
	case r.key == "":
		c.id, c.owner, c.name = r.owner, true, "gamedex:owner:{"+r.owner+"}"
	case r.owner != "":
		c.name = "gamedex:key:{" + r.owner + "}:" + r.key
	}
	stored, _ := s.cells.LoadOrStore(r, c)
	return stored.(*cell)
}

// names returns the names of the states in Redis.
func (p pair) names() []string {
	if !p.owned() {
		return []string{p.key.name}
	}
	return []string{p.key.name, p.owner.name}
}

// namesToReport returns the names of the states, and those of the numbers of this node's last
// batches.
func (s *Shared) namesToReport(p pair) []string {
	names := p.names()
	for _, name := range p.names() {
		names = append(names, "gamedex:reported:"+strings.TrimPrefix(name, "gamedex:")+":"+s.self)
	}
	return names
}

// lock locks both cells, the owner's first.
func (p pair) lock() {
	p.owner.mu.Lock()
	p.key.mu.Lock()
}

func (p pair) unlock() {
	p.key.mu.Unlock()
	p.owner.mu.Unlock()
}

// known returns what is known, while the cells are locked.
func (p pair) known() quota.Pair { return quota.Pair{Key: p.key.known, Owner: p.owner.known} }

// granted returns what was granted, while the cells are locked.
func (p pair) granted() quota.Pair {
	return quota.Pair{Key: p.key.granted, Owner: p.owner.granted}
}

// refuse decides about a request that is over a limit by what is known already. It
// returns false if the server must be asked.
func (p pair) refuse(l quota.Limits, o quota.Owner, now time.Duration) (quota.Decision, bool) {
	p.lock()
	known, clock := p.known(), p.key.clock
	p.unlock()
	low, high, ok := clock.between(now)
	if !ok || known.Key.At(low).Minute < known.Key.Minute || known.Owner.At(low).Minute < known.Owner.Minute {
		return quota.Decision{}, false // Take would change what the server has
	}
	if known.Look(l, o, high).Allowed {
		return quota.Decision{}, false
	}
	d := known.Look(l, o, low)
	return d, !d.Allowed
}

// decideAlone decides about a request without the server, and charges it to what this node
// granted if charge is set.
func (p pair) decideAlone(l quota.Limits, o quota.Owner, nodes int, charge bool, tick time.Duration, now int64) quota.Decision {
	p.lock()
	defer p.unlock()
	now = p.clock(tick, now)
	if !charge {
		return p.known().LookShare(p.granted(), l, o, nodes, now)
	}
	granted, d := p.known().TakeShare(p.granted(), l, o, nodes, now)
	p.key.granted, p.owner.granted = granted.Key, granted.Owner
	return d
}

// clock returns the server's time as far as it is known, while the cells are locked;
// now is this node's.
func (p pair) clock(tick time.Duration, now int64) int64 {
	if p.key.clock.at == 0 {
		return now
	}
	return p.key.clock.at + (tick - p.key.clock.received).Milliseconds()
}

// claim returns a call that charges nothing yet. It has a place, what is known, and batches
// of what was granted. Until it has ended, both count for this node's share. It reports
// if the server needs that: for grants, or for what it has lost. End it with learn or
// putBack.
func (p pair) claim(node uint64) call {
	p.lock()
	defer p.unlock()
	add := batches{p.key.claim(), p.owner.claim()}
	return call{place: p.key.take(node), report: p.ahead(false) || add != batches{}, minimum: p.known(), add: add}
}

// take returns a free place, or a new one of a node.
func (c *cell) take(node uint64) place {
	last := len(c.free) - 1
	if last < 0 {
		c.places++
		return place{node + c.places, 1}
	}
	free := c.free[last]
	c.free = c.free[:last]
	return place{free.name, free.number + 1}
}

// putBack ends a call that failed.
func (p pair) putBack(c call) {
	p.lock()
	defer p.unlock()
	p.end(c, false)
	if c.report {
		p.ahead(true)
	}
}

// end gives back what a call has claimed, while the cells are locked.
func (p pair) end(c call, answered bool) {
	p.key.free = append(p.key.free, c.place)
	p.key.settle(c.add.key, answered)
	p.owner.settle(c.add.owner, answered)
}

// ahead sets whether the server has lost what is known, while the cells are locked,
// and returns whether it had.
func (p pair) ahead(now bool) (before bool) {
	before = p.key.ahead || p.owner.ahead
	p.key.ahead, p.owner.ahead = now, now
	return before
}

// learn ends a call, and keeps what it has shown: what was used after it, and the server's
// clock. lost reports whether the server had less than was known before the call.
func (p pair) learn(c call, after quota.Pair, clock reading, lost bool) {
	p.lock()
	defer p.unlock()
	p.end(c, true)
	p.key.learn(after.Key, clock)
	p.owner.learn(after.Owner, clock)
	if lost {
		p.ahead(true)
	}
}

func (c *cell) learn(after quota.Spent, clock reading) {
	c.clock = clock
	if now := c.known.At(clock.at); now.Minute < c.known.Minute { // the server's clock was set back
		c.known = now
	}
	c.known = c.known.Max(after)
}

// lost reports whether the server has less than was known.
func lost(before, known quota.Pair, at int64) bool {
	return less(before.Key, known.Key, at) || less(before.Owner, known.Owner, at)
}

func less(before, known quota.Spent, at int64) bool {
	before, known = before.At(at), known.At(at)
	return before.Max(known) != before
}
