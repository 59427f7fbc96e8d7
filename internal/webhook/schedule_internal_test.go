package webhook

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/index"
)

func newTestSchedule(t *testing.T) *schedule {
	shop := &Shop{Games: map[string]map[string]Offer{}}
	sch := &schedule{Sender: &Sender{View: func() *index.View { return nil }}, view: shop.Publish(t, "db"), subscribers: map[string]*subscriber{},
		games: map[string]*game{}, lists: map[string]*dealList{}, hosts: map[string]*host{}, later: map[*subscriber]int64{}}
	return sch
}

// memoryOutbox has subscriptions in memory, each change of which moves the mark.
type memoryOutbox struct {
	Outbox
	stored []Subscription
	change int64
}

func (o *memoryOutbox) Since(_ context.Context, since account.Mark) (list []Subscription, upTo account.Mark, err error) {
	if since.Change != o.change {
		list = o.stored
	}
	return list, account.Mark{Change: o.change}, nil
}

func (o *memoryOutbox) IDs(context.Context) (ids []string, err error) {
	for i := range o.stored {
		ids = append(ids, o.stored[i].ID)
	}
	return ids, nil
}

// TestDeletedSubscriptionsAreForgotten deletes subscriptions: one that is off, one that waits, and one whose step runs.
func TestDeletedSubscriptionsAreForgotten(t *testing.T) {
	sch := newTestSchedule(t)
	stored := &memoryOutbox{change: 1}
	for i := range 4 {
		stored.stored = append(stored.stored, Subscription{ID: fmt.Sprint("whk_", i), URL: "https://shop.example/", OffAt: int64(i % 2), Filter: Filter{Games: []string{"consolestore/GAME0001"}}})
	}
	for i := range 2 {
		stored.stored = append(stored.stored, Subscription{ID: fmt.Sprint("whk_deals", i), URL: "https://shop.example/", Filter: Filter{Deals: "?"}})
	}
	sch.Outbox, sch.View, sch.Now = stored, func() *index.View { return sch.view }, time.Now
	look := func() {
		t.Helper()
		if again, err := sch.look(t.Context()); again || err != nil {
			t.Fatal(again, err)
		}
	}
	look()
	if l := sch.lists["?"]; len(sch.lists) != 1 || l == nil || len(l.subscribers) != 2 {
		t.Errorf("subscriptions to the same deals have not one list: %v", sch.lists)
	}
	runs, waits := sch.subscribers["whk_0"], sch.subscribers["whk_2"]
	sch.ready, sch.running = nil, 1
	sch.hosts["shop.example"] = &host{running: 1}
	waits.phase, sch.later[waits] = waiting, time.Now().Add(time.Hour).UnixMilli()
	stored.stored, stored.change = stored.stored[3:4], 2
	look()
	if len(sch.subscribers) != 1 || len(sch.games["consolestore/GAME0001"].subscribers) != 1 || len(sch.later) != 0 || len(sch.lists) != 0 {
		t.Errorf("%d subscriptions, %d of the game, %d wait", len(sch.subscribers), len(sch.games["consolestore/GAME0001"].subscribers), len(sch.later))
	}
	sch.finish(result{w: runs, host: "shop.example", deleted: true})
	if len(sch.subscribers) != 1 || sch.running != 0 || len(sch.hosts) != 0 {
		t.Errorf("after the step: %d subscriptions, %d steps, hosts %v", len(sch.subscribers), sch.running, sch.hosts)
	}
}

// TestListOfSuccessor deletes the only subscription to a list while its step runs. The step does not take the
// list from one that was created with the same filter in the meantime.
func TestListOfSuccessor(t *testing.T) {
	sch := newTestSchedule(t)
	former, next := Subscription{ID: "whk_a", Filter: Filter{Deals: "?"}}, Subscription{ID: "whk_b", Filter: Filter{Deals: "?"}}
	sch.note(&former)
	runs := sch.subscribers["whk_a"]
	sch.hosts[""], sch.running = &host{running: 1}, 1
	sch.forget(runs)
	sch.note(&next)
	sch.finish(result{w: runs, deleted: true})
	if l := sch.lists["?"]; l == nil || l != sch.subscribers["whk_b"].list {
		t.Errorf("the lists are %v: whk_b would miss all deals", sch.lists)
	}
}

// TestDueDealsWhileOff turns a subscription to deals off, and on again after its list has changed. Nothing is collected
// meanwhile, because it can be off for years.
func TestDueDealsWhileOff(t *testing.T) {
	sch := newTestSchedule(t)
	turkey := func(games ...string) *index.View {
		shop := &Shop{Seq: sch.view.Seq, Games: map[string]map[string]Offer{}}
		for _, id := range games {
			shop.Games[id] = map[string]Offer{"TR": {Amount: 500, Currency: "TRY", Percent: 50}}
		}
		return shop.Publish(t, "db")
	}
	s := Subscription{ID: "whk_a", Filter: Filter{Deals: "?regions=TR"}, OffAt: 1}
	sch.note(&s)
	w := sch.subscribers["whk_a"]
	for _, game := range []string{"GAME0001", "GAME0002", "GAME0003"} {
		sch.view = turkey(game)
		sch.compareLists()
	}
	if len(w.due) > 0 || w.phase != off {
		t.Errorf("while it is off, %v are collected (phase %d)", w.due, w.phase)
	}
	s.OffAt, s.Games = 0, []string{"consolestore/GAME0001"}
	sch.note(&s)
	if len(w.due) != 2 || !w.due["consolestore/GAME0001"] || !w.due["consolestore/GAME0003"] || w.phase != busy {
		t.Errorf("when it is on again, %v are due (phase %d), want the game that left and the one that is new", w.due, w.phase)
	}
}

// TestMovedWhileWaiting has subscriptions that wait for their host when their owners move them to another one. Those that
// still wait get their turn.
func TestMovedWhileWaiting(t *testing.T) {
	sch := newTestSchedule(t)
	full := &host{running: 1}
	sch.hosts["a.example"] = full
	sch.running = 1
	for i := range 3 {
		full.waiting = append(full.waiting, &subscriber{id: fmt.Sprint(i), host: map[bool]string{true: "sch.example", false: "a.example"}[i < 2], phase: busy})
	}
	last := full.waiting[2]
	sch.finish(result{w: &subscriber{}, host: "a.example"})
	if len(sch.ready) != 3 || sch.ready[2] != last || len(sch.hosts) != 0 {
		t.Errorf("%d are ready, hosts %v", len(sch.ready), sch.hosts)
	}
}
