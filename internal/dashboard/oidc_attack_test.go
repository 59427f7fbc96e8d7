package dashboard_test

import (
	"maps"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"gamedex/internal/dashboard/web"
	"gamedex/internal/testing/oidctest"
)

func TestProviderSessionIsRenewed(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Person: person(annEmail)})
	w.addUser(annEmail, true)
	v := w.newVisitor()
	address := v.toCallback()
	before := v.cookie("gamedex")
	if status, next := v.hop(address); status != http.StatusSeeOther || next != "/" {
		t.Fatalf("the callback: status %d, location %q", status, next)
	}
	if before == "" || v.cookie("gamedex") == before || v.whoami() != annEmail {
		t.Error("the session keeps the token that it had before the sign-in")
	}
	planter := w.newVisitor()
	planter.header.Set("Cookie", "gamedex="+before)
	if got := planter.whoami(); got != "" {
		t.Errorf("a visitor with the earlier session is signed in as %q", got)
	}
}

// TestProviderAnswerIsNotBelieved covers answers of the provider, or of an
// impostor, that must be refused.
func TestProviderAnswerIsNotBelieved(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpOpen, oidctest.Behaviour{})
	w.addUser(annEmail, true)
	claim := func(name string, value any) oidctest.Behaviour {
		return oidctest.Behaviour{Person: person(annEmail), Claims: func(claims map[string]any) {
			claims[name] = value
			maps.DeleteFunc(claims, func(_ string, value any) bool { return value == nil })
		}}
	}
	signed := func(how oidctest.Signature) oidctest.Behaviour {
		return oidctest.Behaviour{Person: person(annEmail), Signature: how}
	}
	token := func(answer http.HandlerFunc) oidctest.Behaviour {
		return oidctest.Behaviour{Person: person(annEmail), Instead: map[string]http.HandlerFunc{oidctest.TokenPath: answer}}
	}
	keys := func(answer http.HandlerFunc) oidctest.Behaviour { // the key of the token is not known yet
		return oidctest.Behaviour{Person: person(annEmail), Rotated: true, Instead: map[string]http.HandlerFunc{oidctest.KeysPath: answer}}
	}
	apart := oidctest.Behaviour{Person: person(annEmail), AddressApart: true, Instead: map[string]http.HandlerFunc{
		oidctest.UserInfoPath: respondWith(http.StatusOK, `{"sub": "somebody else", "email": "ann@example.org", "email_verified": true}`)}}
	for _, tt := range []struct {
		name   string
		does   oidctest.Behaviour
		status int
	}{
		{"nonce of another sign-in", claim("nonce", "of another sign-in"), 400},
		{"no nonce", claim("nonce", nil), 400},
		{"another issuer", claim("iss", "https://elsewhere.example"), 400},
		{"another audience", claim("aud", "other"), 400},
		{"several audiences, another's party", oidctest.Behaviour{Person: person(annEmail), Claims: func(claims map[string]any) {
			claims["aud"], claims["azp"] = []string{"gamedex", "other"}, "other"
		}}, 400},
		{"several audiences, no party", claim("aud", []string{"gamedex", "other"}), 400},
		{"no audience", claim("aud", nil), 400},
		{"expired", claim("exp", time.Now().Add(-time.Minute).Unix()), 400},
		{"no expiry", claim("exp", nil), 400},
		{"not yet", claim("nbf", time.Now().Add(time.Hour).Unix()), 400},
		{"no subject", claim("sub", nil), 400},
		{"a very long subject", claim("sub", strings.Repeat("a", 256)), 400},
		{"claims that are no text", claim("email", []int{1}), 400},
		{"not signed", signed(oidctest.Nothing), 400},
		{"signed with another key", signed(oidctest.OtherKey), 400},
		{"signed with the public key", signed(oidctest.Symmetric), 400},
		{"changed after signing", signed(oidctest.Altered), 400},
		{"no ID token", token(respondWith(http.StatusOK, `{"access_token": "a", "token_type": "Bearer"}`)), 400},
		{"an invalid ID token", token(respondWith(http.StatusOK, `{"access_token": "a", "token_type": "Bearer", "id_token": "a.b.c"}`)), 400},
		{"no JSON", token(respondWith(http.StatusOK, `<html>`)), 400},
		{"code refused", token(respondWith(http.StatusBadRequest, `{"error": "invalid_grant"}`)), 400},
		{"token endpoint broken", token(respondWith(http.StatusBadGateway, `oh no`)), 503},
		{"user info of somebody else", apart, 400},
		{"no such key", keys(respondWith(http.StatusOK, `{"keys": []}`)), 400},
		{"keys broken", keys(respondWith(http.StatusBadGateway, `oh no`)), 400},
		{"huge keys", keys(respondWith(http.StatusOK, `{"keys": [], "more": "`+strings.Repeat("a", 1<<20)+`"}`)), 400},
		{"keys hang up", keys(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), 400},
		{"a huge token", claim("more", strings.Repeat("a", 1<<20)), 400},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.provider.Now(tt.does)
			v := w.newVisitor()
			p := v.get("/signin/oidc?back=/")
			want := map[int]string{400: didntWork, 503: noAnswer}[tt.status]
			p.wants(t, tt.status, want)
			if got := v.whoami(); got != "" {
				t.Errorf("signed in as %q", got)
			}
		})
	}
	for i, rotated := range []bool{false, true, false} { // a valid answer, one signed with a new key, the former key again
		w.provider.Now(oidctest.Behaviour{Person: person(annEmail), Rotated: rotated})
		v := w.newVisitor()
		if v.get("/signin/oidc?back=/"); v.whoami() != annEmail {
			t.Errorf("the valid answer %d after the invalid ones is refused", i)
		}
	}
}

func respondWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	}
}

func TestProviderState(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Person: person(annEmail)})
	w.addUser(annEmail, true)
	refused := func(t *testing.T, v *visitor, address string) {
		t.Helper()
		v.get(address).wants(t, http.StatusBadRequest, notBegun)
	}
	for _, tt := range []struct {
		name   string
		change func(address string) string
	}{
		{"no state", func(a string) string { return with(a, "state", "") }},
		{"another state", func(a string) string { return with(a, "state", strings.Repeat("A", 43)) }},
		{"part of the state", func(a string) string { return with(a, "state", parameter(a, "state")[:42]) }},
		{"nothing at all", func(string) string { return callback }},
		{"from another issuer", func(a string) string { return with(a, "iss", "https://elsewhere.example") }},
		{"a refusal without the state", func(string) string { return callback + "?error=access_denied" }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			v := w.newVisitor()
			good := v.toCallback()
			before := w.provider.Requests(oidctest.TokenPath)
			refused(t, v, tt.change(good))
			if v.whoami() != "" || w.provider.Requests(oidctest.TokenPath) != before {
				t.Error("the provider was contacted nevertheless")
			}
			if v.get(good); v.whoami() != annEmail {
				t.Error("a wrong answer has ended the sign-in that was under way")
			}
		})
	}
	t.Run("with the name of the issuer", func(t *testing.T) {
		v := w.newVisitor()
		if v.get(with(v.toCallback(), "iss", w.provider.Issuer())); v.whoami() != annEmail {
			t.Error("the sign-in is refused")
		}
	})
	t.Run("again", func(t *testing.T) {
		v := w.newVisitor()
		address := v.toCallback()
		v.get(address)
		refused(t, v, address)
	})
	t.Run("again after a failure", func(t *testing.T) {
		v := w.newVisitor()
		w.provider.Now(oidctest.Behaviour{Person: person(annEmail), Signature: oidctest.OtherKey})
		defer w.provider.Now(oidctest.Behaviour{Person: person(annEmail)})
		address := v.toCallback()
		v.get(address).has(t, didntWork) // a forged answer
		refused(t, v, address)
	})
	t.Run("after a newer one", func(t *testing.T) {
		v := w.newVisitor()
		older := v.toCallback()
		newer := v.toCallback()
		refused(t, v, older)
		if v.get(newer); v.whoami() != annEmail {
			t.Error("the newer sign-in is over")
		}
	})
	t.Run("on a node whose clock is four seconds behind", func(t *testing.T) {
		v := w.newVisitor()
		address := v.toCallback()
		w.later.Add(int64(-4 * time.Second))
		defer w.later.Add(int64(4 * time.Second))
		if v.get(address); v.whoami() != annEmail {
			t.Error("the sign-in is refused")
		}
	})
	t.Run("from the future", func(t *testing.T) {
		v := w.newVisitor()
		address := v.toCallback()
		w.later.Add(int64(-2 * time.Minute))
		defer w.later.Add(int64(2 * time.Minute))
		refused(t, v, address)
	})
	t.Run("too late", func(t *testing.T) {
		v := w.newVisitor()
		address := v.toCallback()
		w.later.Add(int64(10 * time.Minute))
		refused(t, v, address)
		refused(t, v, address)
	})
}

// An attacker who sends a browser to the answer of their sign-in, or puts their code
// into another's answer, signs nobody in to their account.
func TestProviderLoginCSRF(t *testing.T) {
	t.Parallel()
	const eve = "eve@example.org"
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{})
	w.addUser(annEmail, true)
	w.addUser(eve, false)
	planted := func() string {
		w.provider.Now(oidctest.Behaviour{Person: person(eve)})
		defer w.provider.Now(oidctest.Behaviour{Person: person(annEmail)})
		return w.newVisitor().toCallback()
	}
	ann := w.newVisitor()
	if p := ann.get(planted()); p.status != http.StatusBadRequest || ann.whoami() != "" {
		t.Errorf("in a browser that has begun nothing: status %d, signed in as %q", p.status, ann.whoami())
	}
	own := ann.toCallback()
	if p := ann.get(planted()); p.status != http.StatusBadRequest || ann.whoami() != "" {
		t.Errorf("in a browser that has begun a sign-in: status %d, signed in as %q", p.status, ann.whoami())
	}
	if ann.get(own); ann.whoami() != annEmail {
		t.Error("her own sign-in is over")
	}
	if ann.get(planted()); ann.whoami() != annEmail {
		t.Errorf("who was signed in is now %q", ann.whoami())
	}

	other := w.newVisitor()
	own = other.toCallback()
	if p := other.get(with(own, "code", parameter(planted(), "code"))); p.status != http.StatusBadRequest || !strings.Contains(p.body, didntWork) || other.whoami() != "" {
		t.Errorf("with the code of another sign-in: status %d, signed in as %q", p.status, other.whoami())
	}
	own = other.toCallback()
	if p := other.get(with(own, "code", w.foreignCode())); p.status != http.StatusBadRequest || !strings.Contains(p.body, didntWork) || other.whoami() != "" {
		t.Errorf("with a code for another client: status %d, signed in as %q", p.status, other.whoami())
	}
}

func (w *providerWorld) foreignCode() string {
	w.t.Helper()
	_, address := w.newVisitor().hop(w.provider.Issuer() + oidctest.AuthorizePath + "?" + url.Values{
		"client_id": {"other"}, "redirect_uri": {w.server.URL + "/elsewhere"}, "response_type": {"code"}, "scope": {"openid"},
		"state": {strings.Repeat("s", 43)}, "nonce": {strings.Repeat("n", 43)},
		"code_challenge": {strings.Repeat("c", 43)}, "code_challenge_method": {"S256"},
	}.Encode())
	code := parameter(address, "code")
	if code == "" {
		w.t.Fatalf("no code in %q", address)
	}
	return code
}

func TestProviderSecretStaysWithIt(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{})
	w.addUser(annEmail, true)
	elsewhere := oidctest.Start(t, oidctest.Behaviour{})
	w.provider.Now(oidctest.Behaviour{Person: person(annEmail), Instead: map[string]http.HandlerFunc{
		oidctest.TokenPath: func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.Issuer()+oidctest.TokenPath, http.StatusTemporaryRedirect)
		}}})
	v := w.newVisitor()
	if p := v.get("/signin/oidc"); p.status != http.StatusBadRequest || elsewhere.Requests(oidctest.TokenPath) != 0 {
		t.Errorf("status %d; secret and code were sent elsewhere %d times", p.status, elsewhere.Requests(oidctest.TokenPath))
	}
	// What must be in no log: of a sign-in that fails, and of one that does not.
	secrets := []string{clientSecret}
	for _, does := range []oidctest.Behaviour{
		{Person: person(annEmail), Signature: oidctest.OtherKey}, {Person: person(annEmail)},
		{Person: person(annEmail), Instead: map[string]http.HandlerFunc{oidctest.TokenPath: respondWith(400, `{"id_token": "token-in-error"}`)}},
	} {
		w.provider.Now(does)
		address := v.toCallback()
		secrets = append(secrets, parameter(address, "code"), parameter(address, "state"), v.cookie("gamedex"))
		v.get(address)
	}
	for _, secret := range append(secrets, "token-in-error", person(annEmail).Subject) {
		if secret == "" || strings.Contains(w.log.String(), secret) {
			t.Errorf("%q is in the log", secret)
		}
	}
	hasAll(t, w.log.String(), "sign-in with the provider failed")
}

func TestProviderBack(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{Person: person(annEmail)})
	w.addUser(annEmail, true)
	for back, want := range map[string]string{
		"":                              "/",
		"/usage?key=key_1&x=a b":        "/usage?key=key_1&x=a b",
		"https://evil.example/":         "/",
		"//evil.example/":               "/",
		`/\evil.example/`:               "/",
		"/\t/evil.example":              "/",
		"javascript:alert(1)":           "/",
		"keys":                          "/",
		"/signin/oidc":                  "/", // otherwise a loop
		"/signin?back=/usage":           "/",
		"/" + strings.Repeat("a", 2000): "/",
	} {
		v := w.newVisitor()
		_, provider := v.hop("/signin/oidc?" + url.Values{"back": {back}}.Encode())
		_, address := v.hop(provider)
		// Parameters of the callback itself are ignored.
		status, next := v.hop(with(address, "back", "https://evil.example/"))
		if status != http.StatusSeeOther || strings.ReplaceAll(next, "%20", " ") != want {
			t.Errorf("back %q: status %d, location %q, want %q", back, status, next, want)
		}
	}
}

// TestProviderTakesUnprovedPassword covers sign-up with any address: somebody
// else may have created the account, so the person who proves that the address
// is theirs gets it without the old password.
func TestProviderTakesUnprovedPassword(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		mode     web.SignUp
		signedIn bool // in the same browser, with the password
		kept     bool
	}{
		{"anybody may have chosen it", web.SignUpOpen, false, false},
		{"the visitor proves that it is theirs", web.SignUpOpen, true, true},
		{"only the invited have one", web.SignUpInvite, false, true},
		{"nobody signs up", web.SignUpClosed, false, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newProviderWorld(t, tt.mode, oidctest.Behaviour{Person: person(bobEmail)})
			w.addUser(bobEmail, false)
			squatter := w.signIn(bobEmail)
			owner := w.newVisitor()
			if tt.signedIn {
				owner = w.signIn(bobEmail)
			}
			p := owner.get("/signin/oidc?back=/")
			if got := owner.whoami(); got != bobEmail {
				t.Fatalf("the owner is signed in as %q", got)
			}
			if mentioned := strings.Contains(p.body, "no longer works"); mentioned == tt.kept {
				t.Errorf("the page mentions it: %v", mentioned)
			}
			if got := squatter.whoami() == bobEmail; got != tt.kept {
				t.Errorf("the earlier session still works: %v", got)
			}
			w.newVisitor().tryPassword(bobEmail, tt.kept)
			if owner.get("/signin/oidc?back=/"); owner.whoami() != bobEmail {
				t.Error("the owner cannot sign in again")
			}
		})
	}
}

func (v *visitor) tryPassword(email string, works bool) {
	v.w.t.Helper()
	v.post("/signin", "email", email, "password", password)
	if got := v.whoami() == email; got != works {
		v.w.t.Errorf("the password works: %v", got)
	}
}

// The service works while the provider does not, and finds it again.
func TestProviderDoesNotDescribeItself(t *testing.T) {
	t.Parallel()
	w := newProviderWorld(t, web.SignUpInvite, oidctest.Behaviour{})
	w.addUser(annEmail, true)
	elsewhere := oidctest.Start(t, oidctest.Behaviour{})
	describes := func(name string, value any) oidctest.Behaviour {
		return oidctest.Behaviour{Describe: func(d map[string]any) { d[name] = value }}
	}
	instead := func(answer http.HandlerFunc) oidctest.Behaviour {
		return oidctest.Behaviour{Instead: map[string]http.HandlerFunc{oidctest.DescriptionPath: answer}}
	}
	for _, tt := range []struct {
		name string
		does oidctest.Behaviour
	}{
		{"broken", instead(respondWith(http.StatusInternalServerError, "oh no"))},
		{"no JSON", instead(respondWith(http.StatusOK, "<html>"))},
		{"sends elsewhere", instead(func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, elsewhere.Issuer()+oidctest.DescriptionPath, http.StatusFound)
		})},
		{"hangs up", instead(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })},
		{"too long", describes("more", strings.Repeat("a", 1<<20))},
		{"another issuer", describes("issuer", "https://elsewhere.example")},
		{"tokens over plain HTTP", describes("token_endpoint", "http://elsewhere.example/token")},
		{"keys over plain HTTP", describes("jwks_uri", "http://elsewhere.example/keys")},
		{"user info over plain HTTP", describes("userinfo_endpoint", "http://elsewhere.example/me")},
		{"a script to go to", describes("authorization_endpoint", "javascript:alert(1)")},
		{"no keys", describes("jwks_uri", "")},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w.provider.Now(tt.does)
			w.newVisitor().get("/signin/oidc").wants(t, http.StatusServiceUnavailable, noAnswer)
		})
	}
	if n := elsewhere.Requests(oidctest.DescriptionPath); n != 0 {
		t.Errorf("a redirect was followed %d times", n)
	}
	w.provider.Now(oidctest.Behaviour{Person: person(annEmail)})
	v := w.newVisitor()
	if v.get("/signin/oidc?back=/"); v.whoami() != annEmail {
		t.Error("the provider is not found again")
	}
	before := w.provider.Requests(oidctest.DescriptionPath)
	if v.get("/signin/oidc?back=/"); w.provider.Requests(oidctest.DescriptionPath) != before {
		t.Error("a known provider is discovered again")
	}
}
