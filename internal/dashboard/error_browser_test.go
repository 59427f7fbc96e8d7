package dashboard_test

import (
	"cmp"
	"testing"
	"time"

	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/testing/browsertest"
)

// TestLooksOfErrors looks in every way at the pages that say why there is no other page: for
// administrators only, too many requests, and no catalog yet.
func TestLooksOfErrors(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(bobEmail, false)
	limited := newWorld(t, withPublicPages, func(_ *world, c *dashboard.Config) {
		c.Web.PublicLimits = web.PublicLimits{Each: 1, All: 1}
		now := time.Now()
		c.Web.Now = func() time.Time { return now }
	})
	empty := newWorld(t, func(w *world, _ *dashboard.Config) { w.live.Swap((*index.View)(nil)) })
	empty.addUser(bobEmail, false)
	limited.newVisitor().get("/en")
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			for _, page := range []struct {
				name, path string
				open       func() *browsertest.Visitor
			}{
				{"forbidden", "/admin/users", func() *browsertest.Visitor { w.t = t; return w.browseAs(bobEmail, look.Options) }},
				{"limited", "/" + cmp.Or(look.Language, "en"), func() *browsertest.Visitor { limited.t = t; return limited.browse(look.Options) }},
				{"unready", "/en/browse", func() *browsertest.Visitor {
					empty.t = t
					v := empty.browseAs(bobEmail, look.Options)
					v.Expect("status 503")
					return v
				}},
			} {
				v := page.open()
				v.Go(page.path)
				if retry := v.Count("main a[href='']"); retry > 0 != (page.name != "forbidden") {
					t.Errorf("%s has %d links to try again", page.name, retry)
				}
				judge(v, "error-"+page.name+"-"+look.name)
			}
		})
	}
}
