package dashboard_test

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api"
	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/testing/catalogtest"
)

// TestWatchingWithoutRates watches a game in currencies without an exchange rate: the home page shows its price in the
// first region, and not that it is not sold.
func TestWatchingWithoutRates(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	var lines []catalog.Listing
	for _, region := range []string{"TR", "UA"} {
		lines = append(lines, catalogtest.Console(region, "EP9999-PPSA00001_00-WATCHED000000000", catalogtest.Family("8000001"), catalogtest.FamilyName("Star Forge"), catalogtest.Name("Star Forge"),
			catalogtest.Title("Star Forge"), catalogtest.Price("XPF", 99_900), catalogtest.On(1)))
	}
	w.save(lines)
	w.fillUp(0)
	w.addUser(bobEmail, false)
	v := w.signedIn(bobEmail)
	_, id, _ := strings.Cut(w.publicGame("en", catalog.ConsoleStore, "Star Forge"), "/games/consolestore/")
	id, _, _ = strings.Cut(id, "/")
	v.post("/watched", "game", "consolestore/"+id, "watch", "1")
	if text := watchedGames(v.get("/?country=").body); !strings.Contains(text, "in Ukraine") || strings.Contains(text, "not for sale") {
		t.Errorf("the home page shows %q", text)
	}
}

// watchedGames returns the text of the section with the watched games of a home page; "" without one.
func watchedGames(page string) string {
	_, section, _ := strings.Cut(page, "Watched games")
	section, _, _ = strings.Cut(section, "</section>")
	return strings.ReplaceAll(shownText(section), "\u00a0", " ")
}

// TestWatchingAGame watches a game as a user. Its price comes first on their home page, and on the next visit
// what changed since, although the id of the game has changed, too. Nobody else sees it.
func TestWatchingAGame(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages)
	game := func(family, title string, price money.Amount, day int) {
		w.save([]catalog.Listing{catalogtest.Console("UA", "EP9999-PPSA00001_00-WATCHED000000000", catalogtest.Family(family), catalogtest.FamilyName(title), catalogtest.Name(title),
			catalogtest.Title(title), catalogtest.Price("UAH", price), catalogtest.On(day))})
		w.fillUp(0)
	}
	game("8000001", "Star Forge", 99_900, 1)
	bob := w.addUser(bobEmail, false)
	w.addUser(annEmail, false)
	v, other := w.signedIn(bobEmail), w.signedIn(annEmail)
	page := v.get(w.publicGame("en", catalog.ConsoleStore, "Star Forge") + "?country=UA")
	_, rest, _ := strings.Cut(page.body, `href="/watched?`)
	link, _, ok := strings.Cut(rest, `"`)
	if query, err := url.ParseQuery(strings.ReplaceAll(link, "&amp;", "&")); !ok || err != nil || query.Get("country") != "UA" || page.header.Get("Set-Cookie") != "" {
		t.Fatalf("the page of the game leads to %q: %v", link, err)
	}
	address := "/watched?" + strings.ReplaceAll(link, "&amp;", "&")
	if p := v.get(address); !strings.Contains(p.body, "Watch the price</button>") || p.header.Get("Cache-Control") != "private, no-store" {
		t.Errorf("before: %s", shownText(p.body))
	}
	wants := func(v *visitor, texts ...string) {
		t.Helper()
		text := watchedGames(v.get("/?country=UA").body)
		hasAll(t, text, texts...)
		if len(texts) == 0 && text != "" {
			t.Errorf("the home page shows %q", text)
		}
	}
	v.post(address, "watch", "1").isAt(t, "/", "You now watch Star Forge.")
	wants(v, "Star Forge", "999,00 ₴ in Ukraine", "An ordinary price")
	wants(other)
	v.get(address).has(t, "Stop watching</button>")

	aDayAgo := func() { w.aDayAgo(bob) }
	aDayAgo()
	day := time.Now().Add(-30 * time.Hour).UTC().Format("2 Jan 2006")
	game("8000011", "Star Forge Anew", 49_900, 2)
	for range 2 { // a reload is the same visit
		wants(v, "Star Forge Anew", "499,00 ₴ in Ukraine", "Cheaper than on "+day+", when it was 999,00 ₴.")
	}
	game("8000011", "Star Forge Anew", 59_900, 3)
	aDayAgo()
	wants(v, "599,00 ₴", "More expensive than on "+day+", when it was 499,00 ₴.")
	v.post(address, "watch", "0").has(t, "You no longer watch Star Forge Anew.")
	wants(v)

	for i := range account.MaxWatched {
		if err := w.db.Accounts.Watch(t.Context(), bob.ID, fmt.Sprintf("pcstore/none-%03d", i)); err != nil {
			t.Fatal(err)
		}
	}
	v.post(address, "watch", "1").has(t, "You can watch at most 200 games.")
	wants(v, "none-000", "not for sale", "170 more games")
	if p := v.get("/?country=UA"); len(p.body) > 60<<10 {
		t.Errorf("the home page of somebody who watches 200 games has %d bytes", len(p.body))
	}
	v.get("/watched?game=pcstore/none-000").wants(t, http.StatusOK, "Stop watching</button>") // a game that is gone
	v.post("/watched", "game", "pcstore/none-000", "watch", "0").has(t, "169 more games", "You no longer watch none-000.")
	for _, wrong := range []string{"", "pcstore", "pcstore/", "nostore/elden-ring", "pcstore/none", "pcstore/elden-ring,other", "pcstore/%FF", "pcstore/" + strings.Repeat("x", 4000)} {
		for _, p := range []answered{v.get("/watched?game=" + wrong), v.post("/watched?game="+wrong, "watch", "1"), v.post("/watched?game="+wrong, "watch", "0")} {
			if p.status != http.StatusNotFound {
				t.Errorf("%.30q: status %d", wrong, p.status)
			}
		}
	}
	query, _ := url.ParseQuery(strings.ReplaceAll(link, "&amp;", "&"))
	sent := query.Get("game")
	for _, spelled := range []string{strings.ToUpper(sent), "ConsoleStore" + sent[strings.Index(sent, "/"):], sent} {
		v.post("/watched", "game", spelled, "watch", "1").has(t, "You now watch Star Forge Anew.")
	}
	if list, err := w.db.Accounts.Watched(t.Context(), bob.ID); len(list) != account.MaxWatched || err != nil {
		t.Errorf("%d games are watched, %v; want one row for a game in three spellings", len(list), err)
	}
	for _, says := range []bool{true, false} { // the form, sent twice
		if p := v.post("/watched", "game", sent, "watch", "0"); p.path != "/" || strings.Contains(p.body, "You no longer watch Star Forge Anew.") != says {
			t.Errorf("unwatch: status %d at %s; a confirmation: want %v", p.status, p.path, says)
		}
	}
}

// aDayAgo makes what a user saw of watched games until now be seen then.
func (w *world) aDayAgo(u account.User) {
	w.t.Helper()
	seen, err := w.db.Accounts.Watched(w.t.Context(), u.ID)
	for i := range seen {
		seen[i].SeenAt -= (30 * time.Hour).Milliseconds()
	}
	if err := errors.Join(err, w.db.Accounts.SaveSeen(w.t.Context(), u.ID, seen)); err != nil || len(seen) == 0 {
		w.t.Fatal(seen, err)
	}
}

// TestWatchingTheCheapestCountry watches a game without a country: its price is compared with that of
// the country that was the cheapest, at today's rates, which alone change nothing. When the API refuses the prices,
// the page says so and has the titles.
func TestWatchingTheCheapestCountry(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(w *world, c *dashboard.Config) {
		all, refuse := c.API, api.New(w.wire(quota.NewMemory(), c.Keys.Limits, quota.Limits{Minute: 1, Day: 1})).Pages
		c.API = func(v overview.Visitor) http.Handler {
			if v.Currency == "PLN" {
				return refuse(v)
			}
			return all(v)
		}
	})
	sell := func(region, currency string, price money.Amount) {
		w.save([]catalog.Listing{catalogtest.Console(region, "EP9999-PPSA00001_00-WATCHED000000000", catalogtest.Family("8000001"), catalogtest.FamilyName("Star Forge"),
			catalogtest.Name("Star Forge"), catalogtest.Title("Star Forge"), catalogtest.Price(currency, price), catalogtest.On(1))})
		w.fillUp(0)
	}
	rates := func(hryvnias string) {
		table, err := money.NewRates("USD", map[money.Currency]string{"PLN": "4", "UAH": hryvnias, "TRY": "40"}, millis())
		if err != nil {
			t.Fatal(err)
		}
		old := w.live.View()
		w.live.Swap(index.NewView(old.Snapshot, index.Published{Seq: old.Seq + 1, Rates: table, BuiltAt: catalog.Millis(old.IndexBuiltAt)}))
	}
	bob := w.addUser(bobEmail, false)
	sell("UA", "UAH", 100_000)
	rates("20")
	live := overview.New(w.live.View())
	for _, c := range live.Changes() {
		if live.Title(c, "en") == "Star Forge" {
			if err := w.db.Accounts.Watch(t.Context(), bob.ID, "consolestore/"+c.ID()); err != nil {
				t.Fatal(err)
			}
		}
	}
	v := w.signedIn(bobEmail)
	wants := func(address string, texts ...string) {
		t.Helper()
		text := watchedGames(v.get(address).body)
		for _, want := range append(texts, "Star Forge") {
			if wanted, found := strings.CutPrefix(want, "no "); strings.Contains(text, wanted) == found {
				t.Errorf("%s: want %q in %q", address, want, text)
			}
		}
	}
	wants("/?country=", "$50.00", "in Ukraine", "no than on")
	w.aDayAgo(bob)
	rates("25")
	wants("/?country=", "$40.00", "no than on")
	w.aDayAgo(bob)
	sell("TR", "TRY", 14_400)
	rates("25")
	wants("/?country=UA", "no than on")
	for range 2 {
		day := time.Now().Add(-30 * time.Hour).UTC().Format("2 Jan 2006")
		wants("/?country=", "$3.60", "in Turkey", "Cheaper than on "+day+", when it was $40.00.")
	}
	wants("/?country=&currency=PLN", "Prices are not available now.", "no not for sale", "no than on")
}
