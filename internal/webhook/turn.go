package webhook

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/index"
	"gamedex/internal/lease"
)

// turn is one turn of a subscription: if it has no message, it makes one from the games that are due; then it
// tries to deliver it.
type turn struct {
	*Sender
	held    lease.Lease
	id      string
	view    *index.View
	at      int64    // the time of prices, unless the subscription is newer
	games   []string // all of the subscription
	due     []string
	deals   dealSet // in the view, of a subscription to deals
	claimed bool    // it was stored since this process has the lease
}

func (t *turn) run(ctx context.Context) (r result) {
	slices.Sort(t.due)
	r.left = t.due
	s, states, err := t.Outbox.Load(ctx, t.id, t.due)
	works := false
	if err == nil {
		works, err = t.Works(ctx, s.KeyID)
	}
	switch {
	case errors.Is(err, account.ErrNotFound):
		r.deleted = true
		return r
	case err != nil:
		return t.postpone(ctx, r, err)
	case s.OffAt != 0:
		r.off = true
		return r
	case !works:
		r.wait = t.Now().Add(keyPause).UnixMilli()
		return r
	}
	if s.Message.ID == "" || t.outdated(&s) {
		saved, err := t.makeMessage(ctx, &s, states, &r)
		if err != nil {
			return t.postpone(ctx, r, err)
		}
		if !saved { // it was changed: the next look reads it again
			r.wait = t.Now().Add(t.Every).UnixMilli()
			return r
		}
	}
	switch {
	case s.Message.ID == "":
		r.again = s.Ping
	case s.Message.NextTry > t.Now().UnixMilli():
		r.wait = s.Message.NextTry
	default:
		t.deliver(ctx, &s, &r)
	}
	return r
}

// postpone returns r, the result of a turn that the database failed, with the time of the next one.
func (t *turn) postpone(ctx context.Context, r result, err error) result {
	if ctx.Err() == nil {
		t.Log.Warn("a webhook has to wait for the database", "webhook", t.id, "error", err)
	}
	r.wait = t.Now().Add(errorPause).UnixMilli()
	return r
}

// outdated reports whether the cursor of a subscription cannot be compared with the view.
func (t *turn) outdated(s *Subscription) bool {
	return s.Cursor.Source != t.view.Source || s.Cursor.Seq < t.view.Seq && !t.view.KnowsChanges()
}

// finding is what the games of a subscription that are due lead to.
type finding struct {
	kind string // of the message; "": there is nothing to send
	data []byte // of the message
	Outcome
	left []string // games that are still due
	wait int64    // nothing can be compared before this time; 0: at any time
}

// makeMessage compares the games that are due and stores what it finds, and a message if there is
// something to send. It reports whether the subscription still had its version.
func (t *turn) makeMessage(ctx context.Context, s *Subscription, states map[string][]byte, r *result) (saved bool, err error) {
	f := t.compare(s, states)
	if f.kind == "" && s.Ping {
		f.kind, f.data, s.Ping = typePing, noData, false
	}
	if f.kind != "" {
		if s.Message, err = newMessage(f.kind, f.data, t.Now().UnixMilli(), t.Random); err != nil {
			return false, err
		}
		f.NewMessage = true
	}
	// The first time it is stored in any case: what a former holder of the lease has compared has an outdated version then.
	if f.NewMessage || len(f.Served)+len(f.Gone) > 0 || !t.claimed && len(t.due) > 0 {
		if saved, err = t.Outbox.Save(ctx, *s, f.Outcome); err != nil || !saved {
			return false, err
		}
		s.Version++
		r.claimed = true
	}
	r.left, r.wait, r.gone = f.left, f.wait, f.Gone
	for _, one := range f.Served {
		r.added = append(r.added, one.Game)
	}
	return true, nil
}

// noData is the data of messages that are about no games.
var noData = []byte("{}")

// compare compares the games that are due with what is remembered of them, and moves the cursor.
func (t *turn) compare(s *Subscription, states map[string][]byte) finding {
	f, at, outdated := finding{left: t.due}, max(t.at, s.Cursor.At), t.outdated(s)
	switch {
	case outdated && s.Deals == "": // what is left are games that may have moved
		s.Games, s.Cursor = t.games, CursorOf(t.view, at)
		f.Served = s.servedNow(t.view, at)
	case outdated || len(t.due) > 0 && s.Cursor.Seq <= t.view.Seq:
		e := evaluation{s: s, view: t.view, at: at, states: states, deals: t.deals, silent: outdated,
			has: func(game string) bool { return slices.Contains(t.games, game) }}
		f.left = e.evaluate(t.due)
		f.Outcome = e.Outcome
		if f.data = e.data(); f.data != nil {
			f.kind = typeChanged
		}
		if len(f.left) == 0 {
			s.Cursor = CursorOf(t.view, at)
		}
	case len(t.due) > 0: // compared with the views to come
		f.wait = t.Now().Add(errorPause).UnixMilli()
	}
	if outdated {
		f.kind, f.data = typeResync, noData
	}
	return f
}

// deliver tries to deliver the message and stores what came of it.
func (t *turn) deliver(ctx context.Context, s *Subscription, r *result) {
	began := time.Now()
	if err := t.Leases.Confirm(ctx, t.held); err != nil {
		r.wait = t.Now().Add(errorPause).UnixMilli() // the context ends if the lease is lost
		return
	}
	may := func() error {
		if time.Since(began) > t.Leases.TTL/2 {
			return errors.New("this process was paused for too long")
		}
		return ctx.Err()
	}
	now := t.Now()
	a := t.Client.post(ctx, s, now, may)
	if ctx.Err() != nil && a.status == 0 {
		return
	}
	try := Try{At: now.UnixMilli(), MessageID: s.Message.ID, Status: a.status, Took: t.Now().Sub(now).Milliseconds()}
	if a.err != nil {
		try.Error = a.err.Error()
	}
	// The result is stored even if this process stops now: otherwise the message would be sent again.
	saving, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveTimeout)
	defer cancel()
	saved, err := t.saveTry(saving, s, &a, try)
	switch {
	case err != nil:
		*r = t.postpone(ctx, *r, err)
		return
	case !saved:
		r.wait = t.Now().Add(t.Every).UnixMilli()
		return
	}
	outcome := Failed
	switch {
	case s.OffAt != 0:
		outcome, r.off = TurnedOff, true
		t.Log.Warn("webhook turned off", "webhook", s.ID, "host", s.Host(), "reason", s.OffReason)
	case a.delivered():
		outcome, r.again = Delivered, s.Ping
	default:
		r.wait = s.Message.NextTry
	}
	t.Observe(outcome)
}

// saveTry stores the result of a try. If the owner changed the subscription meanwhile, it is read again: a message
// that was delivered must not be sent again.
func (t *turn) saveTry(ctx context.Context, s *Subscription, a *answer, try Try) (saved bool, err error) {
	for range 3 {
		if s.Message.ID != try.MessageID {
			return false, nil
		}
		t.apply(s, a)
		if saved, err = t.Outbox.Save(ctx, *s, Outcome{Try: &try}); saved || err != nil {
			return saved, err
		}
		if *s, _, err = t.Outbox.Load(ctx, s.ID, nil); err != nil {
			return false, err
		}
	}
	return false, nil
}

// apply changes a subscription after a try.
func (t *turn) apply(s *Subscription, a *answer) {
	now := t.Now()
	if a.delivered() {
		s.Message = Message{}
		return
	}
	s.Message.Failures++
	wait, again := delay(s.Message.Failures, a.retryAfter, t.Rand())
	s.Message.NextTry = now.Add(wait).UnixMilli()
	switch {
	case a.status == 410:
		s.TurnOff(now.UnixMilli(), OffGone)
	case !again:
		s.TurnOff(now.UnixMilli(), fmt.Sprintf("%d tries failed; the last one: %s", s.Message.Failures, a))
	}
}
