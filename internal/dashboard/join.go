package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

func (d *Dashboard) handleJoin() {
	d.site.Handle("GET /signup", web.Anyone, d.signUpPage)
	d.site.Handle("POST /signup", web.Anyone, d.signUp)
	for _, p := range []account.Purpose{account.LinkSetup, account.LinkInvite, account.LinkReset} {
		path := linkPath(p, "{token}")
		d.site.Handle("GET "+path, web.Anyone, func(v *web.Visit) error { return d.linkPage(v, p) })
		d.site.Handle("POST "+path, web.Anyone, func(v *web.Visit) error { return d.useLink(v, p) })
	}
}

func linkPath(p account.Purpose, token string) string { return "/" + string(p) + "/" + token }

// LinkAddress is where a browser uses a one-time link. The public URL has no
// slash at its end.
func LinkAddress(publicURL string, p account.Purpose, token string) string {
	return publicURL + linkPath(p, token)
}

// SetupLink makes a link with which the first administrator makes his account,
// in the place of an earlier one. It is needed, and made, only while there are
// no users.
func (d *Dashboard) SetupLink(ctx context.Context) (address string, needed bool, err error) {
	users, err := d.cfg.Store.CountUsers(ctx)
	if err != nil || users > 0 {
		return "", false, err
	}
	by := account.By{At: d.site.Now().UnixMilli(), Actor: "serve"}
	l, token, err := account.NewLink(account.LinkSetup, by, d.site.Rand)
	if err != nil {
		return "", false, err
	}
	if err := d.cfg.Store.SaveLink(ctx, l, by); err != nil {
		return "", false, err
	}
	return LinkAddress(d.site.PublicURL, l.Purpose, token), true, nil
}

// joinView is what join.html shows: the form that makes an account, or gives it
// another password.
type joinView struct {
	Kind       string // "signup", "setup", "invite" or "reset": part of the keys of texts
	Email      string
	EmailFixed bool
	Problem    string // a sentence
	Wrong      web.FieldErrors
	Insecure   bool
}

// How many accounts may be made, and how many links be used, from one address.
const (
	joinTries  = 30
	joinWindow = time.Hour
)

// readNewcomer reads the form of view and hashes the password. It is false if it
// answered already, with what is wrong.
func (d *Dashboard) readNewcomer(v *web.Visit, view joinView) (u account.User, ok bool, err error) {
	again := func(status int) (account.User, bool, error) {
		return account.User{}, false, v.Render(status, "join", view)
	}
	if view.Insecure {
		return again(http.StatusBadRequest)
	}
	password := v.R.PostFormValue("password")
	u, err = d.newcomer(v, view.Email, password)
	if w, ok := web.FieldErrorsOf(err); ok {
		view.Wrong = w
		return again(http.StatusUnprocessableEntity)
	}
	if err != nil {
		return u, false, err
	}
	what := "link"
	if view.Kind == "signup" {
		what = "signup"
	}
	if wait := d.throttle.Allow(what, v.Client(), joinTries, joinWindow, v.Now()); wait > 0 {
		view.Problem = d.later(v, wait)
		return again(http.StatusTooManyRequests)
	}
	u.PasswordHash, err = d.cfg.Passwords.Hash(v.Context(), password)
	return u, err == nil, hashing(err)
}

// newcomer is a user to be, if the address and the password will do.
func (d *Dashboard) newcomer(v *web.Visit, email, password string) (account.User, error) {
	email, err := account.ParseEmail(email)
	if err != nil {
		return account.User{}, err
	}
	if err := account.CheckPassword(password, email); err != nil {
		return account.User{}, err
	}
	id, err := account.NewUserID(v.Now(), d.site.Rand)
	return account.User{ID: id, Email: email, CreatedAt: v.Now()}, err
}

func (d *Dashboard) signUpPage(v *web.Visit) error {
	switch {
	case v.User != nil:
		return v.Redirect(afterSignIn(""))
	case !v.SignUpOpen():
		return v.Render(http.StatusOK, "uninvited", d.site.SignUp == web.SignUpInvite)
	}
	return v.Render(http.StatusOK, "join", joinView{Kind: "signup", Insecure: d.insecure(v)})
}

// signUp makes an account. Whether the address had one already is not told: the
// answer is the same, after the same work.
func (d *Dashboard) signUp(v *web.Visit) error {
	if !v.SignUpOpen() {
		return v.Render(http.StatusForbidden, "uninvited", d.site.SignUp == web.SignUpInvite)
	}
	u, ok, err := d.readNewcomer(v, joinView{Kind: "signup", Email: v.Form("email"), Insecure: d.insecure(v)})
	if err != nil || !ok {
		return err
	}
	by := v.By()
	by.Actor = u.ID
	err = d.cfg.Store.CreateUser(v.Context(), u, by)
	if err != nil && !errors.Is(err, account.ErrEmailTaken) {
		return web.StoreError(err)
	}
	return v.Done("/signin", "join.signed-up")
}

// openLink finds the link whose token is in the address, and what its form
// shows.
func (d *Dashboard) openLink(v *web.Visit, p account.Purpose) (l account.Link, view joinView, err error) {
	view = joinView{Kind: string(p), Email: v.Form("email"), EmailFixed: p != account.LinkSetup, Insecure: d.insecure(v)}
	gone := &web.Problem{Status: http.StatusNotFound, Message: "join.gone"}
	token := v.R.PathValue("token")
	if !account.CheckLinkToken(token) {
		return l, view, gone
	}
	l, found, err := d.cfg.Store.FindLink(v.Context(), account.HashLinkToken(token), v.Now())
	switch {
	case err != nil:
		return l, view, web.StoreError(err)
	case !found || l.Purpose != p:
		return l, view, gone
	case p == account.LinkInvite && d.site.SignUp == web.SignUpClosed:
		return l, view, &web.Problem{Status: http.StatusForbidden, Message: "join.closed"}
	case p == account.LinkInvite:
		view.Email = l.Email
	case p == account.LinkReset:
		u, err := d.cfg.Store.FindUser(v.Context(), l.UserID)
		view.Email = u.Email
		return l, view, web.StoreError(err)
	}
	return l, view, nil
}

func (d *Dashboard) linkPage(v *web.Visit, p account.Purpose) error {
	_, view, err := d.openLink(v, p)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, "join", view)
}

// useLink does what a link is for, and signs in who held it.
func (d *Dashboard) useLink(v *web.Visit, p account.Purpose) error {
	l, view, err := d.openLink(v, p)
	if err != nil {
		return err
	}
	u, ok, err := d.readNewcomer(v, view)
	if err != nil || !ok {
		return err
	}
	u, err = d.accept(v, l, u)
	switch {
	case errors.Is(err, account.ErrLinkGone):
		return &web.Problem{Status: http.StatusNotFound, Message: "join.gone"}
	case errors.Is(err, account.ErrEmailTaken):
		// Who holds an invitation may know: it was sent to this address.
		return v.Done("/signin", "join.taken")
	case err != nil:
		return web.StoreError(fmt.Errorf("use a link for %s: %w", p, err))
	}
	if err := d.letIn(v, u); err != nil {
		return err
	}
	return v.Done(afterSignIn(""), "join.welcome-"+string(p))
}

// accept uses a link up: u is the user it makes, or has the password for the
// link's own. The result is who the link was for.
func (d *Dashboard) accept(v *web.Visit, l account.Link, u account.User) (account.User, error) {
	by := v.By()
	if l.Purpose == account.LinkReset {
		by.Actor = l.UserID
		return d.cfg.Store.AcceptReset(v.Context(), l.Hash, u.PasswordHash, by)
	}
	by.Actor = u.ID
	return u, d.cfg.Store.AcceptLink(v.Context(), l.Hash, u, by)
}
