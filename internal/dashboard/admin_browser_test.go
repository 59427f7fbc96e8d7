package dashboard_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/quota"
	"gamedex/internal/sweep"
)

// busy fills a world so that the pages have something of everything to show.
func (w *world) busy() (bob account.User, key, spare account.Key) {
	w.t.Helper()
	ann, bob := w.addUser(annEmail, true), w.addUser(bobEmail, false)
	dora := w.addUser("dora.with.a.rather.long.name.indeed@mail.department.example.org", false)
	key, _ = w.addKey(bob, "price watcher")
	spare, _ = w.addKey(bob, "a key with a name that somebody made much longer than they should have done")
	w.addKey(account.User{}, "nightly job")
	by := account.By{At: millis(), Actor: ann.ID, From: "192.0.2.7"}
	why := by
	why.Detail = "asks for the same thousand cards every second, all day and all night"
	_, suspended := w.db.Accounts.SuspendKey(w.t.Context(), spare.ID, why.Detail, why)
	why.Detail = "degraded"
	invite := account.Link{Hash: [32]byte{1}, Purpose: account.LinkInvite, Email: "eve@example.org", Admin: true,
		CreatedBy: ann.ID, CreatedAt: by.At, ExpiresAt: by.At + account.LinkInvite.Lifetime()}
	hour := millis() / 3_600_000
	err := errors.Join(suspended, w.db.Accounts.DisableUser(w.t.Context(), dora.ID, by), w.db.Accounts.SaveLink(w.t.Context(), invite, by),
		w.db.Nodes.SetPlatform(w.t.Context(), catalog.PCStore, why.Detail, why),
		w.db.Accounts.SaveUsage(w.t.Context(), quota.UsageBatch{Run: "r", Number: 1, Rows: []quota.UsageRow{
			{KeyID: key.ID, Hour: hour, Route: "/api/v1/catalog/search", Outcome: quota.OutcomeOK, Count: 812},
			{KeyID: key.ID, Hour: hour - 30, Route: "/api/v1/prices", Outcome: quota.OutcomeRefused, Count: 95},
		}}))
	if err != nil {
		w.t.Fatal(err)
	}
	w.collectedIn([]catalog.Region{catalog.MustRegion("UA"), catalog.MustRegion("TR"), catalog.MustRegion("PL")}, catalog.Millis(millis()))
	for _, k := range []sweep.Kind{sweep.Prices, sweep.Editions} {
		w.failJob(sweep.Scope{Platform: catalog.PCStore, Region: catalog.MustRegion("TR"), Kind: k},
			errors.New("read page 17 of pcstore/TR/"+k.String()+": status 503 with a body that is no JSON: the store is being looked after"))
	}
	w.addNode("api-1.eu.example", 0, "43200", "api")
	w.addNode("api-2.eu.example", 2600*time.Millisecond, "43200", "api")
	w.addNode("worker", 0, "50000", "build", "collect")
	until := catalog.Millis(millis() + 40*60_000)
	if err := w.db.Sweeps.StopCollection(w.t.Context(), catalog.ConsoleStore, until, "12 of 20 requests were refused"); err != nil {
		w.t.Fatal(err)
	}
	return bob, key, spare
}

func TestLooksOfTheAdministration(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.live.Swap(widened(w.live.View(), []catalog.Region{catalog.MustRegion("UA"), catalog.MustRegion("TR"), catalog.MustRegion("PL")}))
	bob, key, spare := w.busy()
	pages := []struct{ name, path string }{
		{"status", "/status"}, {"users", "/admin/users"}, {"user", "/admin/users/" + bob.ID},
		{"user-delete", "/admin/users/" + bob.ID + "/delete"}, {"keys", "/admin/keys"}, {"key", "/admin/keys/" + key.ID},
		{"key-suspended", "/admin/keys/" + spare.ID}, {"key-revoke", "/admin/keys/" + key.ID + "/revoke"},
		{"platforms", "/admin/platforms"}, {"audit", "/admin/audit"},
	}
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			w := w.in(t)
			v := w.browseAs(annEmail, look.Options)
			shoot := func(page string) {
				v.Fits()
				v.Shot(fmt.Sprintf("admin-%s-%s", page, look.name))
				// axe cannot judge cells that are scrolled out of their box.
				v.Eval(`document.querySelector(".scroll > table:not(.stack)") && (document.body.style.minWidth = "75rem")`, nil)
				v.Axe()
			}
			for _, page := range pages {
				v.Go(page.path)
				shoot(page.name)
			}
			v.Go("/status")
			v.Eval(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`, nil)
			shoot("status-open")
			v.Go("/admin/users/" + bob.ID)
			v.Click(`form[action$="/reset"] button`)
			v.Text("#link")
			shoot("link")
		})
	}
}
