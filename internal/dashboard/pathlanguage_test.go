package dashboard_test

import (
	"html"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
)

var localized = regexp.MustCompile(`(?:href|action)="((?:/(?:en|ru|uk))?/(?:docs|signin|signup|forgotten)(?:[/?][^"#]*)?)["#]`)

func localizedLinks(page string) (addresses []string) {
	for _, found := range localized.FindAllStringSubmatch(page, -1) {
		if address := html.UnescapeString(found[1]); !slices.Contains(addresses, address) {
			addresses = append(addresses, address)
		}
	}
	return addresses
}

// TestPagesKeepTheLanguageOfPublicPages begins on the public page of a language and follows every
// link to the reference and to the sign-in, and from there: all pages are in that language, whatever
// the browser prefers and its cookie says, and lead back to public pages in it.
func TestPagesKeepTheLanguageOfPublicPages(t *testing.T) {
	t.Parallel()
	v := passerby(t, func(_ *world, c *dashboard.Config) { c.Web.SignUp = web.SignUpOpen })
	for i, lang := range languages {
		other := languages[(i+1)%len(languages)]
		v.plant("language", other)
		v.header.Set("Accept-Language", other)
		queue, seen := []string{"/" + lang, "/" + lang + "/browse"}, map[string]bool{}
		for ; len(queue) > 0; queue = queue[1:] {
			address := queue[0]
			p := v.get(address)
			p.wants(t, http.StatusOK, `<html lang="`+lang+`">`, `href="/`+lang+`/browse"`)
			if len(p.header.Values("Set-Cookie")) > 0 {
				t.Errorf("%s sets a cookie", address)
			}
			if vary := strings.Join(p.header.Values("Vary"), ", "); !(address == "/"+lang || address == "/"+lang+"/browse") && (vary != "Cookie, Accept-Language" || p.header.Get("Cache-Control") != "private, no-store") {
				t.Errorf("%s: Vary %q, Cache-Control %q", address, vary, p.header.Get("Cache-Control"))
			}
			for _, next := range localizedLinks(p.body) {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
		for _, want := range []string{"/docs", "/docs/guides/ids", "/docs/schemas/PriceItem", "/docs/endpoints/search", "/signin", "/signup", "/forgotten"} {
			if !seen["/"+lang+want] {
				t.Errorf("nothing leads to /%s%s", lang, want)
			}
		}
		if len(seen) < 40 {
			t.Errorf("from /%s: %d links", lang, len(seen))
		}
	}
}

// TestFormsKeepTheLanguage sends forms of pages whose address has a language: the pages that answer
// are in it, until somebody chooses another one.
func TestFormsKeepTheLanguage(t *testing.T) {
	t.Parallel()
	w := newWorld(t, withPublicPages, func(_ *world, c *dashboard.Config) { c.Web.SignUp = web.SignUpOpen })
	w.addUser(bobEmail, false)
	v := w.newVisitor()
	v.post("/ru/signin", "email", bobEmail, "password", "wrong").wants(t, http.StatusUnauthorized, `<html lang="ru">`, `action="/ru/signin"`)
	v.post("/uk/signup", "email", "x", "password", "y").wants(t, http.StatusUnprocessableEntity, `<html lang="uk">`, `action="/uk/signup"`)
	v.post("/uk/signup", "email", "carl@example.com", "password", "a long password of Carl").isAt(t, "/uk/signin", `<html lang="uk">`)
	v.get("/ru/docs/endpoints/search/try?q=elden").isAt(t, "/ru/signin", `<html lang="ru">`) // a stranger's request
	if p := v.get("/ru/docs/endpoints/search"); !slices.Contains(localizedLinks(p.body), "/ru/signin?back=%2Fru%2Fdocs%2Fendpoints%2Fsearch") {
		t.Errorf("the links of the endpoint are %q", localizedLinks(p.body))
	}
	v.post("/language", "to", "uk", "back", "/ru/signin?back=%2Fru%2Fdocs%2Fendpoints%2Fsearch").wants(t, http.StatusOK, `<html lang="uk">`,
		`name="back" value="/uk/docs/endpoints/search"`)

	bob := w.signedIn(bobEmail)
	bob.get("/ru/docs/endpoints/search").wants(t, http.StatusOK, `<html lang="ru">`, `action="/ru/docs/endpoints/search/try`)
	bob.get("/ru/docs/endpoints/search/try?q=elden&lang=uk").wants(t, http.StatusOK, `<html lang="ru">`, "lang=uk", "200 OK")
	bob.post("/ru/docs/endpoints/postPrices/try", "body", `{"ids":["elden-ring"]}`).wants(t, http.StatusOK, `<html lang="ru">`, "/ru/docs/endpoints/postPrices/try#result", "200 OK")
	bob.get("/docs/endpoints/search/try?q=elden&lang=uk").has(t, `<html lang="en">`) // lang is a parameter of the API
	bob.post("/language", "to", "uk", "back", "/ru/docs/endpoints/search?x=1").isAt(t, "/uk/docs/endpoints/search", `<html lang="uk">`)
	if bob.cookie("language") != "uk" {
		t.Error("the choice of Ukrainian is not kept")
	}
}

// TestCanonicalAddressesOfTheReference checks that each language of a page has its own address,
// and that all of them are named, with the one whose language depends on the browser.
func TestCanonicalAddressesOfTheReference(t *testing.T) {
	t.Parallel()
	v := newWorld(t).newVisitor()
	for _, path := range []string{"/docs", "/docs/rules", "/docs/schemas", "/docs/schemas/PriceItem", "/docs/guides/ids", "/docs/endpoints/search"} {
		want := map[string]string{"alternate x-default": v.w.server.URL + path}
		for _, lang := range languages {
			want["alternate "+lang] = v.w.server.URL + "/" + lang + path
		}
		for _, lang := range append(languages, "x-default") {
			for _, more := range []string{"", "x=1"} {
				query, address := "?"+more, path
				if lang != "x-default" {
					address = "/" + lang + path
				}
				want["canonical"] = want["alternate "+lang]
				if tags := linkTags(v.get(address + query).body); !maps.Equal(tags, want) {
					t.Errorf("%s%s: %v, want %v", address, query, tags, want)
				}
			}
		}
	}
	v.w.addUser(bobEmail, false)
	if p := v.w.signedIn(bobEmail).get("/docs/endpoints/search/try?q=elden"); len(linkTags(p.body)) > 0 {
		t.Error("search engines would read the answer to a request")
	}
}
