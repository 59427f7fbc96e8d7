package dashboard_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/net/html"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
	"gamedex/internal/sweep"
)

// payloads are texts that try to become markup or script in a page. A payload
// that runs sets a mark that browser tests look for.
var payloads = fewer([]string{
	`<script>window.__x=1</script>`,
	`"><img src=x onerror=window.__x=1>`,
	`'><svg/onload=window.__x=1>`,
	`javascript:window.__x=1//`,
	`</title><script>window.__x=1</script>`,
	`</textarea></option></select><iframe srcdoc="<script>top.__x=1</script>">`,
	`'-(window.__x=1)-'`,
	`" autofocus onfocus="window.__x=1`,
	"` onmouseover=window.__x=1 `",
	`{{.}}{{printf "%s" $.User.PasswordHash}}`,
	`%s%d%!v(MISSING)<b>`,
	`--><script>window.__x=1</script><!--`,
	`&lt;script&gt;window.__x=1&lt;/script&gt;&#60;b&#62;`,
	"<scr\x00ipt>window.__x=1</scr\x00ipt>",
	"a\u2028b\u2029c<b>",
	"\u202egpj.<img src=x>\u202c\u200f",
	`<base href=http://evil.test/><meta http-equiv=refresh content="0;url=http://evil.test/"><style>*{display:none}</style>`,
})

// harmless are ordinary texts: pages with payloads must have the same elements
// as pages with these.
var harmless = []string{"plain", "plain words that are long enough to be refused as a name: " + strings.Repeat("x", 100), "plain@example.org", "witcher"}

// seen is a page and the name of what was sent.
type seen struct {
	name string
	answered
}

// sendEverywhere puts a text into every field, query, path and header that the
// pages read, and returns all answers.
func (s *attackedWorld) sendEverywhere(text string) (pages []seen) {
	s.t.Helper()
	see := func(name string, p answered) { pages = append(pages, seen{name, p}) }
	ann, bob, stranger := s.as(s.ann), s.as(s.bob), s.newVisitor().staying()
	s.storeEverywhere(text, ann, bob, see)
	query := url.QueryEscape(text)
	names := []string{"q", "after", "before", "actor", "action", "object", "platform", "page", "region", "key", "back", "state", "code", "error", "email", "types", "platforms", "genres",
		"publishers", "minDiscount", "maxDiscount", "maxPrice", "maxUsd", "low", "nearLow", "real", "endsWithin", "startedWithin", "free", "subscription", "sort", query}
	for _, rt := range routesOf(http.MethodGet) {
		path := s.pathOf(rt)
		address := path + "?" + strings.Join(names, "="+query+"&") + "=" + query
		see(rt.Path+" for ann", ann.get(path))
		see(rt.Path+" with a query for ann", ann.get(address))
		if !rt.SignedIn {
			see(rt.Path+" with a query for a stranger", stranger.get(address))
		}
		if strings.Contains(rt.Path, "{") {
			see(rt.Path+" with a path", ann.get(filled(rt.Path, url.PathEscape(text))))
		}
	}
	hostile := http.Header{"Accept-Language": {text}, "X-Forwarded-For": {text}, "X-Forwarded-Proto": {text}, "X-Request-Id": {text},
		"User-Agent": {text}, "Referer": {text}, "Cookie": {"language=" + text + "; gamedex=" + text + "; gamedex-device=" + text}}
	if !strings.ContainsAny(text, "\x00") { // which no client can send
		see("headers", stranger.send(http.MethodGet, "/nowhere", "", nil, hostile))
		see("headers of a form", stranger.send(http.MethodPost, "/signin", formKind, encoded([]string{"email", annEmail}), hostile))
	}
	see("no page", stranger.get("/"+url.PathEscape(text)))
	return pages
}

func filled(path, text string) string {
	before, rest, _ := strings.Cut(path, "{")
	_, after, _ := strings.Cut(rest, "}")
	return before + text + after
}

// storeEverywhere puts a text where it is kept: names of keys, the reason of a
// suspension, invitations, the log.
func (s *attackedWorld) storeEverywhere(text string, ann, bob *visitor, see func(string, answered)) {
	s.t.Helper()
	form := s.formOf(dashboard.Route{Path: "/keys/new"})
	form[1] = fmt.Sprintf("%s.%016x", strings.Split(form[1], ".")[0], len(s.keysOf(s.bob)))
	form[3] = text
	see("a key", bob.post("/keys/new", form...))
	for _, rt := range routesOf(http.MethodPost) {
		v, path, form := ann, s.pathOf(rt), slices.Clone(s.formOf(rt))
		if strings.HasPrefix(rt.Path, "/keys/{id}/name") {
			v = bob
		}
		switch rt.Path {
		case "/signout", "/profile/sessions", "/keys/{id}/revoke", "/admin/keys/{id}/revoke", "/admin/links/{hash}/revoke", "/admin/users/{id}/delete",
			"/admin/users/{id}/disable", "/admin/users/{id}/sign-out", "/admin/keys/{id}/resume", "/keys/new":
			continue // has no text, and ends what the other routes need
		case "/profile/password", "/profile/delete", "/signin", "/signup", "/setup/{token}", "/invite/{token}", "/reset/{token}":
			form = []string{"email", text, "password", "short"} // too short, so that the link is not used up
		}
		for i := 1; i < len(form); i += 2 {
			form[i] = text
		}
		if strings.HasPrefix(rt.Path, "/profile") || strings.Contains(rt.Path, "{token}") || rt.Path == "/signup" || rt.Path == "/signin" {
			form = append(form[:2:2], "password", "short")
		}
		form = append(form, "back", text, text, text)
		see("POST "+rt.Path, v.post(path, form...))
		if strings.Contains(rt.Path, "{") {
			see("POST "+rt.Path+" with a path", v.post(filled(rt.Path, url.PathEscape(text)), form...))
		}
	}
	refused := text + strings.Repeat("x", 201) // is shown again, with what is wrong
	see("a refused reason", ann.post(s.pathOf(dashboard.Route{Path: "/admin/keys/{id}/suspend"}), "reason", refused))
	see("after the forms, bob's", bob.get("/keys"))
	see("after the forms, ann's", ann.get("/admin/audit"))
}

// shape calls see for each element of a page with its kind: its name and
// attributes.
func shape(t testing.TB, page string, see func(kind string, n *html.Node)) {
	t.Helper()
	root, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	for n := range root.Descendants() {
		switch n.Type {
		case html.CommentNode:
			see("a comment", n)
		case html.ElementNode:
			var names []string
			for _, a := range n.Attr {
				names = append(names, a.Key)
			}
			slices.Sort(names)
			see(strings.Join(append([]string{n.Data}, names...), " "), n)
		}
	}
}

// checkPage fails the test if a page has anything that no harmless text makes.
func checkPage(t testing.TB, p seen, known map[string]bool) {
	t.Helper()
	if p.status >= http.StatusInternalServerError || p.status == http.StatusTooManyRequests && strings.Contains(p.name, "/en/browse") {
		t.Errorf("%s: status %d\n%s", p.name, p.status, p.body)
	}
	if !strings.HasPrefix(p.header.Get("Content-Type"), "text/html") {
		return // with nosniff nothing else is read as a page
	}
	shape(t, p.body, func(kind string, n *html.Node) {
		if !known[kind] {
			t.Errorf("%s: there is <%s>", p.name, kind)
		}
		for _, a := range n.Attr {
			address := slices.Contains([]string{"href", "src", "action", "formaction", "xlink:href", "data"}, a.Key)
			if u, err := url.Parse(a.Val); address && (err != nil || u.Scheme != "" && u.Scheme != "https" && u.Scheme != "http") {
				t.Errorf("%s: %s of %s is %q", p.name, a.Key, n.Data, a.Val)
			}
			if strings.HasPrefix(a.Key, "on") || a.Key == "style" || a.Key == "srcdoc" {
				t.Errorf("%s: %s has %s", p.name, n.Data, a.Key)
			}
		}
		if n.Data == "script" && n.FirstChild != nil {
			t.Errorf("%s: a script in the page: %s", p.name, n.FirstChild.Data)
		}
	})
}

func kinds(t testing.TB, pages []seen) map[string]bool {
	t.Helper()
	known := map[string]bool{}
	for _, p := range pages {
		shape(t, p.body, func(kind string, _ *html.Node) { known[kind] = true })
	}
	return known
}

// TestTextStaysText checks that a text stays a text on every page, no matter
// where it was entered, sent or stored.
func TestTextStaysText(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	var plain []seen
	for _, text := range harmless {
		plain = append(plain, s.sendEverywhere(text)...)
	}
	newAttackedWorld(t).everyAnswer(func(name string, p answered) { plain = append(plain, seen{name, p}) })
	known := kinds(t, plain)
	shown := map[string]bool{}
	for _, text := range payloads {
		for _, p := range s.sendEverywhere(text) {
			checkPage(t, p, known)
			if strings.Contains(html.UnescapeString(p.body), text) {
				shown[p.name] = true
			}
		}
	}
	// Where texts are shown at all; else nothing was tested.
	for _, name := range []string{"a key", "POST /signin", "after the forms, bob's", "after the forms, ann's",
		"/en/browse with a query for ann", "/admin/users with a query for ann", "/admin/keys with a query for ann",
		"/admin/audit with a query for ann"} {
		if !shown[name] {
			t.Errorf("%s shows no text", name)
		}
	}
	s.logHasNoErrors()
}

// hostileCatalog returns a catalog in which every text is a payload, made by
// way of the database and a builder.
var hostileCatalog = sync.OnceValues(func() (*index.View, error) {
	ctx, now := context.Background(), catalog.MillisOf(time.Now())
	return catalogOf(ctx, func(db *sqldb.DB) error {
		for i, text := range append(slices.Clone(payloads), harmless[0]) {
			if _, err := db.Listings.Save(ctx, hostileListings(i, strings.ReplaceAll(text, "\x00", ""), now)); err != nil {
				return fmt.Errorf("save %q: %w", text, err)
			}
		}
		return nil
	})
})

// hostileListings returns the listings of one payload: a game of either store
// with an edition and an add-on.
func hostileListings(i int, text string, now catalog.Millis) (all []catalog.Listing) {
	for _, platform := range catalog.Platforms() {
		for n, kind := range []catalog.Type{catalog.Base, catalog.Game, catalog.DLC} {
			l := evilListing(catalog.MustRegion("UA"), now)
			id := fmt.Sprintf("evil-%d", i)
			l.Key = catalog.Key{Platform: platform, Region: l.Region, Product: fmt.Sprintf("%s-%d", id, n)}
			l.Facts = catalog.Facts{Family: id, FamilyName: text, Slug: id, Title: fmt.Sprint(text, " ", n), InvariantName: fmt.Sprint(text, " ", n), Edition: text,
				Type: kind, Platforms: []string{text}}
			l.Prose = catalog.Prose{Description: text, Publisher: text, Developer: text, Genres: []string{text}, RatingAge: text, RatingSystem: text,
				Thumbnail: text, Cover: text, Logo: text, Screenshots: []string{text}}
			if platform == catalog.ConsoleStore {
				l.Price.Source = catalog.SourceExact // a doubtful price is no deal
			}
			l.StoreURL, l.Price.CurrentText, l.Price.BaseText, l.Price.DiscountLabel = text, text, text, text
			all = append(all, l)
		}
	}
	return all
}

// hostileWorld is an attackedWorld with the hostile catalog and with failed
// jobs whose errors are payloads.
func hostileWorld(t testing.TB) *attackedWorld {
	t.Helper()
	view, err := hostileCatalog()
	if err != nil {
		t.Fatal(err)
	}
	s := newAttackedWorld(t, func(w *world, _ *dashboard.Config) { w.live.Swap(view) })
	regions := someRegions(len(payloads))
	s.collectedIn(regions, catalog.Millis(millis())-1000)
	for i, text := range payloads {
		s.failJob(sweep.Scope{Platform: catalog.PCStore, Region: regions[i], Kind: sweep.Prices}, errors.New(text))
	}
	return s
}

// hostileAddresses returns the addresses of the pages that show the hostile
// catalog.
func (s *attackedWorld) hostileAddresses() []string {
	addresses := []string{"/", "/status", "/en/browse"}
	live := s.live.View()
	for i := range live.Len() {
		c := live.Card(i)
		addresses = append(addresses, "/en/games/"+c.Platform().String()+"/"+url.PathEscape(c.ID()))
	}
	for _, q := range []string{"window", "script", "img", "plain"} {
		addresses = append(addresses, "/en/browse?q="+q, "/en/suggest?q="+q)
	}
	return addresses
}

// TestCatalogTextStaysText checks that texts from stores and feeds stay text,
// too.
func TestCatalogTextStaysText(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	var plain []seen
	ann := s.as(s.ann)
	for i := range min(s.live.View().Len(), 40) {
		c := s.live.View().Card(i)
		address := "/en/games/" + c.Platform().String() + "/" + url.PathEscape(c.ID())
		plain = append(plain, seen{address, ann.get(address)})
	}
	plain = append(plain, seen{"pages of results", ann.get("/en/browse?q=the&page=2")})
	s.everyAnswer(func(name string, p answered) { plain = append(plain, seen{name, p}) })

	s = hostileWorld(t)
	ann = s.as(s.ann)
	addresses := s.hostileAddresses()
	for _, address := range addresses[len(addresses)-12:] {
		if strings.Contains(address, "plain") {
			plain = append(plain, seen{address, ann.get(address)})
		}
	}
	for _, id := range []string{"consolestore/", "pcstore/"} {
		for _, address := range addresses {
			p := ann.get(address)
			if strings.Contains(address, id) && strings.Contains(p.body, "<h1>plain") {
				plain = append(plain, seen{address, p})
			}
		}
	}
	known := kinds(t, plain)
	mentioned := map[string]bool{}
	for _, address := range addresses {
		p := seen{address, ann.get(address)}
		checkPage(t, p, known)
		for _, text := range payloads {
			mentioned[text] = mentioned[text] || strings.Contains(html.UnescapeString(p.body), text)
		}
	}
	if n := len(slices.DeleteFunc(slices.Collect(maps.Keys(mentioned)), func(text string) bool { return !mentioned[text] })); n < len(payloads)/2 {
		t.Errorf("%d of %d texts are shown: the catalog is not hostile", n, len(payloads))
	}
}

// TestRedirectsStayHere checks that no input of a visitor makes a page redirect
// to another site.
func TestRedirectsStayHere(t *testing.T) {
	t.Parallel()
	s := newAttackedWorld(t)
	elsewhere := []string{
		"//evil.test", "///evil.test", "https:evil.test", "https://evil.test", "http:/evil.test", `/\evil.test`, `\\evil.test`, `/\/evil.test`, "/\t/evil.test", "\t//evil.test",
		"/\r\nLocation: //evil.test", "/%2f%2fevil.test", "%2f%2fevil.test", "/%5cevil.test", "//evil.test@127.0.0.1", "@evil.test", ".evil.test", ":80@evil.test",
		"/.//evil.test", "/..//evil.test", "/x/..//evil.test", "//127.0.0.1:1/", "javascript:alert(1)", "data:text/html,x", "/\x00/evil.test", "/\u2028/evil.test", "／／evil.test",
		"http://127.0.0.1:1@evil.test", "?://evil.test", "#//evil.test", "", "keys", "./keys", "/" + strings.Repeat("a", 5000), "/" + strings.Repeat("/evil.test", 400),
	}
	here, err := url.Parse(s.server.URL + "/signin")
	if err != nil {
		t.Fatal(err)
	}
	signIns := fewer(elsewhere) // each hashes a password
	for _, back := range elsewhere {
		query := url.QueryEscape(back)
		ann := s.as(s.ann)
		answers := map[string]answered{
			"the language":            s.newVisitor().staying().post("/language", "to", "en", "back", back),
			"the language, by query":  s.newVisitor().staying().post("/language?back="+query, "to", "en"),
			"signed in already":       ann.get("/signin?back=" + query),
			"a sign-up":               ann.get("/signup?back=" + query),
			"a path":                  s.newVisitor().staying().get("/" + strings.ReplaceAll(url.PathEscape(back), "%2F", "/")),
			"a path while signed out": s.newVisitor().staying().get("/keys/" + url.PathEscape(back)),
		}
		if slices.Contains(signIns, back) {
			answers["a sign-in"] = s.newVisitor().staying().post("/signin", "email", eveEmail, "password", password, "back", back)
		}
		for name, p := range answers {
			to := p.header.Get("Location")
			u, err := here.Parse(to)
			if err != nil || u.Host != here.Host || u.Scheme != here.Scheme || strings.HasPrefix(to, "//") || strings.Contains(to, `\`) || len(p.header["Location"]) > 1 {
				t.Errorf("%s with %.60q leads to %.80q", name, back, to)
			}
			if name == "a sign-in" && p.status != http.StatusSeeOther {
				t.Errorf("%s with %.60q: status %d", name, back, p.status)
			}
		}
		if form := s.newVisitor().get("/signin?back=" + query); strings.Contains(html.UnescapeString(form.body), `name="back" value="//`) {
			t.Errorf("the form carries %.60q", back)
		}
	}
}
