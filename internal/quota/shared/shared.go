package shared

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/valkey-io/valkey-go"
	"golang.org/x/sync/singleflight"

	"gamedex/internal/quota"
)

// Limits for a server. They are variables because tests on a busy machine wait longer for it,
// and try it more often.
var (
	openTime   = 2 * time.Second // to answer at start
	stuckTime  = time.Second     // after that a connection that does not answer is closed
	probeEvery = time.Second     // between the tries of a node that counts alone, on average
)

// Config configures a [Shared].
type Config struct {
	Address Address
	Nodes   func() int // how many nodes count requests, as far as this one knows
	// Today returns how many requests of a key, or of all keys of an owner, were counted
	// today according to the database. nil: that is not known. It has a second.
	Today func(ctx context.Context, id string, owner bool) (int, error)
	Now   func() time.Time
	Rand  func() float64 // at least 0 and below 1
	Log   *slog.Logger
}

// Shared is a [quota.Counter], and the [account.SharedTries], of several processes. Create
// it with [Open], and run Run beside it.
type Shared struct {
	cfg         Config
	began       time.Time
	self        string        // a random name of this run of the process
	node        uint64        // begins the names of its places; random
	calls       atomic.Uint64 // of the script of tries
	take        *valkey.Lua   // take.lua
	tries       *valkey.Lua   // tries.lua
	connections [2]connection
	cells       sync.Map // of *cell, by ref
	today       singleflight.Group
	answered    atomic.Int64          // when a call was answered last, as a tick
	ahead       atomic.Int64          // how far this node's clock is ahead of the server's, in nanoseconds
	every       time.Duration         // between comparisons of the clocks
	skewed      bool                  // what was logged last; Run's alone
	unsafe      atomic.Pointer[Fault] // what CheckSettings found last; nil: nothing

	alone   atomic.Bool   // the server does not answer
	outages atomic.Int64  // how often that became true
	own     atomic.Int64  // requests and tries that were decided without the server
	tripped chan struct{} // alone has become true

	mu     sync.Mutex
	failed func() error // shows whether what has made it alone works again; nil: the connection alone
}

// Take implements [quota.Counter]. Its error is always nil. now is only used without
// the server.
func (s *Shared) Take(_ context.Context, keyID string, l quota.Limits, o quota.Owner, now int64) (quota.Decision, error) {
	return s.decide(keyID, l, o, true, now), nil
}

// Look implements [quota.Counter]. Its error is always nil.
func (s *Shared) Look(_ context.Context, keyID string, l quota.Limits, o quota.Owner, now int64) (quota.Decision, error) {
	return s.decide(keyID, l, o, false, now), nil
}

func (s *Shared) decide(keyID string, l quota.Limits, o quota.Owner, charge bool, now int64) quota.Decision {
	o.Limits = countable(o.Limits)
	p := s.pair(keyID, o.ID)
	if !s.alone.Load() {
		tick := s.tick()
		if charge {
			if d, refused := p.refuse(l, o, tick); refused {
				return d
			}
		}
		if d, err := s.ask(p, l, o, charge, tick); err == nil {
			return d
		}
	}
	if charge {
		s.own.Add(1)
	}
	return p.decideAlone(l, o, s.cfg.Nodes(), charge, s.tick(), now)
}

// Alone reports whether this node counts alone, because the server does not
// answer.
func (s *Shared) Alone() bool { return s.alone.Load() }

// Outages returns how often this node had to begin counting alone.
func (s *Shared) Outages() int64 { return s.outages.Load() }

// OwnDecisions returns how many requests and tries had to be decided without the server.
func (s *Shared) OwnDecisions() int64 { return s.own.Load() }

// countable returns limits that the server can count to.
func countable(l quota.Limits) quota.Limits {
	return quota.Limits{Minute: min(l.Minute, maxCount), Day: min(l.Day, maxCount)}
}

// tick returns the time since the start, which no step of the clock changes.
func (s *Shared) tick() time.Duration { return s.cfg.Now().Sub(s.began) }

// errUnknown means that the database did not say how much a key has used today.
var errUnknown = errors.New("today's usage is not known")

// ask lets the server decide about a request, and reports to it what this node has granted.
// If the server does not answer, the node counts alone from then on.
func (s *Shared) ask(p pair, l quota.Limits, o quota.Owner, charge bool, now time.Duration) (quota.Decision, error) {
	c := p.claim(s.node)
	c.charge, c.limits, c.owner = charge, l, o.Limits
	d, err := s.exchange(p, c, o, now)
	if err != nil {
		p.putBack(c)
		if !errors.Is(err, errUnknown) && !s.lateOnly(err, now) {
			s.tripAt(p, err)
		}
	}
	return d, err
}

// lateOnly reports whether a call that was sent at a time failed because it took too
// long, but others were answered since: the server works, and the node is only busy.
// Of a cluster, another server may have answered.
func (s *Shared) lateOnly(err error, sent time.Duration) bool {
	return !s.cfg.Address.Cluster && errors.Is(err, context.DeadlineExceeded) && s.answered.Load() > int64(sent)
}

// exchange makes a call, and a second one if the server does not know key or owner.
func (s *Shared) exchange(p pair, c call, o quota.Owner, sent time.Duration) (quota.Decision, error) {
	a, err := s.run(p, c)
	if err == nil && !a.found {
		if c.minimum, err = s.minimum(p, c.minimum, a.at); err == nil {
			c.report, c.create = true, true
			sent = s.tick()
			a, err = s.run(p, c)
		}
	}
	if err != nil {
		return quota.Decision{}, err
	}
	after, d := a.before, a.before.Look(c.limits, o, a.at)
	if c.charge {
		after, d = a.before.Take(c.limits, o, a.at)
	}
	gone := !c.report && lost(a.before, c.minimum, a.at)
	if gone && c.charge && d.Allowed {
		after, _ = c.minimum.Take(c.limits, o, a.at) // this request is reported too
	}
	p.learn(c, after, reading{at: a.at, sent: sent, received: a.received}, gone)
	return d, nil
}

// minimum returns with how much key and owner begin on a server that does not know them.
func (s *Shared) minimum(p pair, known quota.Pair, at int64) (quota.Pair, error) {
	var err error
	if known.Key, err = s.minimumOf(p.key, known.Key, at); err == nil && p.owned() {
		known.Owner, err = s.minimumOf(p.owner, known.Owner, at)
	}
	return known, err
}

const (
	todayTime   = time.Second // to find out how much a key has used today
	unknownTime = time.Second // before the node asks again, if it could not find out
)

func (s *Shared) minimumOf(c *cell, known quota.Spent, at int64) (quota.Spent, error) {
	if s.cfg.Today == nil {
		return known, nil
	}
	c.mu.Lock()
	unknown := s.tick() < c.unknownUntil
	c.mu.Unlock()
	if unknown {
		return known, errUnknown
	}
	used, err, _ := s.today.Do(c.name, func() (any, error) {
		ctx, cancel := context.WithTimeout(context.Background(), todayTime)
		defer cancel()
		return s.cfg.Today(ctx, c.id, c.owner)
	})
	if err != nil {
		c.mu.Lock()
		c.unknownUntil = s.tick() + unknownTime
		c.mu.Unlock()
		s.cfg.Log.Warn("today's usage of a key is not known; it is counted by this node alone", "id", c.id, "error", err)
		return known, errUnknown
	}
	return known.Max(quota.Spent{Minute: at / minuteMillis, DayUsed: used.(int)}), nil
}
