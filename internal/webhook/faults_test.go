package webhook_test

import (
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/webhook"
)

// TestSuccessorsAreFollowed has a game that moves while the database fails, and one that moves while it is restored: the
// changes of the successor are sent.
func TestSuccessorsAreFollowed(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		types  string
	}{
		"a try is not stored":  {"db", "prices.changed prices.changed"},
		"the database changes": {"restored", "prices.resync prices.changed prices.changed"},
	} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				w.set("GAME0001", 1000)
				w.publish("db")
				w.subscribe(webhook.Filter{When: webhook.WhenChange}, "GAME0001")
				defer w.start()()
				time.Sleep(5 * time.Second)
				w.fails.Store(c.source == "db")
				delete(w.shop.Games, "GAME0001")
				w.shop.Moved = map[string][]string{"GAME0001": {"GAME0004"}}
				w.set("GAME0004", 700)
				w.publish(c.source)
				time.Sleep(3 * time.Second)
				w.set("GAME0004", 600)
				w.publish(c.source)
				time.Sleep(time.Minute)
				mirror, moved, types := content(w.t, w.delivered())
				if mirror["GAME0004"]["TR"] != 600 || len(moved["GAME0001"]) != 1 || types != c.types {
					t.Errorf("%v, moved %v, types %s\nlog: %s", mirror, moved, types, &w.log)
				}
			})
		})
	}
}

// TestViewBehindTheSubscription makes a subscription in a process with a newer view. A discount ends before the sender has
// that view: this is sent when it has.
func TestViewBehindTheSubscription(t *testing.T) {
	bubble(t, func(w *world) {
		w.set("GAME0001", 1000, func(o *webhook.Offer) { o.Percent, o.EndsAt = 5, catalog.MillisOf(time.Now().Add(10*time.Second)) })
		w.publish("db")
		behind := w.view.Load()
		w.set("GAME0002", 1000)
		w.publish("db")
		newer := w.view.Load()
		w.subscribe(webhook.Filter{When: webhook.WhenChange}, "GAME0001")
		w.view.Store(behind)
		defer w.start()()
		time.Sleep(time.Minute)
		if n := len(w.delivered()); n > 0 {
			t.Errorf("%d messages of an older view", n)
		}
		w.view.Store(newer)
		time.Sleep(time.Minute)
		if mirror, _, _ := content(w.t, w.delivered()); mirror["GAME0001"]["TR"] != 1100 {
			t.Errorf("%v\nlog: %s", mirror, &w.log)
		}
	})
}

// TestFormerHolderIsRefused has a process that compared prices, was stopped through its lease, and stores what it found
// after another one compared newer prices, which are as at first.
func TestFormerHolderIsRefused(t *testing.T) {
	bubble(t, func(w *world) {
		w.set("GAME0001", 1000)
		w.publish("db")
		s := w.subscribe(webhook.Filter{When: webhook.WhenChange}, "GAME0001")
		stopped, _, err := w.db.Webhooks.Load(w.t.Context(), s.ID, s.Games)
		webhook.Must(t, err)
		w.set("GAME0001", 900)
		w.publish("db")
		w.set("GAME0001", 1000)
		w.publish("db")
		defer w.start()()
		time.Sleep(5 * time.Second)
		stopped.Message = webhook.Message{ID: "msg_1", Body: []byte(`{"data":{}}`)}
		if saved, err := w.db.Webhooks.Save(w.t.Context(), stopped, webhook.Outcome{NewMessage: true}); saved || err != nil {
			t.Errorf("what a former holder found is stored: %v, %v", saved, err)
		}
	})
}
