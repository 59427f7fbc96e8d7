package dashboard_test

import (
	"html"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
)

// withoutPath matches links to pages whose path has no language.
var withoutPath = regexp.MustCompile(`(?:href|action)="(/(?:docs|signin|signup|forgotten)(?:[/?][^"#]*)?)["#]`)

// linksWithoutPath returns the addresses that a page links to and whose path has no language.
func linksWithoutPath(page string) (addresses []string) {
	for _, found := range withoutPath.FindAllStringSubmatch(page, -1) {
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
	v := passerby(t, func(_ *world, c *dashboard.Config) { c.Web.SignUp = web.SignUpOpen })
	for i, lang := range languages {
		other := languages[(i+1)%len(languages)]
		v.plant("language", other)
		v.header.Set("Accept-Language", other)
		queue, seen := []string{"/" + lang, "/" + lang + "/browse"}, map[string]bool{}
		for ; len(queue) > 0; queue = queue[1:] {
			address := queue[0]
			p := v.get(address)
			if p.status != http.StatusOK || !strings.Contains(p.body, `<html lang="`+lang+`">`) {
				t.Errorf("from /%s: %s has status %d and another language", lang, address, p.status)
			}
			if !strings.Contains(p.body, `href="/`+lang+`/browse"`) {
				t.Errorf("from /%s: %s leads to no public page in the language", lang, address)
			}
			if len(p.header.Values("Set-Cookie")) > 0 {
				t.Errorf("%s sets a cookie", address)
			}
			if vary := strings.Join(p.header.Values("Vary"), ", "); !strings.HasPrefix(address, "/"+lang) && (vary != "Cookie, Accept-Language" || p.header.Get("Cache-Control") != "no-store") {
				t.Errorf("%s: Vary %q, Cache-Control %q", address, vary, p.header.Get("Cache-Control"))
			}
			for _, next := range linksWithoutPath(p.body) {
				if !seen[next] {
					seen[next] = true
					queue = append(queue, next)
				}
			}
		}
		q := "?language=" + lang
		for _, want := range []string{"/docs" + q, "/docs/guides/ids" + q, "/docs/schemas/PriceItem" + q, "/docs/endpoints/search" + q, "/signin" + q, "/signup" + q, "/forgotten" + q} {
			if !seen[want] {
				t.Errorf("nothing leads to %s", want)
			}
		}
		if len(seen) < 40 {
			t.Errorf("from /%s: %d links", lang, len(seen))
		}
	}
}

// TestOnlyKnownLanguagesCount sends values that are no language of the pages: the page is the same as
// without them.
func TestOnlyKnownLanguagesCount(t *testing.T) {
	v := passerby(t)
	v.header.Set("Accept-Language", "uk")
	back := regexp.MustCompile(`<input type="hidden" name="back"[^>]*>`)
	for _, path := range []string{"/docs", "/signin"} {
		plain := back.ReplaceAllString(v.get(path).body, "")
		for _, query := range []string{"?language=", "?language=fr", "?language=RU", "?language=en-GB", "?language=%22%3E%3Cscript%3E", "?language=%zz", "?language=de&language=ru", "?lang=ru"} {
			if p := v.get(path + query); p.status != http.StatusOK || back.ReplaceAllString(p.body, "") != plain || !strings.Contains(plain, `<html lang="uk">`) {
				t.Errorf("%s%s is another page, status %d", path, query, p.status)
			}
		}
	}
}

// TestFormsKeepTheLanguage sends forms of pages whose address has a language: the pages that answer
// are in it, until somebody chooses another one.
func TestFormsKeepTheLanguage(t *testing.T) {
	w := newWorld(t, withPublicPages, func(_ *world, c *dashboard.Config) { c.Web.SignUp = web.SignUpOpen })
	w.addUser(bobEmail, false)
	v := w.newVisitor()
	v.post("/signin?language=ru", "email", bobEmail, "password", "wrong").wants(t, http.StatusUnauthorized, `<html lang="ru">`, `action="/signin?language=ru"`)
	v.post("/signup?language=uk", "email", "x", "password", "y").wants(t, http.StatusUnprocessableEntity, `<html lang="uk">`, `action="/signup?language=uk"`)
	if p := v.post("/signup?language=uk", "email", "carl@example.com", "password", "a long password of Carl"); p.path != "/signin" || !strings.Contains(p.body, `<html lang="uk">`) {
		t.Errorf("after the sign-up: %s\n%.200s", p.path, p.body)
	}
	if p := v.get("/docs/endpoints/search/try?q=elden&language=ru"); p.path != "/signin" || !strings.Contains(p.body, `<html lang="ru">`) {
		t.Errorf("a stranger's request: %s\n%.200s", p.path, p.body)
	}
	if p := v.get("/docs/endpoints/search?language=ru"); !slices.Contains(linksWithoutPath(p.body), "/signin?back=%2Fdocs%2Fendpoints%2Fsearch%3Flanguage%3Dru&language=ru") {
		t.Errorf("the links of the endpoint are %q", linksWithoutPath(p.body))
	}
	v.post("/language", "to", "uk", "back", "/signin?back=%2Fdocs%2Fendpoints%2Fsearch%3Flanguage%3Dru&language=ru").wants(t, http.StatusOK, `<html lang="uk">`,
		`name="back" value="/docs/endpoints/search?language=uk"`)

	bob := w.signedIn(bobEmail)
	bob.get("/docs/endpoints/search?language=ru").wants(t, http.StatusOK, `<html lang="ru">`, `<input type="hidden" name="language" value="ru">`)
	bob.get("/docs/endpoints/search/try?language=ru&q=elden&lang=uk").wants(t, http.StatusOK, `<html lang="ru">`, "lang=uk", "200 OK")
	bob.post("/docs/endpoints/postPrices/try?language=ru", "body", `{"ids":["elden-ring"]}`).wants(t, http.StatusOK, `<html lang="ru">`, "/try?language=ru#result", "200 OK")
	if p := bob.get("/docs/endpoints/search/try?q=elden&lang=uk"); !strings.Contains(p.body, `<html lang="en">`) || strings.Contains(p.body, `name="language"`) {
		t.Error("the parameter lang of the API chooses the language of the page")
	}
	p := bob.post("/language", "to", "uk", "back", "/docs/endpoints/search?language=ru&x=1")
	if p.path != "/docs/endpoints/search" || !strings.Contains(p.body, `<html lang="uk">`) || bob.cookie("language") != "uk" {
		t.Errorf("after the choice of Ukrainian: %s\n%.200s", p.path, p.body)
	}
}

// TestCanonicalAddressesOfTheReference checks that each language of a page has its own address,
// and that all of them are named, with the one whose language depends on the browser.
func TestCanonicalAddressesOfTheReference(t *testing.T) {
	v := newWorld(t).newVisitor()
	tag := regexp.MustCompile(`<link rel="(?:canonical|alternate)"(?: hreflang="([a-z-]+)")? href="([^"]*)">`)
	for _, path := range []string{"/docs", "/docs/rules", "/docs/schemas", "/docs/schemas/PriceItem", "/docs/guides/ids", "/docs/endpoints/search"} {
		want := map[string]string{"x-default": v.w.server.URL + path}
		for _, lang := range languages {
			want[lang] = v.w.server.URL + path + "?language=" + lang
		}
		for _, lang := range append(languages, "x-default") {
			for _, more := range []string{"", "x=1"} {
				query := "?" + more
				if lang != "x-default" {
					query = "?language=" + lang + "&" + more
				}
				tags := map[string]string{}
				for _, found := range tag.FindAllStringSubmatch(v.get(path+query).body, -1) {
					tags[found[1]] = html.UnescapeString(found[2])
				}
				want[""] = want[lang]
				if len(tags) != len(want) {
					t.Fatalf("%s%s: %v", path, query, tags)
				}
				for name, address := range want {
					if tags[name] != address {
						t.Errorf("%s%s: %q is %s, want %s", path, query, name, tags[name], address)
					}
				}
			}
		}
	}
	v.w.addUser(bobEmail, false)
	if p := v.w.signedIn(bobEmail).get("/docs/endpoints/search/try?q=elden"); tag.MatchString(p.body) {
		t.Error("search engines would read the answer to a request")
	}
}
