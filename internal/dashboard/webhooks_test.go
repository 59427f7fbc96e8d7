package dashboard_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/testing/await"
	"gamedex/internal/webhook"
)

// receiverHosts are the receivers at private addresses that every world allows.
var receiverHosts = webhook.Hosts{"127.0.0.1"}

func (w *world) addHookKey(u account.User, name string) account.Key {
	w.t.Helper()
	k, _ := w.issue(millis(), u.ID, account.Draft{Name: name, UserID: u.ID, Permissions: account.ReadCatalog | account.WriteWebhooks})
	return k
}

func (w *world) addWebhook(k account.Key, url string) webhook.Subscription {
	w.t.Helper()
	v := w.live.View()
	d := webhook.Draft{URL: url, Filter: webhook.Filter{Games: []string{webhook.GameID(v.Card(0))}, When: webhook.WhenDrop}}
	s, served, err := d.Issue(k.ID, v, millis(), rand.Reader)
	if err == nil {
		err = w.db.Webhooks.Create(w.t.Context(), s, served)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return s
}

// addTries stores tries of a webhook, the oldest first, the last of which leaves its message undelivered.
func (w *world) addTries(id string, tries ...webhook.Try) {
	w.t.Helper()
	for i, try := range tries {
		s, _, err := w.db.Webhooks.Load(w.t.Context(), id, nil)
		if err != nil {
			w.t.Fatal(err)
		}
		try.At, try.MessageID = millis()-int64(len(tries)-i)*3_600_000, "msg_01KAG77Y3M2N4P6Q8R0S2T4V6W"
		s.Message = webhook.Message{ID: try.MessageID, Body: []byte("{}"), Failures: i + 1, NextTry: millis() + 50*60_000}
		if saved, err := w.db.Webhooks.Save(w.t.Context(), s, webhook.Outcome{NewMessage: true, Try: &try}); !saved || err != nil {
			w.t.Fatal(saved, err)
		}
	}
}

type receiver struct {
	*httptest.Server
	status atomic.Int32
	mu     sync.Mutex
	types  []string // of messages, in the order of their arrival
}

func (w *world) sending() *receiver {
	w.t.Helper()
	r := &receiver{}
	r.status.Store(http.StatusNoContent)
	r.Server = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, rq *http.Request) {
		body, err := io.ReadAll(rq.Body)
		var message struct{ Type string }
		if err == nil {
			err = json.Unmarshal(body, &message)
		}
		if err != nil {
			w.t.Error(err)
		}
		r.mu.Lock()
		r.types = append(r.types, message.Type)
		r.mu.Unlock()
		rw.WriteHeader(int(r.status.Load()))
	}))
	w.t.Cleanup(r.Close)
	w.background((&webhook.Sender{
		Outbox: w.db.Webhooks, View: w.live.View, Works: func(context.Context, string) (bool, error) { return true, nil },
		Leases: lease.Holder{Repository: w.db.Nodes, ID: "test", TTL: 20 * time.Second},
		Client: webhook.NewClient(receiverHosts, "test"), Every: 20 * time.Millisecond, Now: time.Now,
		Rand: func() float64 { return 0.5 }, Random: rand.Reader, Log: slog.New(slog.DiscardHandler), Observe: func(string) {},
	}).Run)
	return r
}

// received waits until as many messages have arrived, and returns the type of the last.
func (r *receiver) received(t *testing.T, n int) (kind string) {
	t.Helper()
	await.That(t, fmt.Sprint(n, " messages"), func() bool {
		r.mu.Lock()
		defer r.mu.Unlock()
		if len(r.types) > 0 {
			kind = r.types[len(r.types)-1]
		}
		return len(r.types) >= n
	})
	return kind
}

func (v *visitor) shows(path, text string) answered {
	v.w.t.Helper()
	var p answered
	await.That(v.w.t, text+" on "+path, func() bool {
		p = v.get(path)
		return strings.Contains(html.UnescapeString(p.body), text)
	})
	return p
}

// TestLifeOfAWebhook creates a webhook with the form, tests it, loses its receiver, turns it on again and deletes it,
// with the sender of the service and a receiver.
func TestLifeOfAWebhook(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, receiver := w.addUser(bobEmail, false), w.sending()
	v := w.signedIn(bobEmail)
	p := v.get("/webhooks")
	p.has(t, "You have no webhooks", "/keys/new?permission=write:webhooks", `aria-current="page">Webhooks`)
	v.get("/keys/new?permission=write:webhooks").has(t, `value="write:webhooks" checked`)
	v.get("/webhooks/new").isAt(t, "/webhooks") // the form without a key
	k, card := w.addHookKey(bob, "watcher"), w.live.View().Card(0)
	row := card.Rows().At(0)
	link := string(row.AppendURL(nil)) // in its store
	url := receiver.URL + "/hook?token=hush"
	form := func(change ...string) []string {
		return append([]string{"once", "1", "key", k.ID, "url", url, "when", "drop", "regions", "UA", "regions", "TR",
			"ids", card.ID() + "\r\n" + w.server.URL + "/uk/games/" + card.Platform().String() + "/" + card.ID() + "/elden-ring?country=UA\r\n" + link + "\r\nno-such-game\n"}, change...)
	}
	p = v.post("/webhooks/new", form()...)
	secret := between(t, p.body, `<code id="secret">`, "</code>")
	if !strings.HasPrefix(secret, "whsec_") || !strings.Contains(p.body, "1 game in Ukraine and Turkey, when a price drops") || !strings.Contains(p.body, ">no-such-game<") {
		t.Fatalf("created: status %d\n%s", p.status, p.body)
	}
	path := between(t, p.body, `href="/webhooks/`, `"`)
	path = "/webhooks/" + path
	if p := v.post("/webhooks/new", form()...); p.path != "/webhooks" || !strings.Contains(p.body, "The form was sent twice") || strings.Count(p.body, `href="/webhooks/whk_`) != 1 {
		t.Errorf("the form sent twice: at %s\n%s", p.path, p.body)
	}
	for _, page := range []string{"/webhooks", path, path + "/delete"} {
		v.get(page).wants(t, http.StatusOK, "127.0.0.1").lacks(t, secret)
	}

	// A test message arrives; then the receiver is gone, and comes back.
	v.post(path+"/ping").isAt(t, path, "The test message will be sent")
	if kind := receiver.received(t, 1); kind != "ping" {
		t.Errorf("the receiver got %q", kind)
	}
	v.shows(path, "answered 204")
	receiver.status.Store(http.StatusGone)
	v.post(path + "/ping")
	for _, page := range []string{path, "/webhooks"} {
		v.shows(page, "The receiver answered 410: it is gone")
	}
	receiver.status.Store(http.StatusOK)
	v.post(path+"/active", "active", "true").has(t, "The webhook is on again", ">on</b>")
	receiver.received(t, 3)
	v.shows(path, "answered 200")
	v.post(path+"/active", "active", "false").has(t, "Turned off by the owner")

	v.post(path+"/url", "url", "http://far.example/x").wants(t, http.StatusUnprocessableEntity, "plain http is only for hosts that the operator allows", `value="http://far.example/x"`) // a URL that the API refuses
	v.post(path+"/url", "url", "https://far.example/x").has(t, "The URL is changed", "<h1 class=\"wrap-anywhere\">far.example")

	// A key that does not work may do nothing but lose its webhooks.
	if _, err := w.db.Accounts.SuspendKey(t.Context(), k.ID, "too loud", account.By{At: millis()}); err != nil {
		t.Fatal(err)
	}
	v.post(path+"/active", "active", "true").has(t, "Nothing was changed: this API key is suspended: too loud") // with a suspended key
	v.post("/webhooks/new", form("once", "2")...).isAt(t, "/webhooks").lacks(t, "whsec_")                       // created with a suspended key
	if p := v.post(path + "/delete"); p.path != "/webhooks" || !strings.Contains(p.body, "The webhook to far.example is deleted.") || v.get(path).status != http.StatusNotFound {
		t.Errorf("deleted: at %s\n%s", p.path, p.body)
	}
}

// TestWebhookFormSaysWhatTheAPISays sends wrong forms, and one with an amount and as many links as it may have.
func TestWebhookFormSaysWhatTheAPISays(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, eve := w.addUser(bobEmail, false), w.addUser("eve@example.org", false)
	k, hers, reader := w.addHookKey(bob, "watcher"), w.addHookKey(eve, "hers"), account.Key{}
	reader, _ = w.addKey(bob, "reader")
	v, card := w.signedIn(bobEmail), w.live.View().Card(0)
	currency := w.live.View().Currency(card.Rows().At(0).Currency)
	region := w.live.View().Region(card.Rows().At(0).Region).Code.String()
	good := map[string][]string{"key": {k.ID}, "url": {"https://receiver.example/"}, "ids": {card.ID()}, "when": {"below"}, "amount": {"12,5"}, "regions": {region}}
	with := func(field string, values ...string) map[string][]string {
		form := map[string][]string{}
		for name, list := range good {
			form[name] = list
		}
		form[field] = values
		return form
	}
	var ids strings.Builder
	for i := range 1001 {
		fmt.Fprintf(&ids, "https://store.example/%d\r\n", i)
	}
	for _, c := range []struct {
		form        map[string][]string
		field, said string
	}{
		{with("url", ""), "url", "parameter url is required"},
		{with("url", "https://10.0.0.1/"), "url", "it must be at a public address"},
		{with("ids", ""), "ids", "parameter ids is required"},
		{with("ids", "none"), "ids", "no game has any of these ids"},
		{with("ids", "none\xff"), "ids", "no game has any of these ids"},
		{with("ids", ids.String()), "ids", "in one request; at most 1000 are allowed"},
		{with("regions", "UA", "PL"), "regions", "name one country in regions"},
		{with("when", "drop"), "when", "amount is only for below"},
		{with("amount", ""), "amount", "parameter amount is required"},
		{with("amount", "a lot"), "amount", "Enter an amount with at most two decimals"},
		{with("key", hers.ID), "key", "Choose one of your keys."},
		{with("key", reader.ID), "key", "this API key lacks the permission write:webhooks"},
	} {
		p := v.do(http.MethodPost, "/webhooks/new", c.form)
		said := html.UnescapeString(between(t, p.body, `id="`+c.field+`-wrong">`, "</p>"))
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(said, c.said) || !strings.Contains(p.body, html.EscapeString(c.form["url"][0])) {
			t.Errorf("%.200v: status %d, %q beside %s, want %q", c.form, p.status, said, c.field, c.said)
		}
	}
	var lines strings.Builder
	for i := range webhook.MaxGames {
		c := w.live.View().Card(i)
		fmt.Fprintf(&lines, "%s/en/games/%s/%s/a-long-title-of-a-game?country=PL&currency=PLN&number=%080d\r\n", w.server.URL, c.Platform(), c.ID(), i)
	}
	v.do(http.MethodPost, "/webhooks/new", with("ids", lines.String())).wants(t, http.StatusOK, "1,000 games in ")
	p := v.do(http.MethodPost, "/webhooks/new", good)
	var form money.Formatter
	want := "when a price falls below " + form.Format(currency.Home(), currency, 1250)
	hasAll(t, html.UnescapeString(p.body), want)
	for range webhook.MaxOfKey - 2 {
		w.addWebhook(k, "https://receiver.example/")
	}
	v.do(http.MethodPost, "/webhooks/new", good).has(t, "this key has 5 webhooks, the most that a key may have") // a sixth webhook
}

func TestWebhooksInWords(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, card := w.addUser(bobEmail, false), w.live.View().Card(0)
	codes := func(texts ...string) (r selection.Regions) {
		for _, text := range texts {
			r.Codes = append(r.Codes, catalog.MustRegion(text))
		}
		return r
	}
	euro := codes("US")
	euro.Codes = append(euro.Codes, selection.EuroArea)
	var k account.Key
	for i, c := range []struct {
		filter webhook.Filter
		want   string
	}{
		{webhook.Filter{When: webhook.WhenChange}, "1 game in the main countries, when anything changes"},
		{webhook.Filter{When: webhook.WhenDeal, Regions: selection.Regions{All: true}}, "1 game in all countries, when a discount begins"},
		{webhook.Filter{When: webhook.WhenDrop, Regions: euro}, "1 game in the United States and the euro area, when a price drops"},
		{webhook.Filter{When: webhook.WhenDrop, Regions: codes("UA", "PL", "IN", "TR")}, "1 game in Ukraine, Poland + 2, when a price drops"},
		{webhook.Filter{When: webhook.WhenBelow, Amount: 1999, Regions: codes("AQ")}, "1 game in Antarctica, when a price falls below 19.99"},
		{webhook.Filter{When: webhook.WhenDeal, Deals: "?minDiscount=30&regions=UA", Regions: codes("UA")}, "new deals in Ukraine"},
		{webhook.Filter{When: "of another version", Regions: codes("UA")}, "1 game in Ukraine, when anything changes"},
	} {
		if i%webhook.MaxOfKey == 0 {
			k = w.addHookKey(bob, fmt.Sprint("key ", i))
		}
		c.filter.Games = []string{webhook.GameID(card)}
		s, served, err := webhook.Draft{URL: "https://receiver.example/", Filter: c.filter}.Issue(k.ID, w.live.View(), millis(), rand.Reader)
		if err == nil {
			err = w.db.Webhooks.Create(t.Context(), s, served)
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, page := range []string{"/webhooks", "/webhooks/" + s.ID} {
			if p := w.signedIn(bobEmail).get(page); !strings.Contains(html.UnescapeString(p.body), c.want) {
				t.Errorf("%s lacks %q", page, c.want)
			}
		}
	}
}

// TestAdministratorsSeeAllWebhooks checks the list of all webhooks, which has no more of a URL than its host, and what
// administrators may do with one.
func TestAdministratorsSeeAllWebhooks(t *testing.T) {
	t.Parallel()
	w, ann, bob, v := administered(t)
	k := w.addHookKey(bob, "bob's alerts")
	s := w.addWebhook(k, "https://receiver.example/hook-of-bob?token=hush")
	other := w.addWebhook(w.addHookKey(ann, "ann's alerts"), "https://ann.example/")
	w.addTries(s.ID, webhook.Try{Status: 500, Took: 12}, webhook.Try{Error: "the name of the host cannot be resolved"})
	p := v.get("/admin/webhooks")
	hasAll(t, html.UnescapeString(p.body), "receiver.example", "ann.example", "bob's alerts", bobEmail, "/admin/keys/"+k.ID, "cannot be resolved")
	v.get("/admin/webhooks?q=BOB@").has(t, s.ID).lacks(t, other.ID) // a search
	pages := []answered{p, v.get("/admin/webhooks/" + s.ID + "/delete"), v.post("/admin/webhooks/" + s.ID + "/off")}
	pages[2].has(t, "The webhook "+s.ID+" is off.", "Turned off by an administrator")
	pages = append(pages, v.post("/admin/webhooks/"+s.ID+"/delete"), v.get("/admin/audit"))
	pages[3].has(t, "The webhook "+s.ID+" was deleted.").lacks(t, "receiver.example")
	pages[4].has(t, ">turned off a webhook<", ">deleted a webhook<", s.ID)
	for _, p := range pages {
		p.lacks(t, "hook-of-bob", "hush", s.Secret) // only the host of the URL
	}
	for range 51 / webhook.MaxOfKey {
		k := w.addHookKey(bob, "more")
		for range webhook.MaxOfKey {
			w.addWebhook(k, "https://receiver.example/")
		}
	}
	p = v.get("/admin/webhooks")
	next := html.UnescapeString(between(t, p.body, `href="/admin/webhooks?q=&amp;after=`, `"`))
	last := w.addWebhook(w.addHookKey(bob, "the last"), "https://newest.example/")
	own := w.signedIn(bobEmail)
	p = own.get("/webhooks")
	more := between(t, p.body, `href="/webhooks?q=&amp;after=`, `"`)
	if second := own.get("/webhooks?q=&after=" + more); !strings.Contains(p.body, last.ID) || strings.Count(p.body, `href="/webhooks/whk_`) != 50 || strings.Count(second.body, `href="/webhooks/whk_`) != 1 {
		t.Errorf("the owner's pages: %s\n%s", p.body, second.body)
	}
	if p := v.get("/admin/webhooks?q=&after=" + next); !strings.Contains(p.body, other.ID) || strings.Count(p.body, "<tr><th") != 1+1 {
		t.Errorf("the second page: %s", p.body)
	}
}

// TestPagesWhileWebhooksAreOff checks that the pages say how webhooks are turned on, and that nothing leads to them.
func TestPagesWhileWebhooksAreOff(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, cfg *dashboard.Config) { cfg.Webhooks.Repository, cfg.Admin.Webhooks = nil, nil })
	s := w.addWebhook(w.addHookKey(w.addUser(annEmail, true), "k"), "https://receiver.example/")
	v := w.signedIn(annEmail)
	for _, path := range []string{"/webhooks", "/admin/webhooks"} {
		v.get(path).wants(t, http.StatusOK, "gamedex serve --webhooks on").lacks(t, `href="/webhooks"`, "receiver.example")
	}
	for _, path := range []string{"/webhooks/new", "/webhooks/" + s.ID, "/admin/webhooks/" + s.ID + "/delete"} {
		v.get(path).wants(t, http.StatusNotFound)
		if p := v.post(path); p.status != http.StatusNotFound && p.status != http.StatusMethodNotAllowed {
			t.Errorf("POST %s: status %d", path, p.status)
		}
	}
	v.get("/admin/users").lacks(t, "/admin/webhooks")
}
