package dashboard_test

import (
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
	"gamedex/internal/testing/browsertest"
	"gamedex/internal/webhook"
)

func TestCreatingAWebhookInABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob, receiver := w.addUser(bobEmail, false), w.sending()
	w.addHookKey(bob, "watcher")
	v := w.browseAs(bobEmail, browsertest.Options{})
	v.Go("/webhooks")
	v.ClickText("Create your first webhook")
	v.Fill("URL of the receiver", receiver.URL+"/prices")
	v.Fill("Games", w.live.View().Card(0).ID())
	v.Fill("Amount", "19,99") // chooses the amount
	v.Submit("Create webhook")
	v.See("name one country in regions")
	v.Click("[name=regions][value=UA]")
	v.Submit("Create webhook")
	v.See("Webhook created")
	secret := v.Text("#secret")

	// The page asks before it is left, until the secret has been copied.
	v.DismissDialogs()
	v.Click("h1")
	v.ClickText("Usage")
	if dialogs := v.Dialogs(); len(dialogs) != 1 || v.Path() != "/webhooks/new" {
		t.Errorf("leaving: dialogs %q, at %s", dialogs, v.Path())
	}
	v.ClickText("Copy secret")
	v.See("Copied")
	if copied := v.Clipboard(); copied != secret {
		t.Errorf("copied %q, want the secret", copied)
	}
	v.ClickText("I have saved it")
	v.Submit("Send a test message")
	receiver.received(t, 1)
	w.signedIn(bobEmail).shows(v.Path(), "answered 204")
	v.Reload()
	v.See("delivered")
	v.ClickText("Delete webhook")
	v.Submit("Delete webhook")
	v.See("You have no webhooks")
}

func TestLooksOfWebhooks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	w.addUser(annEmail, true) // has no key
	k := w.addHookKey(bob, "price watcher")
	failing := w.addWebhook(k, "https://a-receiver-with-a-rather-long-name.department.example.org/prices")
	w.addTries(failing.ID, webhook.Try{Status: 204, Took: 84}, webhook.Try{Status: 500, Took: 1043},
		webhook.Try{Error: "tls: failed to verify certificate: x509: certificate signed by unknown authority", Took: 7})
	gone := w.addWebhook(k, "https://gone.example/")
	w.addWebhook(k, "https://receiver.example/")
	silent := w.addHookKey(bob, "a key with a name that somebody made much longer than they should have done")
	w.addWebhook(silent, "https://other.example/")
	for _, err := range []error{
		w.db.Webhooks.TurnOffBy(t.Context(), gone.ID, account.By{At: millis() - 3*3_600_000}),
		func() error {
			_, err := w.db.Accounts.SuspendKey(t.Context(), silent.ID, "too loud", account.By{At: millis()})
			return err
		}(),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	off := newWorld(t, func(_ *world, cfg *dashboard.Config) { cfg.Webhooks.Repository, cfg.Admin.Webhooks = nil, nil })
	off.addUser(annEmail, true)
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			w, off := w.in(t), off.in(t)
			see := func(v *browsertest.Visitor, page string) { judge(v, "webhooks-"+page+"-"+look.name) }
			v := w.browseAs(bobEmail, look.Options)
			for page, path := range map[string]string{"list": "", "waiting": "/" + failing.ID, "gone": "/" + gone.ID, "delete": "/" + gone.ID + "/delete", "new": "/new"} {
				v.Go("/webhooks" + path)
				see(v, page)
			}
			v.Go("/webhooks/new")
			v.Eval(`document.querySelector("#url").value = "http://far.example/"; document.querySelector("#ids").value = "elden-ring";
				document.querySelector("[name=regions]").checked = true; document.querySelector("form[action='/webhooks/new']").submit()`, nil)
			v.Text(".wrong")
			see(v, "wrong")
			v.Go("/webhooks/new")
			v.Eval(`document.querySelector("#url").value = "https://far.example/"; document.querySelector("#ids").value = "elden-ring\nnone-such";
				document.querySelector("form[action='/webhooks/new']").submit()`, nil)
			v.Text("#secret")
			see(v, "created")
			id := strings.TrimPrefix(v.Attribute("a[data-leave]", "href"), "/webhooks/")
			v.AcceptDialogs()
			a := w.browseAs(annEmail, look.Options)
			for page, path := range map[string]string{"empty": "/webhooks", "admin": "/admin/webhooks", "admin-delete": "/admin/webhooks/" + gone.ID + "/delete"} {
				a.Go(path)
				see(a, page)
			}
			o := off.browseAs(annEmail, look.Options)
			o.Go("/webhooks")
			see(o, "off")
			if err := w.db.Webhooks.Delete(t.Context(), id); err != nil {
				t.Fatal(err)
			}
		})
	}
}
