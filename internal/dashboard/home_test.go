package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
)

func TestHome(t *testing.T) {
	v := newWorld(t).newVisitor()
	p := v.get("/")
	if p.status != http.StatusOK || !strings.Contains(p.body, "Game prices in every country") {
		t.Errorf("status %d\n%s", p.status, p.body)
	}
	for _, link := range []string{`href="/docs"`, `href="/explore"`, `href="/signin"`} {
		if !strings.Contains(p.body, link) {
			t.Errorf("the first page lacks %s", link)
		}
	}
	if p := v.get("/nowhere"); p.status != http.StatusNotFound || !strings.Contains(p.body, "no such page") {
		t.Errorf("an unknown path: status %d\n%s", p.status, p.body)
	}
}

func TestLanguage(t *testing.T) {
	w := newWorld(t)
	const english, russian = "Game prices in every country", "Цены на игры во всех странах"
	for _, tt := range []struct{ accept, want string }{
		{"", english}, {"de", english}, {"ru", russian}, {"ru-RU,ru;q=0.9,en;q=0.8", russian},
		{"en-GB,ru;q=0.5", english}, {"garbage;;;q=9", english}, {"uk,ru;q=0.5", russian},
	} {
		v := w.newVisitor()
		v.header.Set("Accept-Language", tt.accept)
		if p := v.get("/"); !strings.Contains(p.body, tt.want) {
			t.Errorf("Accept-Language %q: no %q in the page", tt.accept, tt.want)
		}
	}
	v := w.newVisitor()
	if p := v.post("/language", "to", "ru", "back", "/?x=1"); p.path != "/" || !strings.Contains(p.body, russian) {
		t.Errorf("after the choice: %s\n%s", p.path, p.body)
	}
	if p := v.get("/"); !strings.Contains(p.body, russian) {
		t.Error("the choice is forgotten")
	}
}
