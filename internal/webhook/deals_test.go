package webhook_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/webhook"
)

// dealsModel is a naive evaluator of a subscription to discounts of 30 % and more.
type dealsModel struct {
	w       *world
	sent    map[string]bool
	pending string // what the message has that is not delivered; "": there is none
	want    []string
}

// listed returns the games that are deals now.
func (m *dealsModel) listed() map[string]bool {
	list := map[string]bool{}
	for id, prices := range m.w.shop.Games {
		o, sold := prices["TR"]
		if ends := int64(o.EndsAt); sold && o.Percent >= 30 && o.Amount.Known() && o.ForAll() && (ends == 0 || ends > time.Now().UnixMilli()) {
			list[id] = true
		}
	}
	return list
}

// evaluate does what a sender does when it compares, unless a message waits.
func (m *dealsModel) evaluate() {
	if m.pending != "" {
		return
	}
	now := m.listed()
	for id := range m.sent {
		if _, served := m.w.shop.Games[id]; !served && !now[id] {
			for _, successor := range m.w.shop.Moved[id] {
				m.sent[successor] = true
			}
		}
	}
	var entered []string
	for id := range now {
		if !m.sent[id] {
			entered = append(entered, id)
		}
	}
	slices.Sort(entered)
	m.sent, m.pending = now, strings.Join(entered, " ")
}

// deliver does what a sender does while the receiver answers.
func (m *dealsModel) deliver() {
	for m.evaluate(); m.pending != ""; m.evaluate() {
		m.want = append(m.want, m.pending)
		m.pending = ""
	}
}

// contents returns of each message the ids of its games, or its type if it has none.
func contents(t testing.TB, list []message) (texts []string) {
	t.Helper()
	for _, m := range list {
		var body struct {
			Type string
			Data struct {
				Items []struct {
					ID      string
					Regions map[string]any
				}
			}
		}
		if err := json.Unmarshal([]byte(m.body), &body); err != nil {
			t.Fatalf("%v: %s", err, m.body)
		}
		var ids []string
		for _, item := range body.Data.Items {
			if ids = append(ids, item.ID); len(item.Regions) != 1 || item.Regions["TR"] == nil {
				t.Errorf("%s has the regions %v, want TR", item.ID, item.Regions)
			}
		}
		if len(ids) == 0 {
			ids = []string{body.Type}
		}
		texts = append(texts, strings.Join(ids, " "))
	}
	return texts
}

// seeds returns how many random histories a test plays.
func seeds() uint64 {
	if os.Getenv("GAMEDEX_WORLD") == "full" {
		return 3
	}
	return 1
}

// TestDealsAgainstModel compares what a subscription to deals is sent with a naive evaluator, over random histories:
// prices change, discounts end, games move and go, the database is restored, the receiver is away, senders die.
func TestDealsAgainstModel(t *testing.T) {
	for seed := range seeds() {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			bubble(t, func(w *world) {
				w.every, w.ttl = 5*time.Second, 20*time.Second
				rnd := rand.New(rand.NewPCG(seed, 11))
				half := time.Now().Add(30 * time.Minute) // discounts end at halves of hours, changes come at whole ones
				change := func(id string) {
					w.set(id, []money.Amount{0, 500, 1000, money.None}[rnd.IntN(4)], func(o *webhook.Offer) {
						if o.Percent = []int{0, 20, 30, 60}[rnd.IntN(4)]; rnd.IntN(2) == 0 {
							o.EndsAt = catalog.MillisOf(half.Add(time.Duration(rnd.IntN(4)) * time.Hour))
						}
						switch rnd.IntN(10) {
						case 0:
							*o = o.Doubtful()
						case 1:
							*o = o.Trial()
						}
					})
				}
				for i := range 12 {
					change(fmt.Sprintf("GAME%04d", i))
				}
				source, next := "db", 12
				w.publish(source)
				m := &dealsModel{w: w}
				m.sent = m.listed()
				s := w.subscribe(inTurkey("?minDiscount=30&regions=TR"))
				kill, away := w.start(), false
				for step := range 50 {
					ids := slices.Sorted(maps.Keys(w.shop.Games))
					restored := false
					luck := rnd.IntN(12)
					if time.Until(half) < 5*time.Minute {
						luck = 0
					} else if away && rnd.IntN(3) == 0 {
						luck = 5
					}
					switch luck {
					case 0: // time passes
						time.Sleep(time.Until(half) + 30*time.Minute)
						half = half.Add(time.Hour)
					case 1: // a game moves
						from, to := ids[rnd.IntN(len(ids))], fmt.Sprintf("GAME%04d", next)
						w.shop.Games[to] = w.shop.Games[from]
						delete(w.shop.Games, from)
						w.shop.Moved = follow(w.shop.Moved, from, to)
						next++
					case 2:
						delete(w.shop.Games, ids[rnd.IntN(len(ids))])
						change(fmt.Sprintf("GAME%04d", next))
						next++
					case 3:
						source, restored = fmt.Sprint("restored ", step), true
					case 4:
						kill()
						kill = w.start()
					case 5:
						away = !away
						status := 200
						if away {
							status = 500
						}
						w.setReceiver(func(webhook.Message) (int, http.Header, error) { return status, nil, nil })
						if _, err := w.db.Webhooks.Update(w.t.Context(), s.ID, func(s *webhook.Subscription) error {
							s.Message.Failures, s.Message.NextTry = 0, 0
							return nil
						}); err != nil {
							t.Fatal(err)
						}
					default:
						for range 1 + rnd.IntN(4) {
							change(ids[rnd.IntN(len(ids))])
						}
					}
					w.publish(source)
					if restored {
						m.pending, m.sent = "prices.resync", m.listed()
					}
					time.Sleep(40 * time.Second) // longer than the lease of a sender that died
					if m.evaluate(); !away {
						m.deliver()
					}
					if diff := cmp.Diff(m.want, contents(w.t, w.delivered())); diff != "" {
						t.Fatalf("step %d (-want +got):\n%s\nlog: %s", step, diff, &w.log)
					}
				}
				kill()
				if len(m.want) < 8 {
					t.Errorf("only %d messages", len(m.want))
				}
			})
		})
	}
}

// inTurkey returns a filter of deals in Turkey.
func inTurkey(deals string) webhook.Filter {
	return webhook.Filter{Deals: deals, Regions: selection.Regions{Codes: []catalog.Region{catalog.MustRegion("TR")}}, When: webhook.WhenDeal}
}

// follow returns what former ids have become after another one moved.
func follow(moved map[string][]string, from, to string) map[string][]string {
	now := map[string][]string{from: {to}}
	for id, successors := range moved {
		if now[id] = successors; slices.Contains(successors, from) {
			now[id] = []string{to}
		}
	}
	return now
}

// TestEndOfALongList has games at the end of what is compared of a list. Those that come from the second half are not new;
// those that come from behind it are.
func TestEndOfALongList(t *testing.T) {
	bubble(t, func(w *world) {
		percent := func(id string, percent int) {
			w.set(id, 1000, func(o *webhook.Offer) { o.Percent = percent })
		}
		for i := range webhook.MaxGames + 2 {
			percent(fmt.Sprintf("GAME%04d", i), 50)
		}
		w.publish("db")
		w.subscribe(inTurkey("?regions=TR"))
		defer w.start()()
		want := []string{}
		for _, c := range []struct {
			id      string
			percent int
			isNew   bool
		}{
			{"GAME0700", 60, false}, {"GAME0700", 50, false}, {"GAME1001", 60, true}, {"GAME1001", 55, false}, {"GAME1001", 50, false}, {"GAME1001", 60, true},
			{"GAME0003", 40, false}, {"GAME0003", 70, true},
		} {
			percent(c.id, c.percent)
			w.publish("db")
			if time.Sleep(10 * time.Second); c.isNew {
				want = append(want, c.id)
			}
			if diff := cmp.Diff(want, contents(w.t, w.delivered()), cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("%+v (-want +got):\n%s\nlog: %s", c, diff, &w.log)
			}
		}
	})
}

// TestManyDealsAtOnce has more deals at once than a message may have: they come in several, each game once.
func TestManyDealsAtOnce(t *testing.T) {
	bubble(t, func(w *world) {
		w.set("GAME9999", 1000)
		w.publish("db")
		w.subscribe(webhook.Filter{Deals: "?", When: webhook.WhenDeal})
		defer w.start()()
		for i := range 250 {
			id := fmt.Sprintf("GAME%04d", i)
			w.shop.Games[id] = map[string]webhook.Offer{"UA": {Amount: 1000, Currency: "UAH", Percent: 20}}
		}
		w.publish("db")
		time.Sleep(time.Minute)
		list := w.delivered()
		mirror, _, types := content(w.t, list)
		if len(mirror) != 250 || types != "prices.changed prices.changed prices.changed" {
			t.Errorf("%d games in messages of types %s", len(mirror), types)
		}
	})
}
