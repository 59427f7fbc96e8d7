package webhook

import (
	"context"
	"fmt"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/index"
)

func newTestBoard(t *testing.T) *board {
	shop := &Shop{Games: map[string]map[string]Offer{}}
	b := &board{Sender: &Sender{View: func() *index.View { return nil }}, view: shop.Publish(t, "db"), watchers: map[string]*watcher{},
		games: map[string]*game{}, hosts: map[string]*host{}, later: map[*watcher]int64{}}
	return b
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
	b := newTestBoard(t)
	stored := &memoryOutbox{change: 1}
	for i := range 4 {
		stored.stored = append(stored.stored, Subscription{ID: fmt.Sprint("whk_", i), URL: "https://shop.example/", OffAt: int64(i % 2), Filter: Filter{Games: []string{"consolestore/GAME0001"}}})
	}
	b.Outbox, b.View, b.Now = stored, func() *index.View { return b.view }, time.Now
	look := func() {
		t.Helper()
		if again, err := b.look(t.Context()); again || err != nil {
			t.Fatal(again, err)
		}
	}
	look()
	busy, waits := b.watchers["whk_0"], b.watchers["whk_2"]
	b.ready, b.running = nil, 1
	b.hosts["shop.example"] = &host{running: 1}
	waits.busy, b.later[waits] = false, time.Now().Add(time.Hour).UnixMilli()
	stored.stored, stored.change = stored.stored[3:], 2
	look()
	if len(b.watchers) != 1 || len(b.games["consolestore/GAME0001"].watchers) != 1 || len(b.later) != 0 {
		t.Errorf("%d subscriptions, %d of the game, %d wait", len(b.watchers), len(b.games["consolestore/GAME0001"].watchers), len(b.later))
	}
	b.finish(result{w: busy, host: "shop.example", deleted: true})
	if len(b.watchers) != 1 || b.running != 0 || len(b.hosts) != 0 {
		t.Errorf("after the step: %d subscriptions, %d steps, hosts %v", len(b.watchers), b.running, b.hosts)
	}
}

// TestMovedWhileWaiting has subscriptions that wait for their host when their owners move them to another one. Those that
// still wait get their turn.
func TestMovedWhileWaiting(t *testing.T) {
	b := newTestBoard(t)
	busy := &host{running: 1}
	b.hosts["a.example"] = busy
	b.running = 1
	for i := range 3 {
		busy.waiting = append(busy.waiting, &watcher{id: fmt.Sprint(i), host: map[bool]string{true: "b.example", false: "a.example"}[i < 2], busy: true})
	}
	last := busy.waiting[2]
	b.finish(result{w: &watcher{}, host: "a.example"})
	if len(b.ready) != 3 || b.ready[2] != last || len(b.hosts) != 0 {
		t.Errorf("%d are ready, hosts %v", len(b.ready), b.hosts)
	}
}
