package dashboard_test

import (
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/dashboard"
	"gamedex/internal/dashboard/openid"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/testing/browsertest"
	"gamedex/internal/testing/porttest"
)

func TestFirstAdministratorInABrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	setup := w.addLink(account.LinkSetup, func(*account.Link) {})
	v := w.browse(browsertest.Options{})
	v.Go(setup)
	v.See("Create the first administrator")
	v.Fill("Email address", annEmail)
	v.Fill("New password", password)
	v.Check("Show the password")
	if kind := v.Attribute("#password", "type"); kind != "text" {
		t.Errorf("the password is shown in a field of type %q", kind)
	}
	v.Submit("Create account")
	v.See("You are the administrator here")
	if v.Path() != "/" {
		t.Errorf("led to %s", v.Path())
	}
	for _, c := range v.Cookies() {
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
			t.Errorf("cookie %s: HttpOnly %v, SameSite %v", c.Name, c.HttpOnly, c.SameSite)
		}
	}

	v.ClickText(annEmail)
	v.Fill("Current password", "not this one")
	v.Fill("New password", otherPassword)
	v.Submit("Change the password")
	v.See("This is not your password.")
	v.Fill("Current password", password)
	v.Fill("New password", otherPassword)
	v.Submit("Change the password")
	v.See("The password is changed.")

	v.Submit("Sign out")
	v.See("Game prices in every country")
	v.Go("/usage")
	v.Fill("Email address", annEmail)
	v.Fill("Password", password)
	v.Submit("Sign in")
	v.See("The email address or the password is wrong.")
	if email := v.Value("Email address"); email != annEmail {
		t.Errorf("the page has forgotten the address: %q", email)
	}
	// The focus is where the mistake probably was.
	v.Type(otherPassword)
	v.Press("Enter")
	if v.Path() != "/usage" {
		t.Errorf("led to %s, not back to where she was going", v.Path())
	}
}

func TestSigningInByKeyboard(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	v := w.browse(browsertest.Options{})
	v.Go("/signin")
	if at := v.Focused(); !strings.Contains(at, "Email address") {
		t.Errorf("the page begins at %s", at)
	}
	v.Type(annEmail)
	v.Tab(1)
	v.Type(password)
	v.Tab(1)
	if at := v.Focused(); !strings.Contains(at, "Show the password") {
		t.Errorf("after the password comes %s", at)
	}
	v.Tab(1)
	v.Press("Enter")
	if v.Path() != "/" {
		t.Errorf("led to %s", v.Path())
	}
}

func TestLooksOfSigningIn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, func(_ *world, cfg *dashboard.Config) {
		cfg.SignIn.OIDC = &openid.Settings{Name: "Example ID", Issuer: "http://" + porttest.Closed(t), ClientID: "x", ClientSecret: "x"}
	})
	open := newWorld(t, signUpIs(web.SignUpOpen))
	insecure := newWorld(t, func(_ *world, cfg *dashboard.Config) { cfg.Web.Secure = always })
	ann := w.addUser(annEmail, true)
	w.addKey(ann, "one")
	w.addKey(ann, "two")
	invite := w.addLink(account.LinkInvite, func(l *account.Link) { l.Email = "somebody.with.a.long.address@department.example.org" })
	setup := w.addLink(account.LinkSetup, func(*account.Link) {})
	reset := w.addLink(account.LinkReset, func(l *account.Link) { l.UserID = ann.ID })
	for _, look := range looks {
		t.Run(look.name, func(t *testing.T) {
			shown := func(v *browsertest.Visitor, name string) { judge(v, "signin-"+name+"-"+look.name) }
			w, open, insecure := w.in(t), open.in(t), insecure.in(t)
			v := w.browse(look.Options)
			pages := map[string]string{"page": "/signin", "uninvited": "/signup", "forgotten": "/forgotten", "gone": "/invite/gone"}
			if look.name == looks[0].name { // they differ from the invitation in words alone
				pages["setup"], pages["reset"] = setup, reset
			}
			for name, path := range pages {
				v.Go(path)
				shown(v, name)
			}
			v.Go("/signin?back=/usage")
			v.Eval(`document.querySelector("#email").value = "ann@example.org"`, nil)
			v.Eval(`document.querySelector("#password").value = "not her password"`, nil)
			v.Click("form[action='/signin'] button")
			shown(v, "wrong")
			v.Go(invite)
			v.Eval(`document.querySelector("#password").value = "1234567890"`, nil)
			v.Click("main form button")
			shown(v, "invite")
			v = open.browse(look.Options)
			v.Go("/signup")
			shown(v, "signup")
			v = insecure.browse(look.Options)
			v.Go("/signin")
			shown(v, "insecure")
			v = w.browseAs(annEmail, look.Options)
			v.Go("/profile")
			shown(v, "profile")
			v.Go("/profile/delete")
			shown(v, "delete")
		})
	}
}

func (w *world) in(t *testing.T) *world {
	inner := *w
	inner.t = t
	return &inner
}
