package dashboard

import (
	"regexp"
	"strings"

	"gamedex/internal/dashboard/web"
)

// Route is a row of the route table, for tests that go over all of it.
type Route struct {
	Method, Path string
	SignedIn     bool // others are redirected to the sign-in
	Admins       bool // other users are refused
}

func PublicPatterns() (patterns []string) {
	d, err := New(Config{Web: web.Config{PublicURL: "http://localhost", PublicPages: true}})
	if err != nil {
		panic(err)
	}
	for _, rt := range d.Routes() {
		if rt.Audience == web.Public {
			patterns = append(patterns, rt.Pattern)
		}
	}
	return patterns
}

// otherLanguage matches the paths of a page in a further language.
var otherLanguage = regexp.MustCompile(`^/(ru|uk)(/|$)|^/en/(person|signin|signup|forgotten|docs)\b`)

func Routes() []Route {
	d, err := New(Config{Web: web.Config{PublicURL: "http://localhost"}})
	if err != nil {
		panic(err)
	}
	var rows []Route
	for _, rt := range d.Routes() {
		method, path, _ := strings.Cut(rt.Pattern, " ")
		if otherLanguage.MatchString(path) {
			continue
		}
		rows = append(rows, Route{method, path, rt.Audience != web.Anyone, rt.Audience == web.Admins})
	}
	return rows
}
