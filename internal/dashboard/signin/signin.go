package signin

import (
	"errors"
	"net/http"
	"net/url"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// signInView is what signin.html shows.
type signInView struct {
	Email, Back  string
	Reason       string // key: for what to sign in; ""
	Problem      string // a sentence
	Errors       web.FieldErrors
	Insecure     bool   // the browser would not send the cookie back
	Provider     string // path of the sign-in with a provider; "" without one
	ProviderName string
}

func (p *Pages) signInView(v *web.Visit, email string) signInView {
	view := signInView{Email: email, Back: web.LocalPath(v.Form("back"), ""), Insecure: p.insecure(v)}
	view.Reason = p.reasonFor(view.Back)
	if p.OIDC != nil {
		view.Provider, view.ProviderName = "/signin/oidc", p.OIDC.Name
		if view.Back != "" {
			view.Provider += "?" + url.Values{"back": {view.Back}}.Encode()
		}
	}
	return view
}

// insecure reports whether the cookies need HTTPS and the browser came without.
func (p *Pages) insecure(v *web.Visit) bool { return p.site.Secure && !p.site.HTTPS(v.R) }

func (p *Pages) signInPage(v *web.Visit) error {
	if v.User != nil {
		return v.Redirect(p.afterSignIn(v.Form("back")))
	}
	return v.Render(http.StatusOK, "signin", p.signInView(v, ""))
}

// maxBack bounds the address to which a sign-in returns, in bytes.
const maxBack = 1024

// afterSignIn returns the page that follows a sign-in. It is never another
// sign-in: with a provider that does not ask again, that would be a loop.
func (p *Pages) afterSignIn(wanted string) string {
	path := web.LocalPath(wanted, "/")
	u, err := url.Parse(path)
	if err != nil || len(path) > maxBack || p.site.In(u.Path, "/signin") {
		return "/"
	}
	return path
}

// signIn signs a user in with a password. An unknown address, a wrong password
// and a disabled user get the same answer after the same work.
func (p *Pages) signIn(v *web.Visit) error {
	view := p.signInView(v, v.Form("email"))
	if view.Insecure {
		return v.Render(http.StatusBadRequest, "signin", view)
	}
	email, err := account.ParseEmail(view.Email)
	if err != nil {
		view.Errors = web.FieldErrors{"email": "wrong.email"}
		return v.Render(http.StatusUnprocessableEntity, "signin", view)
	}
	u, _, err := p.Users.FindUserByEmail(v.Context(), email)
	if err != nil {
		return web.StoreError(err)
	}
	correct, wait, err := p.checkPassword(v, email, u, v.R.PostFormValue("password"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		view.Problem = throttled(v, wait)
		return v.Render(http.StatusTooManyRequests, "signin", view)
	case !correct:
		view.Problem = v.T("signin.wrong")
		return v.Render(http.StatusUnauthorized, "signin", view)
	}
	if err := p.startSession(v, u); err != nil {
		return err
	}
	return v.Redirect(p.afterSignIn(view.Back))
}

// checkPassword reports whether a password is that of a user who may sign in; u
// is empty if nobody has the email address. After too many wrong passwords it
// does not check the password and returns how long to wait.
func (p *Pages) checkPassword(v *web.Visit, email string, u account.User, password string) (correct bool, wait time.Duration, err error) {
	known, err := v.KnownDevice(u.ID)
	if err != nil {
		return false, 0, err
	}
	from, now := v.Client(), v.Now()
	if wait := p.throttle.Admit(email, from, known, now); wait > 0 {
		return false, wait, nil
	}
	same, err := p.Passwords.Check(v.Context(), password, u.PasswordHash)
	if err != nil {
		p.throttle.GiveBack(email, from, known, now)
		return false, 0, hashError(err)
	}
	if same && !u.Disabled() {
		p.throttle.Succeeded(email, from, known, now)
		return true, 0, nil
	}
	return false, 0, nil
}

// hashError returns what the visitor reads of an error of the password hasher.
func hashError(err error) error {
	if errors.Is(err, account.ErrBusy) {
		return &web.Problem{Status: http.StatusServiceUnavailable, Message: "signin.busy", RetryAfter: 5 * time.Second}
	}
	return err
}

// throttled returns the sentence for a visitor who has to wait, and sends their
// browser the time.
func throttled(v *web.Visit, wait time.Duration) string {
	v.SetRetryAfter(wait)
	return v.N("signin.throttled", int((wait+time.Minute-1)/time.Minute))
}

// startSession signs a user in who has proved who they are, and makes the browser
// a known device.
func (p *Pages) startSession(v *web.Visit, u account.User) error {
	by := v.By()
	by.Actor = u.ID
	if err := p.Users.NoteSignIn(v.Context(), u.ID, by); err != nil {
		return web.StoreError(err)
	}
	if err := v.RememberDevice(u.ID); err != nil {
		return err
	}
	return v.SignIn(u)
}

func (p *Pages) signOut(v *web.Visit) error {
	if v.User != nil {
		if err := v.SignOut(); err != nil {
			return err
		}
	}
	return v.Redirect("/")
}

// forgotten explains how to get a reset link: the service sends no mail.
func (p *Pages) forgotten(v *web.Visit) error {
	return v.Render(http.StatusOK, "forgotten", nil)
}
