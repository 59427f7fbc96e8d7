package dashboard_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/quota"
)

// TestPagesAreLight fills every page with as much as it may have to show, in the longer
// language, and weighs it. Styles and scripts, which browsers keep, count apart.
func TestPagesAreLight(t *testing.T) {
	t.Parallel()
	const most, mostAssets = 80_000, 44_000
	s := newAttackedWorld(t)
	s.crowd()
	own := 0
	for _, name := range []string{"style.css", "script.js", "game.css", "game.js"} {
		about, err := os.Stat(filepath.Join("web", "assets", name))
		if err != nil {
			t.Fatal(err)
		}
		own += int(about.Size())
	}
	if own > mostAssets {
		t.Errorf("styles and scripts have %d bytes", own)
	}
	v := s.as(s.ann)
	v.header.Set("Accept-Language", "ru")
	for _, rt := range routesOf(http.MethodGet) {
		p := v.get(s.pathOf(rt))
		if size := len(p.body); size > most {
			t.Errorf("%s has %d bytes", rt.Path, size)
		}
	}
}

// TestReferenceIsLight weighs all pages of the reference for a user, who has forms there, and the longest
// answers to them, in all languages.
func TestReferenceIsLight(t *testing.T) {
	t.Parallel()
	const most = 59 << 10 // 60 KB, less room for a page that grows
	v := explorer(t)
	for _, code := range languageCodes(t) {
		pages := v.reference("/" + code)
		if len(pages) < 70 {
			t.Errorf("%d pages in %s", len(pages), code)
		}
		for _, request := range []string{"deals/try?limit=200", "browse/try?limit=200", "search/try?q=the&limit=100"} {
			path := "/" + code + "/docs/endpoints/" + request
			pages[path] = v.get(path)
			if size := len(shownIn(t, pages[path], "result-json")); size < 19_000 {
				t.Errorf("%s: the answer has %d bytes", path, size)
			}
		}
		lightest, heaviest := most, 0
		for path, p := range pages {
			lightest, heaviest = min(lightest, len(p.body)), max(heaviest, len(p.body))
			if p.status != http.StatusOK || len(p.body) > most {
				t.Errorf("%s: status %d, %d bytes", path, p.status, len(p.body))
			}
		}
		t.Logf("%s: %d pages, %d to %d bytes", code, len(pages), lightest, heaviest)
	}
}

// crowd makes more users, keys, links, entries and usage than pages list at
// once, with names longer than people make them.
func (s *attackedWorld) crowd() {
	s.t.Helper()
	const people = 55
	ctx, name := s.t.Context(), strings.Repeat("Ж", 40)
	by := account.By{At: millis(), Actor: s.ann.ID, From: "2001:db8:aaaa:bbbb:cccc:dddd:eeee:ffff", Detail: strings.Repeat("причина ", 12)}
	fill := func(what string, err error) {
		s.t.Helper()
		if err != nil {
			s.t.Fatalf("%s: %v", what, err)
		}
	}
	var usage []quota.UsageRow
	for i := range people {
		u := s.addUser(fmt.Sprintf("%d.%s@%s.example.org", i, strings.Repeat("a", 25), strings.Repeat("b", 25)), false)
		if i%2 == 0 {
			fill("disable", s.db.Accounts.DisableUser(ctx, u.ID, by))
		}
		link := account.Link{Hash: [32]byte{byte(i), 1}, Purpose: account.LinkInvite, Email: "guest-" + u.Email,
			CreatedBy: s.ann.ID, CreatedAt: by.At, ExpiresAt: by.At + account.LinkInvite.Lifetime()}
		fill("link", s.db.Accounts.SaveLink(ctx, link, by))
	}
	for range 60 {
		key, _ := s.issue(millis(), "cli:test", account.Draft{Name: name, UserID: s.ann.ID})
		_, err := s.db.Accounts.RevokeKey(ctx, key.ID, by)
		fill("revoke", err)
	}
	for i := range account.MaxKeys {
		key, _ := s.issue(millis(), "cli:test", account.Draft{Name: name, UserID: s.ann.ID})
		if i%2 == 0 {
			_, err := s.db.Accounts.SuspendKey(ctx, key.ID, by.Detail, by)
			fill("suspend", err)
		}
		for hour := range int64(30) {
			usage = append(usage, quota.UsageRow{KeyID: key.ID, Hour: millis()/3_600_000 - hour*23, Route: "/catalog/pcstore/games/{slug}",
				Outcome: quota.OutcomeRefused, Count: 1_234_567})
		}
	}
	fill("usage", s.db.Accounts.SaveUsage(ctx, quota.UsageBatch{Run: s.ann.ID, Number: 1, Rows: usage}))
}

// TestPublicPagesAreLight weighs the public pages but those of games, which TestGamePageSize weighs, in the longer language, without pictures, styles
// and scripts, which browsers keep.
func TestPublicPagesAreLight(t *testing.T) {
	t.Parallel()
	const most = 60 << 10
	v := passerby(t)
	for _, path := range v.w.publicPages() {
		if strings.HasPrefix(path, "/en/games/") { // its address has the title in the language
			continue
		}
		path = "/ru" + strings.TrimPrefix(path, "/en")
		if p := v.get(path); p.status != http.StatusOK || len(p.body) > most {
			t.Errorf("%s: status %d, %d bytes", path, p.status, len(p.body))
		}
	}
}
