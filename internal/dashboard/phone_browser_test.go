package dashboard_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/testing/browsertest"
)

// TestEveryPageFitsAPhone opens every page of the route table at 360 px, with as much on it as it
// may have, and everything unfolded.
func TestEveryPageFitsAPhone(t *testing.T) {
	s := newAttackedWorld(t)
	s.crowd()
	files := []string{"/en/suggest", "/explore/suggest", "/answers/{path}", "/person", "/docs/endpoints/{operation}/try"} // no page, or one that was seen before
	phone := browsertest.Options{Width: 360, Height: 740, Language: "ru"}
	stranger, user := s.browse(phone), s.browseAs(annEmail, phone)
	for _, rt := range routesOf(http.MethodGet) {
		v := user
		if !rt.SignedIn && rt.Path != "/{$}" && !strings.HasPrefix(rt.Path, "/docs") {
			v = stranger
		}
		if slices.Contains(files, rt.Path) {
			continue
		}
		v.Go(settings{Options: phone}.in(s.pathOf(rt)))
		v.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, nil)
		v.Fits()
	}
}
