package dashboard_test

import (
	"testing"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/testing/browsertest"
	"gamedex/internal/testing/oidctest"
)

// TestProviderInABrowser goes to the provider, which is another site: the
// session that began must be there when the browser comes back, and no policy
// may stop the browser on the way.
func TestProviderInABrowser(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Person: person(annEmail)})
	w.addUser(annEmail, true)
	v := w.browse(browsertest.Options{Origins: []string{w.provider.Issuer()}})
	v.Go("/usage")
	v.ClickText("Sign in with Example")
	if v.Path() != "/usage" || v.Text(`a[href="/profile"]`) != annEmail {
		t.Errorf("led to %s as %q", v.Path(), v.Text(`a[href="/profile"]`))
	}
	v.Submit("Sign out")
	w.provider.Now(oidctest.Behaviour{Refusal: "access_denied"})
	v.Go("/signin")
	v.ClickText("Sign in with Example")
	v.See("The sign-in with Example was cancelled.")
	v.Axe()
	v.Shot("oidc-called-off-light")

	w.provider.Now(oidctest.Behaviour{Person: person("somebody.with.a.long.name@subsidiary.example.org")})
	for _, look := range looks {
		o := look.Options
		o.Origins = []string{w.provider.Issuer()}
		v := w.browse(o)
		v.Go("/signin/oidc")
		v.See("somebody.with.a.long.name@subsidiary.example.org")
		judge(v, "oidc-no-account-"+look.name)
	}
}
