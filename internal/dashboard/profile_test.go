package dashboard_test

import (
	"net/http"
	"strings"
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
		p := w.signIn(email).get("/profile")
		if p.status != http.StatusOK || !strings.Contains(p.body, want) || !strings.Contains(p.body, email) || !strings.Contains(p.body, "<time datetime=") {
			t.Errorf("%s: status %d\n%s", email, p.status, p.body)
		}
	}
}

func TestChangePassword(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	here, elsewhere := w.signIn(annEmail), w.signIn(annEmail)
	for name, tt := range map[string]struct{ current, password, want string }{
		"a wrong password":    {"not her password", otherPassword, `id="current-wrong"`},
		"a weak new one":      {password, "1234567890", `id="password-wrong"`},
		"the address for one": {password, annEmail, `id="password-wrong"`},
		"nothing":             {"", "", `id="password-wrong"`},
	} {
		p := here.post("/profile/password", "current", tt.current, "password", tt.password)
		if p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, tt.want) {
			t.Errorf("%s: status %d\n%s", name, p.status, p.body)
		}
	}
	before := here.cookie("gamedex")
	if p := here.post("/profile/password", "current", password, "password", otherPassword); p.path != "/profile" || !strings.Contains(p.body, "The password is changed") {
		t.Fatalf("status %d at %s\n%s", p.status, p.path, p.body)
	}
	if p := here.get("/profile"); p.path != "/profile" || here.cookie("gamedex") == before {
		t.Errorf("this session: at %s, its token the same: %v", p.path, here.cookie("gamedex") == before)
	}
	stolen := w.newVisitor()
	stolen.plant("gamedex", before)
	for name, v := range map[string]*visitor{"elsewhere": elsewhere, "with the former token": stolen} {
		if p := v.get("/profile"); p.path != "/signin" {
			t.Errorf("the session %s still works: at %s", name, p.path)
		}
	}
	if p := elsewhere.post("/signin", "email", annEmail, "password", password); p.status != http.StatusUnauthorized {
		t.Errorf("the former password: status %d", p.status)
	}
	if p := elsewhere.post("/signin", "email", annEmail, "password", otherPassword, "back", "/profile"); p.path != "/profile" {
		t.Errorf("the new password: status %d at %s", p.status, p.path)
	}
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
	if last.status != http.StatusUnprocessableEntity {
		t.Fatalf("the tenth try: status %d", last.status)
	}
	if p := v.post("/profile/password", "current", password, "password", otherPassword); p.status != http.StatusTooManyRequests || p.header.Get("Retry-After") == "" {
		t.Errorf("the next: status %d\n%s", p.status, p.body)
	}
	if p := v.post("/profile/delete", "password", password); p.status != http.StatusTooManyRequests {
		t.Errorf("to delete the account: status %d", p.status)
	}
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
	if p := here.post("/profile/sessions"); p.path != "/signin" || !strings.Contains(p.body, "signed out everywhere") {
		t.Errorf("status %d at %s\n%s", p.status, p.path, p.body)
	}
	for name, v := range map[string]*visitor{"here": here, "elsewhere": elsewhere} {
		if p := v.get("/profile"); p.path != "/signin" {
			t.Errorf("the session %s still works: at %s", name, p.path)
		}
	}
	if status := w.callAPI(token, "/account/me"); status != http.StatusOK {
		t.Errorf("her key: status %d", status)
	}
}

func TestDeleteAccount(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	bob := w.addUser(bobEmail, false)
	_, token := w.addKey(bob, "Bob's own")
	here, elsewhere := w.signIn(bobEmail), w.signIn(bobEmail)
	if status := w.callAPI(token, "/account/me"); status != http.StatusOK {
		t.Fatalf("the key: status %d", status)
	}
	if p := here.get("/profile/delete"); p.status != http.StatusOK || !strings.Contains(p.body, "1 of your keys will permanently stop") {
		t.Errorf("status %d\n%s", p.status, p.body)
	}
	if p := here.post("/profile/delete", "password", "not the password", "email", bobEmail); p.status != http.StatusUnprocessableEntity || !strings.Contains(p.body, "not your password") {
		t.Errorf("a wrong password: status %d\n%s", p.status, p.body)
	}
	if p := here.post("/profile/delete", "password", password); p.path != "/" || !strings.Contains(p.body, "Your account is deleted") {
		t.Fatalf("status %d at %s\n%s", p.status, p.path, p.body)
	}
	for name, v := range map[string]*visitor{"here": here, "elsewhere": elsewhere} {
		if p := v.get("/profile"); p.path != "/signin" {
			t.Errorf("the session %s still works: at %s", name, p.path)
		}
	}
	if p := here.post("/signin", "email", bobEmail, "password", password); p.status != http.StatusUnauthorized {
		t.Errorf("a sign-in: status %d", p.status)
	}
	if _, found, err := w.db.Accounts.FindUserByEmail(t.Context(), bobEmail); found || err != nil {
		t.Errorf("the account still exists: %v, %v", found, err)
	}
	w.eventually("the end of the key, whose owner is gone", func() bool {
		return w.callAPI(token, "/account/me") == http.StatusForbidden
	})
}

func TestDeleteTheOnlyAdministrator(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.addUser(annEmail, true)
	v := w.signIn(annEmail)
	if p := v.post("/profile/delete", "password", password); p.status != http.StatusConflict || !strings.Contains(p.body, "only administrator") {
		t.Errorf("status %d\n%s", p.status, p.body)
	}
	if p := v.get("/profile"); p.path != "/profile" {
		t.Errorf("signed out: at %s", p.path)
	}
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
	if p := v.get("/profile"); p.path != "/profile" || strings.Contains(p.body, `name="current"`) || !strings.Contains(p.body, "reset link") {
		t.Errorf("at %s\n%s", p.path, p.body)
	}
	if p := v.post("/profile/password", "current", "", "password", otherPassword); p.status != http.StatusForbidden {
		t.Errorf("a password out of nothing: status %d", p.status)
	}
	for _, email := range []string{"", annEmail, `"><script>alert(1)</script>`} {
		if p := v.post("/profile/delete", "email", email, "password", ""); p.status != http.StatusUnprocessableEntity || strings.Contains(p.body, "<script>alert") {
			t.Errorf("confirmed with %q: status %d\n%s", email, p.status, p.body)
		}
	}
	if p := v.post("/profile/delete", "email", " BOB@example.org"); p.path != "/" || !strings.Contains(p.body, "Your account is deleted") {
		t.Errorf("status %d at %s\n%s", p.status, p.path, p.body)
	}
	for _, email := range []string{"", bobEmail} {
		if p := w.newVisitor().post("/signin", "email", email, "password", ""); p.status < 400 {
			t.Errorf("sign-in as %q without a password: status %d at %s", email, p.status, p.path)
		}
	}
}
