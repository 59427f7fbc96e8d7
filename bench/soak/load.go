package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// key is a key of the API.
type key struct{ id, token string }

// request is one that clients send.
type request struct {
	route, path string
	body        string // of a POST; "" is a GET
	may         []int  // statuses beside 200
}

// card is a game that can be asked for.
type card struct{ ID, Platform, Title string }

// mixed returns a random request of those that clients send, in the proportions of
// ordinary use.
func mixed(rng *rand.Rand, cards []card) request {
	get := func(route, path string, may ...int) request {
		return request{route: route, path: "/api/v1" + path, may: may}
	}
	c := cards[rng.IntN(len(cards))]
	ids := func(n int) (list []string) {
		for range n {
			list = append(list, cards[rng.IntN(len(cards))].ID)
		}
		return list
	}
	words := strings.Fields(c.Title)
	word := words[rng.IntN(len(words))]
	switch n := rng.IntN(100); {
	case n < 22:
		return get("search", "/catalog/search?includeRelated=1&q="+url.QueryEscape(c.Title))
	case n < 42:
		letters := []rune(word + "  ") // at least two
		return get("suggest", "/catalog/suggest?q="+url.QueryEscape(strings.TrimSpace(string(letters[:2+rng.IntN(len(letters)-2)])))+"+"+url.QueryEscape(words[0]))
	case n < 62:
		body, _ := json.Marshal(map[string]any{"ids": ids(40), "regions": "all", "include": "lows,url"}) // strings can be encoded
		return request{route: "prices", path: "/api/v1/catalog/prices", body: string(body)}
	case n < 76 && c.Platform == "pcstore":
		return get("card", "/catalog/pcstore/games/"+url.PathEscape(c.ID), http.StatusNotFound)
	case n < 76:
		return get("card", "/catalog/games/"+url.PathEscape(c.ID), http.StatusNotFound)
	case n < 84:
		return get("history", "/catalog/history?ids="+url.QueryEscape(strings.Join(ids(3), ",")))
	case n < 89:
		return get("deals", "/catalog/deals?regions=all&minDiscount=20&limit=20&sort="+[]string{"discount", "usd", "ends", "started"}[rng.IntN(4)])
	case n < 93:
		return get("browse", "/catalog/browse?limit=50&facets=types,genres&sort="+[]string{"title", "added", "popularity"}[rng.IntN(3)])
	case n < 95:
		return get("usage", "/account/usage")
	case n < 97:
		return request{route: "rates", path: ratesPath}
	case n < 98:
		return get("platforms", "/catalog/platforms")
	}
	return me
}

var me = request{route: "me", path: "/api/v1/account/me"}

const ratesPath = "/api/v1/catalog/exchange-rates"

// clients send requests with the keys of the load, all at an even pace.
const clients = 16

// load sends requests until ctx ends.
func (s *soak) load(ctx context.Context, client int) {
	rng := s.run.Rng(uint64(client + 100))
	paced(ctx, time.Second*clients/time.Duration(s.rate), func(i int) {
		keys := s.keys[0]
		if s.steady.Load() {
			keys = s.keys[1]
		}
		k := keys[rng.IntN(len(keys))]
		s.askAny(ctx, i+client, k, mixed(rng, *s.cards.Load()))
	})
}

// exhaust sends more requests with a key than its limit of a minute.
func (s *soak) exhaust(ctx context.Context, k key) {
	q := me
	q.may = []int{http.StatusTooManyRequests}
	paced(ctx, 700*time.Millisecond, func(i int) { s.askAny(ctx, i, k, q) })
}

// paced calls f again and again until ctx ends.
func paced(ctx context.Context, pace time.Duration, f func(i int)) {
	tick := time.NewTicker(pace)
	defer tick.Stop()
	for i := 0; ; i++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			f(i)
		}
	}
}

// askAny sends a request to the next node that answers, and waits for one.
func (s *soak) askAny(ctx context.Context, i int, k key, q request) {
	for ctx.Err() == nil {
		for j := range s.answering {
			n := s.answering[(i+j)%len(s.answering)]
			if n.take() {
				s.ask(n, k, q)
				n.done()
				return
			}
		}
		time.Sleep(20 * time.Millisecond) // all are being replaced
	}
}

// ask sends a request to a node that the caller has taken, and enters it in the ledger.
func (s *soak) ask(n *node, k key, q request) (status int, body []byte) {
	began := time.Now()
	res, body, err := s.send(n, k, q)
	if err != nil {
		s.book.unanswered(n, k.id)
		if !n.killed.Load() {
			s.book.fail("%s: no answer: %v", q.route, err)
		}
		return 0, nil
	}
	s.book.answered(n, k.id, time.Since(began), res.StatusCode, res.Header)
	if res.StatusCode != http.StatusOK && !slices.Contains(q.may, res.StatusCode) {
		s.book.fail("%s: status %d: %.300s", q.route, res.StatusCode, errorCode(body))
	}
	if q.route == "usage" && res.StatusCode == http.StatusOK {
		s.checkUsage(body)
	}
	return res.StatusCode, body
}

func (s *soak) send(n *node, k key, q request) (*http.Response, []byte, error) {
	method := http.MethodGet
	if q.body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequest(method, "http://"+n.addr+q.path, strings.NewReader(q.body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+k.token)
	r.Header.Set("Content-Type", "application/json")
	res, err := s.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res, body, err
}

// errorCode returns the code of an error, so that equal ones are counted together.
func errorCode(body []byte) string {
	var e struct{ Error struct{ Code string } }
	if json.Unmarshal(body, &e) != nil || e.Error.Code == "" {
		return string(body)
	}
	return e.Error.Code
}

func (s *soak) checkUsage(body []byte) {
	type window struct{ Limit, Used int }
	var u struct{ Data struct{ Minute, Day window } }
	if err := json.Unmarshal(body, &u); err != nil {
		s.book.fail("usage: %v", err)
	}
	for _, w := range []window{u.Data.Minute, u.Data.Day} {
		if w.Used > w.Limit || w.Used < 1 {
			s.book.fail("usage: %d of %d requests are used", w.Used, w.Limit)
		}
	}
}

// readCards reads what clients ask for.
func (s *soak) readCards(ctx context.Context) error {
	var page struct{ Data struct{ Items []card } }
	n := s.answering[0]
	if !n.take() {
		return nil // the cards of before are good enough
	}
	defer n.done()
	status, body := s.ask(n, s.keys[0][0], request{route: "browse", path: "/api/v1/catalog/browse?limit=1000&sort=title"})
	if status == 0 {
		return nil // the ledger knows
	}
	if err := json.Unmarshal(body, &page); err != nil {
		return fmt.Errorf("read cards: status %d: %w", status, err)
	}
	if len(page.Data.Items) == 0 {
		return fmt.Errorf("read cards: status %d, no cards", status)
	}
	s.cards.Store(&page.Data.Items)
	return nil
}
