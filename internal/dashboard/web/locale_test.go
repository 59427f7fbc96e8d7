package web

import (
	"net/url"
	"path"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

func TestSlug(t *testing.T) {
	for title, want := range map[string]string{
		"The Witcher 3: Wild Hunt": "the-witcher-3-wild-hunt", "Baldur's Gate 3": "baldurs-gate-3", "  ELDEN RING™ ": "elden-ring", "God of War Ragnarök": "god-of-war-ragnar%C3%B6k",
		"": "-", "!!!": "-", "..": "-", "a/b\\c": "a-b-c", "\u202egpj.exe": "gpj-exe", "Відьмак": url.PathEscape("відьмак"),
	} {
		if got := Slug(title); got != want {
			t.Errorf("%q: %q, want %q", title, got, want)
		}
	}
}

// TestAddressesOfGames checks that any title and id make one path, and a short one.
func TestAddressesOfGames(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		title, id := rapid.String().Draw(t, "title"), rapid.StringMatching(`[A-Za-z0-9_.~-]{1,30}`).Draw(t, "id")
		place := Locale{Lang: "en", Market: Market{Currency: money.USD}}
		address := place.Game(catalog.PCStore, id, title, nil)
		u, err := url.Parse(address)
		if err != nil || u.RawQuery != "" || u.Fragment != "" || u.Host != "" || strings.Count(u.Path, "/") != 5 {
			t.Fatalf("%q: %v", address, err)
		}
		if id != "." && id != ".." && path.Clean(u.Path) != u.Path {
			t.Fatalf("%q is not clean", address)
		}
		if slug := path.Base(u.Path); utf8.RuneCountInString(slug) > maxSlug || strings.HasPrefix(slug, "-") && slug != "-" {
			t.Fatalf("%q has the title %q", address, slug)
		}
	})
}
