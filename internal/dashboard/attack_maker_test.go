package dashboard_test

import (
	"net/http"
	"strings"
	"testing"
)

// TestLinksEndWithTheirMaker: former administrators have no way back by the links
// that they created.
func TestLinksEndWithTheirMaker(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"no-admin", "disable", "delete"} {
		s := newAttackedWorld(t)
		other := s.as(s.other)
		for path, form := range map[string][]string{"/admin/users/invite": {"email", "back@example.org", "admin", "on"}, "/admin/users/" + s.ann.ID + "/reset": nil} {
			link := strings.TrimPrefix(between(t, other.post(path, form...).body, `<code id="link">`, "</code>"), s.server.URL)
			if p := s.newVisitor().get(link); p.status != http.StatusOK {
				t.Fatalf("%s: the link of %s does not work to begin with: %d", end, path, p.status)
			}
			s.as(s.ann).post("/admin/users/" + s.other.ID + "/" + end)
			if p := s.newVisitor().staying().post(link, "password", otherPassword); p.status != http.StatusNotFound {
				t.Errorf("%s: the link of %s still works: %d", end, path, p.status)
			}
			if end == "delete" {
				break
			}
			s.restore()
			other = s.as(s.other)
		}
	}
}

func (s *attackedWorld) restore() {
	s.t.Helper()
	s.as(s.ann).post("/admin/users/" + s.other.ID + "/enable")
	s.as(s.ann).post("/admin/users/" + s.other.ID + "/admin")
}
