package webhook

import (
	"fmt"
	"testing"

	"gamedex/internal/index"
)

func newTestBoard(t *testing.T) *board {
	shop := &Shop{Games: map[string]map[string]Offer{}}
	b := &board{Sender: &Sender{View: func() *index.View { return nil }}, view: shop.Publish(t, "db"), watchers: map[string]*watcher{},
		keys: map[string][]*watcher{}, games: map[string]*game{}, hosts: map[string]*host{}, later: map[*watcher]int64{}}
	return b
}

// TestDeletedSubscriptionsAreForgotten makes and deletes subscriptions all the time. A board does not hear of deletions: it
// looks for them when the key makes another one.
func TestDeletedSubscriptionsAreForgotten(t *testing.T) {
	b := newTestBoard(t)
	for i := range 100 {
		b.note(&Subscription{ID: fmt.Sprint("whk_", i), KeyID: "k", URL: "https://shop.example/", OffAt: int64(i % 2), Filter: Filter{Games: []string{"consolestore/GAME0001"}}})
		for _, w := range b.ready {
			h := b.hosts[w.host]
			if h == nil {
				h = &host{}
				b.hosts[w.host] = h
			}
			b.running++
			w.due, w.look = nil, false
			h.running++
			b.finish(result{w: w, host: w.host, deleted: w.id != fmt.Sprint("whk_", i)})
		}
		b.ready = nil
	}
	if len(b.watchers) > MaxOfKey || len(b.keys["k"]) > MaxOfKey || len(b.games["consolestore/GAME0001"].watchers) > MaxOfKey {
		t.Errorf("%d subscriptions, %d of the key, %d of the game", len(b.watchers), len(b.keys["k"]), len(b.games["consolestore/GAME0001"].watchers))
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
