package registry

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync/atomic"
	"time"
)

// Repository keeps the rows of the nodes.
type Repository interface {
	// Beat stores n as seen now, by the database's clock, and sets n.Started if that is 0
	// and n.Ahead from clock, which is this process's. It returns n as stored, and all nodes.
	Beat(ctx context.Context, n Node, clock func() time.Time) (stored Node, all List, err error)
	// RemoveNode removes the row of a node.
	RemoveNode(ctx context.Context, id string) error
}

// Config configures a [Registrar].
type Config struct {
	Repository Repository
	Self       Node            // ID, Name, Version, Roles, Settings
	Serving    func() int64    // returns the number of the manifest that is served; 0: none
	Damaged    func() []string // returns [Node.Damaged]
	Epoch      func() string   // returns that of the database, as it was read last; "": it was not
	Now        func() time.Time
	Rand       func() float64 // at least 0 and below 1
	Log        *slog.Logger
}

// Registrar keeps the row of this node, and knows the others. Its methods may be called
// from any goroutine, and answer from what was read last: they never wait for the
// database. Create it with [New].
type Registrar struct {
	cfg     Config
	self    Node
	last    atomic.Pointer[sighting]
	trouble atomic.Pointer[error] // of the last beat

	// What was logged last; Run's alone.
	failing, skewed bool
	conflicts       []string

	awaited lag // what this node should serve; Run's alone
}

// lag is a publication, and since when it is known.
type lag struct {
	seq   int64
	since int64 // milliseconds of the database's clock
}

// sighting is what a beat has found.
type sighting struct {
	list   List
	ahead  int64
	behind int64     // see Behind
	read   time.Time // when the database's clock was read, by this process's; zero: it was not
}

// New returns a registrar that knows nobody yet: see [Registrar.Run].
func New(cfg Config) *Registrar {
	r := &Registrar{cfg: cfg, self: cfg.Self}
	r.last.Store(&sighting{})
	return r
}

// Count returns how many nodes of a role were live when the database was asked last, this
// one included. Without an answer yet, it is only this one.
func (r *Registrar) Count(role string) int {
	own := 0
	if r.cfg.Self.Has(role) {
		own = 1
	}
	return max(own, r.last.Load().list.Count(role))
}

// List returns the nodes as they were read last.
func (r *Registrar) List() List { return r.last.Load().list }

// Behind returns the number of a publication that this node has known for [BehindFor], but
// does not serve, while another live node that answers does; 0: none.
func (r *Registrar) Behind() int64 {
	if behind := r.last.Load().behind; r.cfg.Serving() < behind {
		return behind
	}
	return 0
}

// behind returns what Behind does, from a new list.
func (r *Registrar) behind(list List) int64 {
	if r.self.Seq >= r.awaited.seq || list.Seq < r.awaited.seq { // a restored database may begin anew
		r.awaited = lag{list.Seq, list.At}
	}
	current := func(n Node) bool { return n.ID != r.self.ID && n.Has("api") && n.Seq >= r.awaited.seq }
	if r.self.Seq < r.awaited.seq && list.At-r.awaited.since >= BehindFor.Milliseconds() && slices.ContainsFunc(list.Live(), current) {
		return r.awaited.seq
	}
	return 0
}

// Ahead returns how far this node's clock is ahead of the database's; negative: behind.
func (r *Registrar) Ahead() time.Duration {
	return time.Duration(r.last.Load().ahead) * time.Millisecond
}

// Now returns the time by the database's clock: what it showed when this node read it last, and what
// has passed since, which no step of this machine's clock changes. Until it was read, this machine's
// counts.
func (r *Registrar) Now() time.Time {
	now, last := r.cfg.Now(), r.last.Load()
	if last.read.IsZero() {
		return now
	}
	// Without the time since the process started, which has no part in the database's clock.
	return last.read.Add(now.Sub(last.read) - time.Duration(last.ahead)*time.Millisecond).Round(0)
}

// Compare compares the clocks before Run does it, so that Now is right from the start. If the database
// does not answer, that waits for Run.
func (r *Registrar) Compare(ctx context.Context, clock func(context.Context) (at int64, err error)) {
	ctx, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	now := r.steady()
	before := now()
	at, err := clock(ctx)
	if after := now(); err == nil {
		r.last.Store(&sighting{ahead: Ahead(before, at, after), read: after})
	}
}

// steady returns this process's clock, without the steps that are made from now on.
func (r *Registrar) steady() func() time.Time {
	began := r.cfg.Now()
	return func() time.Time { return began.Add(r.cfg.Now().Sub(began)) }
}

// Trouble returns the error of the last beat, which writes to the database; nil if it succeeded.
func (r *Registrar) Trouble() error {
	if err := r.trouble.Load(); err != nil {
		return *err
	}
	return nil
}

// Warnings returns what an operator should correct.
func (r *Registrar) Warnings() (list []string) {
	if seen := r.last.Load(); (Node{Ahead: seen.ahead}).Skewed() {
		list = append(list, fmt.Sprintf("the clock of this machine differs from the database's by %s; synchronize it (NTP)", r.Ahead().Abs()))
	}
	return append(list, r.List().conflicts()...)
}

const (
	beatTime   = Every // a beat that takes longer has failed
	removeTime = 2 * time.Second
	spread     = 0.2 // how much of Every a beat may come earlier, so that nodes do not keep step
)

// Run says every 5 seconds that this node is there, until ctx ends. Then it removes the
// row; if it cannot, the row stays for a day.
func (r *Registrar) Run(ctx context.Context) error {
	for {
		r.beat(ctx)
		wait := Every - time.Duration(r.cfg.Rand()*spread*float64(Every))
		select {
		case <-ctx.Done():
			removing, cancel := context.WithTimeout(context.WithoutCancel(ctx), removeTime)
			defer cancel()
			if err := r.cfg.Repository.RemoveNode(removing, r.self.ID); err != nil {
				r.cfg.Log.Debug("this node stays listed for a day", "error", err)
			}
			return nil
		case <-time.After(wait):
		}
	}
}

func (r *Registrar) beat(ctx context.Context) {
	beating, cancel := context.WithTimeout(ctx, beatTime)
	defer cancel()
	r.self.Seq, r.self.Epoch, r.self.Damaged = r.cfg.Serving(), r.cfg.Epoch(), r.cfg.Damaged()
	var read time.Time
	now := r.steady()
	stored, list, err := r.cfg.Repository.Beat(beating, r.self, func() time.Time { read = now(); return read })
	switch {
	case ctx.Err() != nil:
		return // stopping is not a failure
	case err != nil && !r.failing:
		r.cfg.Log.Warn("the other nodes do not see this one; it will be tried again", "error", err)
	case err == nil && r.failing:
		r.cfg.Log.Info("the other nodes see this one again")
	}
	r.trouble.Store(&err)
	if r.failing = err != nil; r.failing {
		return
	}
	r.self = stored
	r.last.Store(&sighting{list, stored.Ahead, r.behind(list), read})
	r.report()
}

// report logs what is wrong, when it begins or changes and when it is over.
func (r *Registrar) report() {
	ahead := r.Ahead()
	switch {
	case r.self.Skewed() && !r.skewed:
		r.cfg.Log.Warn("the clock of this machine differs from the database's; synchronize it (NTP)", "ahead", ahead)
		r.skewed = true
	case ahead.Abs() <= MaxSkew/2 && r.skewed:
		r.cfg.Log.Info("the clock of this machine agrees with the database's again", "ahead", ahead)
		r.skewed = false
	}
	conflicts := r.List().conflicts()
	for _, text := range conflicts {
		if !slices.Contains(r.conflicts, text) {
			r.cfg.Log.Warn(text)
		}
	}
	if len(conflicts) == 0 && len(r.conflicts) > 0 {
		r.cfg.Log.Info("nodes agree again")
	}
	r.conflicts = conflicts
}
