package webhook

import (
	"context"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/index"
	"gamedex/internal/lease"
)

// schedule is what one holder of the lease knows of subscriptions. It is for one goroutine; turns run in others.
type schedule struct {
	*Sender
	held lease.Lease
	mark account.Mark
	view *index.View // with which games were compared last, nil before the first
	at   int64       // when

	subscribers map[string]*subscriber // by id
	games       map[string]*game       // by name
	lists       map[string]*dealList   // by filter
	hosts       map[string]*host
	ready       []*subscriber // to be worked on, in order
	later       map[*subscriber]int64
	running     int
	results     chan result
}

// subscriber is a subscription.
type subscriber struct {
	id      string
	filter  Filter // without games
	rule    rule
	seq, at int64 // of its cursor when it was read
	host    string
	games   []*game
	list    *dealList       // of a subscription to deals, which has no games; nil: of another
	due     map[string]bool // games that may have changed since they were last compared; nil: none
	phase   phase
	again   bool // while it is busy: something has happened, so that it needs another turn
	claimed bool // it was stored since this process has the lease
}

// phase says what a subscription does.
type phase uint8

const (
	idle    phase = iota // nothing is to be done
	busy                 // it is ready, waits for its host, or a turn runs
	waiting              // until its time in schedule.later
	off                  // until its owner turns it on
)

// game is a game that subscriptions have.
type game struct {
	name        string
	subscribers []*subscriber
	card        index.Card // in the view of the schedule
	served      bool
}

// host is a receiver's, with the subscriptions that wait for their turn.
type host struct {
	running int
	waiting []*subscriber
}

// look finds subscriptions and games that have changed. again is true if all have to be read again.
func (sch *schedule) look(ctx context.Context) (again bool, err error) {
	v, at := sch.View(), sch.Now().UnixMilli()
	if v == nil {
		return false, nil
	}
	if sch.view == nil {
		sch.view, sch.at = v, at
	}
	list, mark, err := sch.Outbox.Since(ctx, sch.mark)
	if err != nil {
		return false, err
	}
	if sch.mark != (account.Mark{}) && (mark.Epoch != sch.mark.Epoch || mark.Change < sch.mark.Change) {
		return true, nil
	}
	if sch.mark != mark {
		if err := sch.forgetDeleted(ctx); err != nil {
			return false, err
		}
	}
	sch.mark = mark
	for i := range list {
		sch.note(&list[i])
	}
	sch.compare(v, at)
	sch.compareLists()
	for w, due := range sch.later {
		if due <= at {
			sch.wake(w)
		}
	}
	return false, nil
}

// forgetDeleted forgets the subscriptions that are no longer stored.
func (sch *schedule) forgetDeleted(ctx context.Context) error {
	stored, err := sch.Outbox.IDs(ctx)
	if err != nil {
		return err
	}
	for id, w := range sch.subscribers {
		if _, found := slices.BinarySearch(stored, id); !found {
			sch.forget(w)
		}
	}
	return nil
}

// compare finds games that have changed since the last comparison, and their subscriptions.
func (sch *schedule) compare(v *index.View, at int64) {
	if v == sch.view && v.PassedEnds(at) == v.PassedEnds(sch.at) {
		return
	}
	before, beforeAt, since := sch.view, sch.at, v.Since(sch.view.Seq, sch.at, at)
	sch.view, sch.at = v, at
	compared := newComparison(before, beforeAt, v, at)
	if outdates(before, v) {
		for _, w := range sch.subscribers {
			sch.wake(w)
		}
	}
	for _, g := range sch.games {
		card, served := g.card, g.served
		g.card, g.served = find(v, g.name)
		if served == g.served && !(g.served && since.Changed(g.card)) {
			continue
		}
		if served && g.served {
			compared.game(card, g.card)
		}
		for _, w := range g.subscribers {
			// One with a newer cursor than the former view has seen prices that this process has not.
			known := served && g.served && w.seq <= before.Seq && w.at <= beforeAt
			if known && !compared.concerns(&w.filter, w.rule) {
				continue
			}
			sch.setDue(w, g.name)
		}
	}
}

// outdates reports whether cursors of a view, or of earlier ones, cannot be compared with a later view.
func outdates(before, v *index.View) bool {
	return before.Source != v.Source || before.Seq != v.Seq && !v.KnowsChanges()
}

// setDue notes that a game of a subscription is due, and makes it ready if it does nothing else.
func (sch *schedule) setDue(w *subscriber, name string) {
	w.add(name)
	if w.phase == idle {
		sch.enqueue(w)
	}
}

// note takes over a subscription that is new or was changed.
func (sch *schedule) note(s *Subscription) {
	w := sch.subscribers[s.ID]
	if w == nil {
		w = &subscriber{id: s.ID, filter: s.Filter, rule: rule{RegionsText(s.Regions), s.When, s.Amount}, seq: s.Cursor.Seq, at: s.Cursor.At}
		w.filter.Games = nil
		sch.subscribers[s.ID] = w
		if s.Deals != "" {
			sch.join(w, s)
		} else {
			sch.watch(w, s)
		}
	}
	w.host = s.Host()
	switch isOff := s.OffAt != 0; {
	case isOff && w.phase != busy: // a turn finds it off
		delete(sch.later, w)
		w.phase = off
	case !isOff && w.phase == off:
		if w.list != nil {
			w.compareList(s)
		}
		sch.enqueue(w)
	default:
		sch.wake(w)
	}
}

// watch notes the games of a subscription that is new to the schedule.
func (sch *schedule) watch(w *subscriber, s *Subscription) {
	w.games = make([]*game, 0, len(s.Games))
	since := sch.view.Since(s.Cursor.Seq, s.Cursor.At, sch.at)
	for _, name := range s.Games {
		g := sch.addGame(w, name)
		// A newer cursor than the view is of another process: what changes until then becomes due
		// with the views to come.
		if s.Cursor.Seq <= sch.view.Seq && !(g.served && !since.Changed(g.card)) {
			w.add(name)
		}
	}
}

// add notes that a game is due.
func (w *subscriber) add(name string) {
	if w.due == nil {
		w.due = map[string]bool{}
	}
	w.due[name] = true
}

// addGame notes that a subscription has a game.
func (sch *schedule) addGame(w *subscriber, name string) *game {
	g := sch.games[name]
	if g == nil {
		g = &game{name: name}
		g.card, g.served = find(sch.view, name)
		sch.games[name] = g
	}
	g.subscribers, w.games = append(g.subscribers, w), append(w.games, g)
	return g
}

// removeGame notes that a subscription no longer has a game.
func (sch *schedule) removeGame(w *subscriber, name string) {
	i := w.position(name)
	if i < 0 {
		return
	}
	g := w.games[i]
	w.games = slices.Delete(w.games, i, i+1)
	delete(w.due, name)
	g.subscribers = slices.DeleteFunc(g.subscribers, func(other *subscriber) bool { return other == w })
	if len(g.subscribers) == 0 {
		delete(sch.games, name)
	}
}

// forget forgets a subscription. A turn of it that runs, or is to run, finds that it is deleted.
func (sch *schedule) forget(w *subscriber) {
	for len(w.games) > 0 {
		sch.removeGame(w, w.games[len(w.games)-1].name)
	}
	if w.list != nil {
		sch.leave(w)
	}
	delete(sch.later, w)
	delete(sch.subscribers, w.id)
}

// position returns where a subscription has a game; -1 if it does not.
func (w *subscriber) position(name string) int {
	return slices.IndexFunc(w.games, func(g *game) bool { return g.name == name })
}

// wake makes a subscription ready that is on, even if it waits for something.
func (sch *schedule) wake(w *subscriber) {
	switch w.phase {
	case busy:
		w.again = true
	case idle, waiting:
		delete(sch.later, w)
		sch.enqueue(w)
	}
}

// enqueue makes a subscription ready that is not busy.
func (sch *schedule) enqueue(w *subscriber) {
	w.phase = busy
	sch.ready = append(sch.ready, w)
}

// start starts the turns of subscriptions that are ready.
func (sch *schedule) start(ctx context.Context) {
	for sch.running < atOnce && len(sch.ready) > 0 {
		w := sch.ready[0]
		sch.ready = sch.ready[1:]
		h := sch.hosts[w.host]
		if h == nil {
			h = &host{}
			sch.hosts[w.host] = h
		}
		if h.running == atOnceHost {
			h.waiting = append(h.waiting, w)
			continue
		}
		h.running++
		sch.running++
		st := turn{Sender: sch.Sender, held: sch.held, id: w.id, view: sch.view, at: sch.at, games: make([]string, 0, len(w.games)), claimed: w.claimed}
		for _, g := range w.games {
			st.games = append(st.games, g.name)
		}
		if l := w.list; l != nil {
			st.view, st.at, st.deals = l.view, l.at, l.found
		}
		for name := range w.due {
			st.due = append(st.due, name)
		}
		w.due, w.again = nil, false
		go func(hostname string) {
			r := st.run(ctx)
			r.w, r.host = w, hostname
			sch.results <- r
		}(w.host)
	}
}

// finish takes over the result of a turn.
func (sch *schedule) finish(r result) {
	w, h := r.w, sch.hosts[r.host]
	sch.running--
	h.running--
	for next := true; next && len(h.waiting) > 0; h.waiting = h.waiting[1:] {
		sch.ready = append(sch.ready, h.waiting[0])
		next = h.waiting[0].host != r.host // its owner has moved it: the turn is the next one's
	}
	if h.running == 0 && len(h.waiting) == 0 {
		delete(sch.hosts, r.host)
	}
	w.phase, w.claimed = idle, w.claimed || r.claimed
	if r.deleted {
		sch.forget(w)
		return
	}
	for _, name := range r.gone {
		sch.removeGame(w, name)
	}
	for _, name := range r.added {
		if w.list == nil && w.position(name) < 0 {
			sch.addGame(w, name)
			w.add(name) // it may have changed since
		}
	}
	for _, name := range r.left {
		if w.list != nil || w.position(name) >= 0 {
			w.add(name)
		}
	}
	switch {
	case w.again:
		sch.enqueue(w)
	case r.off:
		w.phase = off
	case r.wait > 0:
		w.phase, sch.later[w] = waiting, r.wait
	case r.again || len(w.due) > 0:
		sch.enqueue(w)
	}
}

// result is what came of a turn.
type result struct {
	w           *subscriber
	host        string
	deleted     bool
	off         bool
	left        []string // games that are still due
	gone, added []string // games that the subscription no longer has, and has now
	wait        int64    // nothing is to be done before this time; 0: at any time
	again       bool     // there is more to do
	claimed     bool     // the subscription was stored
}
