package dashboard_test

import (
	"net/http"
	"testing"

	"gamedex/internal/account"
)

const otherPassword = "another horse battery"

func TestProfile(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	w.addUser(bobEmail, false)
	for email, want := range map[string]string{annEmail: "Administrator", bobEmail: "<dd>User</dd>"} {
		w.signIn(email).get("/profile").wants(t, http.StatusOK, want, email, "<time datetime=")
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	here, elsewhere := w.signIn(annEmail), w.signIn(annEmail)
	for _, tt := range []struct{ current, password, want string }{
		{"not her password", otherPassword, `id="current-wrong"`},
		{password, "1234567890", `id="password-wrong"`}, // weak
		{password, annEmail, `id="password-wrong"`},
		{"", "", `id="password-wrong"`},
	} {
		here.post("/profile/password", "current", tt.current, "password", tt.password).wants(t, http.StatusUnprocessableEntity, tt.want)
	}
	before := here.cookie("gamedex")
	here.post("/profile/password", "current", password, "password", otherPassword).isAt(t, "/profile", "The password is changed")
	if p := here.get("/profile"); p.path != "/profile" || here.cookie("gamedex") == before {
		t.Errorf("this session: at %s, its token the same: %v", p.path, here.cookie("gamedex") == before)
	}
	stolen := w.newVisitor()
	stolen.plant("gamedex", before)
	elsewhere.get("/profile").isAt(t, "/signin")
	stolen.get("/profile").isAt(t, "/signin")
	elsewhere.post("/signin", "email", annEmail, "password", password).wants(t, http.StatusUnauthorized)            // the former password
	elsewhere.post("/signin", "email", annEmail, "password", otherPassword, "back", "/profile").isAt(t, "/profile") // the new password
}

// TestCurrentPasswordIsThrottled checks that somebody who finds an open browser
// does not get unlimited attempts.
func TestCurrentPasswordIsThrottled(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	v := w.signIn(annEmail)
	var last answered
	for range 10 {
		last = v.post("/profile/password", "current", "a wrong guess", "password", otherPassword)
	}
	last.wants(t, http.StatusUnprocessableEntity) // the tenth try
	if p := v.post("/profile/password", "current", password, "password", otherPassword); p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" {
		t.Errorf("the next: status %d\n%s", p.status, p.body)
	}
	v.post("/profile/delete", "password", password).wants(t, http.StatusTooManyRequests) // to delete the account
	if w.user(annEmail).PasswordHash == "" {
		t.Error("the password is gone")
	}
}

func TestSignOutEverywhere(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ann := w.addUser(annEmail, true)
	_, token := w.addKey(ann, "goes on")
	here, elsewhere := w.signIn(annEmail), w.signIn(annEmail)
	here.post("/profile/sessions").isAt(t, "/signin", "signed out everywhere")
	here.get("/profile").isAt(t, "/signin")
	elsewhere.get("/profile").isAt(t, "/signin")
	w.requestAPI(token, "/account/me").wants(t, http.StatusOK)
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	bob := w.addUser(bobEmail, false)
	_, token := w.addKey(bob, "Bob's own")
	here, elsewhere := w.signIn(bobEmail), w.signIn(bobEmail)
	w.requestAPI(token, "/account/me").wants(t, http.StatusOK)
	here.get("/profile/delete").wants(t, http.StatusOK, "1 of your keys will permanently stop")
	here.post("/profile/delete", "password", "not the password", "email", bobEmail).wants(t, http.StatusUnprocessableEntity, "not your password") // a wrong password
	here.post("/profile/delete", "password", password).isAt(t, "/", "Your account is deleted")
	here.get("/profile").isAt(t, "/signin")
	elsewhere.get("/profile").isAt(t, "/signin")
	here.post("/signin", "email", bobEmail, "password", password).wants(t, http.StatusUnauthorized)
	if _, found, err := w.db.Accounts.FindUserByEmail(t.Context(), bobEmail); found || err != nil {
		t.Errorf("the account still exists: %v, %v", found, err)
	}
	w.eventually("the end of the key, whose owner is gone", func() bool {
		return w.requestAPI(token, "/account/me").status == http.StatusForbidden
	})
}

func TestDeleteTheOnlyAdministrator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	v := w.signIn(annEmail)
	v.post("/profile/delete", "password", password).wants(t, http.StatusConflict, "only administrator")
	v.get("/profile").isAt(t, "/profile") // still signed in
}

// TestAccountWithoutPassword covers users who sign in with a provider and have
// no password to enter.
func TestAccountWithoutPassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	bob := w.addUser(bobEmail, false)
	if err := w.db.Accounts.SetPassword(t.Context(), bob.ID, "", account.By{At: millis(), Actor: "cli:test"}); err != nil {
		t.Fatal(err)
	}
	v := w.newVisitor()
	v.plant("gamedex", w.addSession(bodyOf(w.user(bobEmail))))
	v.get("/profile").isAt(t, "/profile", "reset link").lacks(t, `name="current"`)
	v.post("/profile/password", "current", "", "password", otherPassword).wants(t, http.StatusForbidden) // a password out of nothing
	for _, email := range []string{"", annEmail, `"><script>alert(1)</script>`} {
		v.post("/profile/delete", "email", email, "password", "").wants(t, http.StatusUnprocessableEntity).lacks(t, "<script>alert")
	}
	v.post("/profile/delete", "email", " BOB@example.org").isAt(t, "/", "Your account is deleted")
	for _, email := range []string{"", bobEmail} {
		if p := w.newVisitor().post("/signin", "email", email, "password", ""); p.status < 400 {
			t.Errorf("sign-in as %q without a password: status %d at %s", email, p.status, p.path)
		}
	}
}
