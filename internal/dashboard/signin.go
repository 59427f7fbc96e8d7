package dashboard

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

func (d *Dashboard) handleSignIn() {
	d.site.Handle("GET /signin", web.Anyone, d.signInPage)
	d.site.Handle("POST /signin", web.Anyone, d.signIn)
	d.site.Handle("POST /signout", web.Anyone, d.signOut)
	d.site.Handle("GET /forgotten", web.Anyone, d.forgotten)
}

// signInView is what signin.html shows.
type signInView struct {
	Email, Back  string
	Problem      string // a sentence
	Wrong        web.FieldErrors
	Insecure     bool   // no cookie would come back
	Provider     string // path of the sign-in with a provider; "" without one
	ProviderName string
}

func (d *Dashboard) signInView(v *web.Visit, email string) signInView {
	view := signInView{Email: email, Back: web.LocalPath(v.Form("back"), ""), Insecure: d.insecure(v)}
	if d.cfg.OIDC != nil {
		view.ProviderName = d.cfg.OIDC.Name
		view.Provider = "/signin/oidc"
		if view.Back != "" {
			view.Provider += "?" + url.Values{"back": {view.Back}}.Encode()
		}
	}
	return view
}

// insecure says whether the browser would not send back the cookies it gets:
// they are for HTTPS, and it came without.
func (d *Dashboard) insecure(v *web.Visit) bool { return d.site.Secure && !d.site.HTTPS(v.R) }

func (d *Dashboard) signInPage(v *web.Visit) error {
	if v.User != nil {
		return v.Redirect(afterSignIn(v.Form("back")))
	}
	return v.Render(http.StatusOK, "signin", d.signInView(v, ""))
}

// signIn lets in who has the password. An unknown address, a wrong password and
// a disabled user get the same answer after the same work.
func (d *Dashboard) signIn(v *web.Visit) error {
	view := d.signInView(v, v.Form("email"))
	if view.Insecure {
		return v.Render(http.StatusBadRequest, "signin", view)
	}
	email, err := account.ParseEmail(view.Email)
	if err != nil {
		view.Wrong = web.FieldErrors{"email": "wrong.email"}
		return v.Render(http.StatusUnprocessableEntity, "signin", view)
	}
	u, _, err := d.cfg.Store.FindUserByEmail(v.Context(), email)
	if err != nil {
		return web.StoreError(err)
	}
	right, wait, err := d.try(v, email, u, v.R.PostFormValue("password"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		view.Problem = d.later(v, wait)
		return v.Render(http.StatusTooManyRequests, "signin", view)
	case !right:
		view.Problem = v.T("signin.wrong")
		return v.Render(http.StatusUnauthorized, "signin", view)
	}
	if err := d.letIn(v, u); err != nil {
		return err
	}
	return v.Redirect(afterSignIn(view.Back))
}

// try says whether a password is that of a user who may sign in; u is empty if
// nobody has the email address. After too many wrong ones it is not looked at:
// wait says for how long.
func (d *Dashboard) try(v *web.Visit, email string, u account.User, password string) (right bool, wait time.Duration, err error) {
	known, err := v.KnownDevice(u.ID)
	if err != nil {
		return false, 0, err
	}
	throttle, from, now := d.throttle, v.Client(), v.Now()
	if wait := throttle.Admit(email, from, known, now); wait > 0 {
		return false, wait, nil
	}
	same, err := d.cfg.Passwords.Check(v.Context(), password, u.PasswordHash)
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
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "signin.busy", RetryAfter: 5 * time.Second}
	}
	return err
}

// later is the sentence for who must wait, and tells his browser too.
func (d *Dashboard) later(v *web.Visit, wait time.Duration) string {
	v.SetRetryAfter(wait)
	return v.N("signin.throttled", int((wait+time.Minute-1)/time.Minute))
}

// letIn makes the session that of a user who has shown that he has a password,
// or may choose it, and the browser known to the account.
func (d *Dashboard) letIn(v *web.Visit, u account.User) error {
	by := v.By()
	by.Actor = u.ID
	if err := d.cfg.Store.NoteSignIn(v.Context(), u.ID, by); err != nil {
		return web.StoreError(err)
	}
	if err := v.RememberDevice(u.ID); err != nil {
		return err
	}
	return v.SignIn(u)
}

// signOut ends the session, of whoever it is.
func (d *Dashboard) signOut(v *web.Visit) error {
	if v.User != nil {
		if err := v.SignOut(); err != nil {
			return err
		}
	}
	return v.Redirect("/")
}

// forgotten says who helps: the service sends no mail.
func (d *Dashboard) forgotten(v *web.Visit) error {
	return v.Render(http.StatusOK, "forgotten", nil)
}
