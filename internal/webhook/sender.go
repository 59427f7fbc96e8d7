package webhook

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/url"
	"slices"
	"strings"
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
	// Save stores a subscription and the outcome of a step, and raises its version, if the stored one has
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
	// Observe is called after every try with what came of it: delivered, failed, or off if it was the last
	// one. It may be nil.
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
	b := &board{Sender: s, held: *held, watchers: map[string]*watcher{}, games: map[string]*game{}, hosts: map[string]*host{},
		later: map[*watcher]int64{}, results: make(chan result, atOnce)}
	defer func() {
		stop()
		for range b.running {
			<-b.results
		}
	}()
	ticks := time.NewTicker(s.Every)
	defer ticks.Stop()
	failing := false
	for {
		again, err := b.look(ctx)
		if again {
			return nil
		}
		if err != nil && !failing && ctx.Err() == nil {
			s.Log.Error("changes of webhooks cannot be read; it will be tried again", "error", err)
		}
		failing = err != nil
		b.start(ctx)
		for looked := false; !looked; {
			select {
			case <-ctx.Done():
				return context.Cause(ctx)
			case r := <-b.results:
				b.finish(r)
				b.start(ctx)
			case <-ticks.C:
				looked = true
			}
		}
	}
}

// board is what one holder of the lease knows of subscriptions. It is for one goroutine; steps run in others.
type board struct {
	*Sender
	held lease.Lease
	mark account.Mark
	view *index.View // with which games were compared last, nil before the first
	at   int64       // when

	watchers map[string]*watcher // by id
	games    map[string]*game    // by name
	hosts    map[string]*host
	ready    []*watcher // to be worked on, in order
	later    map[*watcher]int64
	running  int
	results  chan result
}

// watcher is a subscription.
type watcher struct {
	id      string
	host    string
	games   []*game
	due     map[string]bool // games that may have changed since they were last compared; nil: none
	off     bool
	look    bool // there may be something else to do
	busy    bool // it is ready, waits for its host, or a step runs
	claimed bool // it was stored since this process has the lease
}

// game is a game that subscriptions have.
type game struct {
	name     string
	watchers []*watcher
	card     index.Card // in the view of the board
	served   bool
}

// host is a receiver's, with the subscriptions that wait for their turn.
type host struct {
	running int
	waiting []*watcher
}

// look finds subscriptions and games that have changed. again is true if all have to be read again.
func (b *board) look(ctx context.Context) (again bool, err error) {
	v, at := b.View(), b.Now().UnixMilli()
	if v == nil {
		return false, nil
	}
	if b.view == nil {
		b.view, b.at = v, at
	}
	list, mark, err := b.Outbox.Since(ctx, b.mark)
	if err != nil {
		return false, err
	}
	if b.mark != (account.Mark{}) && (mark.Epoch != b.mark.Epoch || mark.Change < b.mark.Change) {
		return true, nil
	}
	if b.mark != mark {
		if err := b.forgetDeleted(ctx); err != nil {
			return false, err
		}
	}
	b.mark = mark
	for i := range list {
		b.note(&list[i])
	}
	b.compare(v, at)
	for w, due := range b.later {
		if due <= at {
			delete(b.later, w)
			b.queue(w)
		}
	}
	return false, nil
}

// forgetDeleted forgets the subscriptions that are no longer stored.
func (b *board) forgetDeleted(ctx context.Context) error {
	stored, err := b.Outbox.IDs(ctx)
	if err != nil {
		return err
	}
	for id, w := range b.watchers {
		if _, found := slices.BinarySearch(stored, id); !found {
			b.forget(w)
		}
	}
	return nil
}

// compare finds games that have changed since the last comparison, and their subscriptions.
func (b *board) compare(v *index.View, at int64) {
	if v == b.view && v.PassedEnds(at) == v.PassedEnds(b.at) {
		return
	}
	before, since := b.view, v.Since(b.view.Seq, b.at, at)
	b.view, b.at = v, at
	if before.Source != v.Source || before.Seq != v.Seq && !v.KnowsChanges() {
		for _, w := range b.watchers {
			b.wake(w)
		}
	}
	for _, g := range b.games {
		served := g.served
		g.card, g.served = find(v, g.name)
		if served == g.served && !(g.served && since.Changed(g.card)) {
			continue
		}
		for _, w := range g.watchers {
			w.add(g.name)
			b.queue(w)
		}
	}
}

// note takes over a subscription that is new or was changed.
func (b *board) note(s *Subscription) {
	w := b.watchers[s.ID]
	if w == nil {
		w = &watcher{id: s.ID, games: make([]*game, 0, len(s.Games))}
		b.watchers[s.ID] = w
		since := b.view.Since(s.Cursor.Seq, s.Cursor.At, b.at)
		for _, name := range s.Games {
			g := b.watch(w, name)
			// A newer cursor than the view is of another process: what changes until then becomes due
			// with the views to come.
			if s.Cursor.Seq <= b.view.Seq && !(g.served && !since.Changed(g.card)) {
				w.add(name)
			}
		}
	}
	w.off, w.host = s.OffAt != 0, hostOf(s.URL)
	b.wake(w)
}

// add notes that a game is due.
func (w *watcher) add(name string) {
	if w.due == nil {
		w.due = map[string]bool{}
	}
	w.due[name] = true
}

// hostOf returns the host of a URL, without its port.
func hostOf(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// watch notes that a subscription has a game.
func (b *board) watch(w *watcher, name string) *game {
	g := b.games[name]
	if g == nil {
		g = &game{name: name}
		g.card, g.served = find(b.view, name)
		b.games[name] = g
	}
	g.watchers, w.games = append(g.watchers, w), append(w.games, g)
	return g
}

// unwatch notes that a subscription no longer has a game.
func (b *board) unwatch(w *watcher, name string) {
	i := w.position(name)
	if i < 0 {
		return
	}
	g := w.games[i]
	w.games = slices.Delete(w.games, i, i+1)
	delete(w.due, name)
	g.watchers = slices.DeleteFunc(g.watchers, func(other *watcher) bool { return other == w })
	if len(g.watchers) == 0 {
		delete(b.games, name)
	}
}

// forget forgets a subscription. A step of it that runs, or is ready, finds that it is deleted.
func (b *board) forget(w *watcher) {
	for len(w.games) > 0 {
		b.unwatch(w, w.games[len(w.games)-1].name)
	}
	delete(b.later, w)
	delete(b.watchers, w.id)
}

// position returns where a subscription has a game; -1 if it does not.
func (w *watcher) position(name string) int {
	return slices.IndexFunc(w.games, func(g *game) bool { return g.name == name })
}

// wake makes a subscription due at once, even if it waits for something.
func (b *board) wake(w *watcher) {
	w.look = true
	delete(b.later, w)
	b.queue(w)
}

// queue makes a subscription ready, unless it waits for something.
func (b *board) queue(w *watcher) {
	if _, waits := b.later[w]; waits || w.busy || w.off {
		return
	}
	w.busy = true
	b.ready = append(b.ready, w)
}

// start starts the steps of subscriptions that are ready.
func (b *board) start(ctx context.Context) {
	for b.running < atOnce && len(b.ready) > 0 {
		w := b.ready[0]
		b.ready = b.ready[1:]
		h := b.hosts[w.host]
		if h == nil {
			h = &host{}
			b.hosts[w.host] = h
		}
		if h.running == atOnceHost {
			h.waiting = append(h.waiting, w)
			continue
		}
		h.running++
		b.running++
		st := step{Sender: b.Sender, held: b.held, id: w.id, view: b.view, at: b.at, games: make([]string, 0, len(w.games)), claimed: w.claimed}
		for _, g := range w.games {
			st.games = append(st.games, g.name)
		}
		for name := range w.due {
			st.due = append(st.due, name)
		}
		w.due, w.look = nil, false
		go func(hostname string) {
			r := st.run(ctx)
			r.w, r.host = w, hostname
			b.results <- r
		}(w.host)
	}
}

// finish takes over the result of a step.
func (b *board) finish(r result) {
	w, h := r.w, b.hosts[r.host]
	b.running--
	h.running--
	for next := true; next && len(h.waiting) > 0; h.waiting = h.waiting[1:] {
		b.ready = append(b.ready, h.waiting[0])
		next = h.waiting[0].host != r.host // its owner has moved it: the turn is the next one's
	}
	if h.running == 0 && len(h.waiting) == 0 {
		delete(b.hosts, r.host)
	}
	w.busy, w.claimed = false, w.claimed || r.claimed
	if r.deleted {
		b.forget(w)
		return
	}
	for _, name := range r.gone {
		b.unwatch(w, name)
	}
	for _, name := range r.added {
		if w.position(name) < 0 {
			b.watch(w, name)
			w.add(name) // it may have changed since
		}
	}
	for _, name := range r.left {
		if w.position(name) >= 0 {
			w.add(name)
		}
	}
	w.off = w.off || r.off && !w.look
	if r.wait > 0 && !w.look {
		b.later[w] = r.wait
	} else if w.look || r.again || len(w.due) > 0 {
		b.queue(w)
	}
}

// result is what came of a step.
type result struct {
	w           *watcher
	host        string
	deleted     bool
	off         bool
	left        []string // games that are still due
	gone, added []string // games that the subscription no longer has, and has now
	wait        int64    // nothing is to be done before this time; 0: at any time
	again       bool     // there is more to do
	claimed     bool     // the subscription was stored
}
