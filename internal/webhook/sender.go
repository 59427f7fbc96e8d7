package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/index"
	"gamedex/internal/lease"
)

// LeaseName is the name of the lease of the process that sends.
const LeaseName = "webhooks"

const (
	atOnce      = 64              // subscriptions that are worked on
	atOnceHost  = 8               // of those, with one host as the receiver
	keyPause    = time.Minute     // until a key that does not work is looked up again
	errorPause  = 5 * time.Second // after a failure of the database
	saveTimeout = 5 * time.Second
)

// The outcomes of a try.
const (
	Delivered = "delivered"
	Failed    = "failed"
	TurnedOff = "off" // it failed, and the webhook was turned off after it
)

// Outbox keeps subscriptions, for a [Sender].
type Outbox interface {
	// Since returns the subscriptions that the API has made or changed after a mark, with their games,
	// and the present mark; all of them if the mark is zero, of another epoch, or of lost commits.
	Since(ctx context.Context, since account.Mark) ([]Subscription, account.Mark, error)
	// IDs returns the ids of all subscriptions, sorted. The mark moves when one is deleted, too.
	IDs(ctx context.Context) ([]string, error)
	// Load returns a subscription without its games but with the body of its message, and what is
	// remembered of some games. It wraps account.ErrNotFound if there is no such subscription.
	Load(ctx context.Context, id string, games []string) (Subscription, map[string][]byte, error)
	// Save stores a subscription and the outcome of a turn, and raises its version, if the stored one has
	// the same version. It reports whether it has.
	Save(ctx context.Context, s Subscription, with Outcome) (saved bool, err error)
}

// Sender finds out what is to be sent, and sends it. It may run in any number of processes; the one that
// holds the lease works.
type Sender struct {
	Outbox Outbox
	View   func() *index.View // the newest; nil before the first
	Works  func(ctx context.Context, keyID string) (bool, error)
	Leases lease.Holder
	Client *Client
	Every  time.Duration // how often it looks for changes of subscriptions and prices
	Now    func() time.Time
	Rand   func() float64 // [0,1): jitter
	Random io.Reader      // for the ids of messages
	Log    *slog.Logger
	// Observe is called after every try with its outcome.
	Observe func(outcome string)
}

// Run works whenever the lease can be had, until ctx ends.
func (s *Sender) Run(ctx context.Context) error {
	defer s.Client.Close()
	pause := time.NewTicker(s.Every)
	defer pause.Stop()
	failing := false
	for ctx.Err() == nil {
		_, err := s.Leases.Hold(ctx, LeaseName, s.work)
		if ctx.Err() != nil {
			break
		}
		if failed := err != nil && !errors.Is(err, lease.ErrLost); failed != failing {
			if failing = failed; failed {
				s.Log.Error("webhooks are not sent; it will be tried again", "error", err)
			}
		}
		select {
		case <-ctx.Done():
		case <-pause.C:
		}
	}
	return nil
}

// work sends until ctx ends, or returns if what it knows is outdated as a whole.
func (s *Sender) work(ctx context.Context, held *lease.Lease) error {
	ctx, stop := context.WithCancel(ctx)
	sch := &schedule{Sender: s, held: *held, subscribers: map[string]*subscriber{}, games: map[string]*game{}, lists: map[string]*dealList{}, hosts: map[string]*host{},
		later: map[*subscriber]int64{}, results: make(chan result, atOnce)}
	defer func() {
		stop()
		for range sch.running {
			<-sch.results
		}
	}()
	ticks := time.NewTicker(s.Every)
	defer ticks.Stop()
	failing := false
	for {
		again, err := sch.look(ctx)
		if again {
			return nil
		}
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.Error("changes of webhooks cannot be read; it will be tried again", "error", err)
		}
		failing = err != nil
		sch.start(ctx)
		for looked := false; !looked; {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case r := <-sch.results:
				sch.finish(r)
				sch.start(ctx)
			case <-ticks.C:
				looked = true
			}
		}
	}
}
