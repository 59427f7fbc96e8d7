package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"gamedex/internal/account"
)

func signInRoutes() []route {
	return []route{
		{"GET /signin", anyone, (*Dashboard).signInPage},
		{"POST /signin", anyone, (*Dashboard).signIn},
		{"POST /signout", anyone, (*Dashboard).signOut},
		{"GET /forgotten", anyone, (*Dashboard).forgotten},
	}
}

// signInView is what signin.html shows.
type signInView struct {
	Email, Back string
	Problem     string // a sentence
	Wrong       wrongs
	Insecure    bool   // no cookie would come back
	Provider    string // path of the sign-in with a provider; "" without one
}

func (v *visit) signInView(email string) signInView {
	view := signInView{Email: email, Back: ownPath(v.form("back"), ""), Insecure: v.insecure()}
	if v.ProviderName() != "" {
		view.Provider = "/signin/oidc"
		if view.Back != "" {
			view.Provider += "?" + url.Values{"back": {view.Back}}.Encode()
		}
	}
	return view
}

// ProviderName is what to call the provider that people may sign in with; ""
// without one.
func (v *visit) ProviderName() string {
	if v.d.cfg.OIDC == nil {
		return ""
	}
	return v.d.cfg.OIDC.Name
}

// insecure says whether the browser would not send back the cookies it gets:
// they are for HTTPS, and it came without.
func (v *visit) insecure() bool { return v.d.cfg.Secure && !v.d.cfg.HTTPS(v.r) }

func (d *Dashboard) signInPage(v *visit) error {
	if v.User != nil {
		return v.redirect(afterSignIn(v.form("back")))
	}
	return v.render(http.StatusOK, "signin", v.signInView(""))
}

// signIn lets in who has the password. An unknown address, a wrong password and
// a disabled user get the same answer after the same work.
func (d *Dashboard) signIn(v *visit) error {
	view := v.signInView(v.form("email"))
	if view.Insecure {
		return v.render(http.StatusBadRequest, "signin", view)
	}
	email, err := account.ParseEmail(view.Email)
	if err != nil {
		view.Wrong = wrongs{"email": "wrong.email"}
		return v.render(http.StatusUnprocessableEntity, "signin", view)
	}
	u, _, err := d.cfg.Store.FindUserByEmail(v.r.Context(), email)
	if err != nil {
		return stored(err)
	}
	right, wait, err := v.try(email, u, v.r.PostFormValue("password"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		view.Problem = v.later(wait)
		return v.render(http.StatusTooManyRequests, "signin", view)
	case !right:
		view.Problem = v.T("signin.wrong")
		return v.render(http.StatusUnauthorized, "signin", view)
	}
	if err := v.letIn(u); err != nil {
		return err
	}
	return v.redirect(afterSignIn(view.Back))
}

// try says whether a password is that of a user who may sign in; u is empty if
// nobody has the email address. After too many wrong ones it is not looked at:
// wait says for how long.
func (v *visit) try(email string, u account.User, password string) (right bool, wait time.Duration, err error) {
	known, err := v.known(u.ID)
	if err != nil {
		return false, 0, err
	}
	throttle, from, now := v.d.throttle, v.d.cfg.Client(v.r), v.now()
	if wait := throttle.Admit(email, from, known, now); wait > 0 {
		return false, wait, nil
	}
	same, err := v.d.cfg.Passwords.Check(v.r.Context(), password, u.PasswordHash)
	if err != nil {
		throttle.GiveBack(email, from, known, now)
		return false, 0, hashing(err)
	}
	if same && !u.Disabled() {
		throttle.Succeeded(email, from, known, now)
		return true, 0, nil
	}
	return false, 0, nil
}

// hashing makes of an error of the hasher what the visitor is to know of it.
func hashing(err error) error {
	if errors.Is(err, account.ErrBusy) {
		return &problem{status: http.StatusServiceUnavailable, message: "signin.busy", retryAfter: 5 * time.Second}
	}
	return err
}

// later is the sentence for who must wait, and tells his browser too.
func (v *visit) later(wait time.Duration) string {
	v.comeBack(wait)
	return v.N("signin.throttled", int((wait+time.Minute-1)/time.Minute))
}

// letIn makes the session that of a user who has shown that he has a password,
// or may choose it, and the browser known to the account.
func (v *visit) letIn(u account.User) error {
	by := v.by()
	by.Actor = u.ID
	if err := v.d.cfg.Store.NoteSignIn(v.r.Context(), u.ID, by); err != nil {
		return stored(err)
	}
	if err := v.rememberDevice(u.ID); err != nil {
		return err
	}
	return v.signIn(u)
}

// signOut ends the session, of whoever it is.
func (d *Dashboard) signOut(v *visit) error {
	if v.User != nil {
		if err := v.signOut(); err != nil {
			return err
		}
	}
	return v.redirect("/")
}

// forgotten says who helps: the service sends no mail.
func (d *Dashboard) forgotten(v *visit) error {
	return v.render(http.StatusOK, "forgotten", nil)
}
