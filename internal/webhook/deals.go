package webhook

import (
	"slices"
	"time"

	"gamedex/internal/api/params"
	"gamedex/internal/index"
	"gamedex/internal/lists/deals"
)

// The limits of subscriptions to deals.
const (
	MaxDealsLen = 2000 // bytes of Filter.Deals
	MaxDeals    = 1000 // different values of Filter.Deals, of all subscriptions

	newDeals  = 500                    // games at the beginning of a list that are sent
	dealsTime = 200 * time.Millisecond // for lists, until other work is due
)

// dealSet has the first MaxGames games of a list of deals by name. A game that is not remembered is sent if
// its value is true: it is among the first newDeals. One that is remembered is forgotten when it leaves the set.
// The difference keeps games at the end of a long list from being sent again and again.
type dealSet map[string]bool

// findDeals returns what GET /catalog/deals lists at now for [Filter.Deals].
func findDeals(filter string, v *index.View, now int64) dealSet {
	var query params.Query
	query.Parse(filter[1:])
	q, regions := query.Deals() // its faults were found when the subscription was made
	q.Regions, q.Limit = regions.NumbersOrFirst(v), MaxGames
	set := dealSet{}
	for i, item := range deals.Find(v, q, now).Items {
		set[GameID(item.Card)] = i < newDeals
	}
	return set
}

// changedSince returns the games that may have to be sent or forgotten.
func (s dealSet) changedSince(before dealSet) (games []string) {
	for game, isNew := range s {
		if isNew && !before[game] {
			games = append(games, game)
		}
	}
	for game := range before {
		if _, stays := s[game]; !stays {
			games = append(games, game)
		}
	}
	return games
}

// dealList is a list of deals. Subscriptions with the same filter share it.
type dealList struct {
	filter      string // see [Filter.Deals]
	subscribers []*subscriber
	view        *index.View // in which the deals were found
	at          int64       // when
	found       dealSet
}

// join adds a subscription that is new to the schedule to the list of its filter.
func (sch *schedule) join(w *subscriber, s *Subscription) {
	l := sch.lists[s.Deals]
	if l == nil {
		l = &dealList{filter: s.Deals, view: sch.view, at: sch.at, found: findDeals(s.Deals, sch.view, sch.at)}
		sch.lists[s.Deals] = l
	}
	w.list, l.subscribers = l, append(l.subscribers, w)
	w.compareList(s)
}

// compareList finds the games that are due from what is remembered of a subscription to deals.
func (w *subscriber) compareList(s *Subscription) {
	remembered := dealSet{}
	for _, game := range s.Games {
		remembered[game] = true
	}
	w.due = nil
	for _, game := range w.list.found.changedSince(remembered) {
		w.add(game)
	}
}

// leave takes a subscription from its list.
func (sch *schedule) leave(w *subscriber) {
	l := w.list
	l.subscribers = slices.DeleteFunc(l.subscribers, func(other *subscriber) bool { return other == w })
	if len(l.subscribers) == 0 && sch.lists[l.filter] == l { // w can leave twice, and others have a new list then
		delete(sch.lists, l.filter)
	}
}

// compareLists finds the deals of the newest view, and the subscriptions whose lists have changed. It takes about
// dealsTime; lists that are left are compared later.
func (sch *schedule) compareLists() {
	began := time.Now()
	for _, l := range sch.lists {
		if l.view == sch.view && sch.view.PassedEnds(l.at) == sch.view.PassedEnds(sch.at) {
			continue
		}
		if time.Since(began) > dealsTime {
			return
		}
		before := *l
		l.view, l.at, l.found = sch.view, sch.at, findDeals(l.filter, sch.view, sch.at)
		changed := l.found.changedSince(before.found)
		for _, w := range l.subscribers {
			if w.phase == off { // note compares the whole list when it is turned on
				continue
			}
			for _, game := range changed {
				sch.setDue(w, game)
			}
			if outdates(before.view, l.view) {
				sch.wake(w)
			}
		}
	}
}

// evaluateDeals is evaluate for a subscription to deals. The successors of games that were sent are no new deals.
func (e *evaluation) evaluateDeals(games []string) (left []string) {
	var enter []string
	moved := map[string]bool{}
	for _, game := range games {
		_, stays := e.deals[game]
		_, sent := e.states[game]
		switch {
		case sent && !stays:
			e.Gone = append(e.Gone, game)
			if _, ok := find(e.view, game); !ok {
				e.follow(game, moved)
			}
		case !sent && e.deals[game]:
			enter = append(enter, game)
		}
	}
	for i, game := range enter {
		if moved[game] {
			continue
		}
		before := e.collected
		if c, ok := find(e.view, game); ok && !e.silent {
			e.addItem(c)
		}
		if e.isFull() && before.cards > 0 {
			e.collected = before
			return enter[i:]
		}
		e.Served = append(e.Served, Served{Game: game})
	}
	return nil
}

// follow remembers the successors of a game that are in the list, and adds them to moved.
func (e *evaluation) follow(game string, moved map[string]bool) {
	for _, c := range successors(e.view, game) {
		name := GameID(c)
		if _, listed := e.deals[name]; listed && !moved[name] {
			moved[name] = true
			e.Served = append(e.Served, Served{Game: name})
		}
	}
}
