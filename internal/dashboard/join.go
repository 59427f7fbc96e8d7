package dashboard

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gamedex/internal/account"
)

func joinRoutes() []route {
	rows := []route{
		{"GET /signup", anyone, (*Dashboard).signUpPage},
		{"POST /signup", anyone, (*Dashboard).signUp},
	}
	for _, p := range []account.Purpose{account.LinkSetup, account.LinkInvite, account.LinkReset} {
		path := linkPath(p, "{token}")
		rows = append(rows,
			route{"GET " + path, anyone, func(d *Dashboard, v *visit) error { return d.linkPage(v, p) }},
			route{"POST " + path, anyone, func(d *Dashboard, v *visit) error { return d.useLink(v, p) }})
	}
	return rows
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
	by := account.By{At: d.cfg.Now().UnixMilli(), Actor: "serve"}
	l, token, err := account.NewLink(account.LinkSetup, by, d.cfg.Rand)
	if err != nil {
		return "", false, err
	}
	if err := d.cfg.Store.SaveLink(ctx, l, by); err != nil {
		return "", false, err
	}
	return LinkAddress(d.cfg.PublicURL, l.Purpose, token), true, nil
}

// joinView is what join.html shows: the form that makes an account, or gives it
// another password.
type joinView struct {
	Kind       string // "signup", "setup", "invite" or "reset": part of the keys of texts
	Email      string
	EmailFixed bool
	Problem    string // a sentence
	Wrong      wrongs
	Insecure   bool
}

// How many accounts may be made, and how many links be used, from one address.
const (
	joinTries  = 30
	joinWindow = time.Hour
)

// readNewcomer reads the form of view and hashes the password. It is false if it
// answered already, with what is wrong.
func (d *Dashboard) readNewcomer(v *visit, view joinView) (u account.User, ok bool, err error) {
	again := func(status int) (account.User, bool, error) {
		return account.User{}, false, v.render(status, "join", view)
	}
	if view.Insecure {
		return again(http.StatusBadRequest)
	}
	password := v.r.PostFormValue("password")
	u, err = v.newcomer(view.Email, password)
	if w, ok := wrongField(err); ok {
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
	if wait := d.throttle.Allow(what, d.cfg.Client(v.r), joinTries, joinWindow, v.now()); wait > 0 {
		view.Problem = v.later(wait)
		return again(http.StatusTooManyRequests)
	}
	u.PasswordHash, err = d.cfg.Passwords.Hash(v.r.Context(), password)
	return u, err == nil, hashing(err)
}

// newcomer is a user to be, if the address and the password will do.
func (v *visit) newcomer(email, password string) (account.User, error) {
	email, err := account.ParseEmail(email)
	if err != nil {
		return account.User{}, err
	}
	if err := account.CheckPassword(password, email); err != nil {
		return account.User{}, err
	}
	id, err := account.NewUserID(v.now(), v.d.cfg.Rand)
	return account.User{ID: id, Email: email, CreatedAt: v.now()}, err
}

func (d *Dashboard) signUpPage(v *visit) error {
	switch {
	case v.User != nil:
		return v.redirect(afterSignIn(""))
	case !v.SignUpOpen():
		return v.render(http.StatusOK, "uninvited", d.cfg.SignUp == SignUpInvite)
	}
	return v.render(http.StatusOK, "join", joinView{Kind: "signup", Insecure: v.insecure()})
}

// signUp makes an account. Whether the address had one already is not told: the
// answer is the same, after the same work.
func (d *Dashboard) signUp(v *visit) error {
	if !v.SignUpOpen() {
		return v.render(http.StatusForbidden, "uninvited", d.cfg.SignUp == SignUpInvite)
	}
	u, ok, err := d.readNewcomer(v, joinView{Kind: "signup", Email: v.form("email"), Insecure: v.insecure()})
	if err != nil || !ok {
		return err
	}
	by := v.by()
	by.Actor = u.ID
	err = d.cfg.Store.CreateUser(v.r.Context(), u, by)
	if err != nil && !errors.Is(err, account.ErrEmailTaken) {
		return stored(err)
	}
	return v.done("/signin", "join.signed-up")
}

// openLink finds the link whose token is in the address, and what its form
// shows.
func (d *Dashboard) openLink(v *visit, p account.Purpose) (l account.Link, view joinView, err error) {
	view = joinView{Kind: string(p), Email: v.form("email"), EmailFixed: p != account.LinkSetup, Insecure: v.insecure()}
	gone := &problem{status: http.StatusNotFound, message: "join.gone"}
	token := v.r.PathValue("token")
	if !account.CheckLinkToken(token) {
		return l, view, gone
	}
	l, found, err := d.cfg.Store.FindLink(v.r.Context(), account.HashLinkToken(token), v.now())
	switch {
	case err != nil:
		return l, view, stored(err)
	case !found || l.Purpose != p:
		return l, view, gone
	case p == account.LinkInvite && d.cfg.SignUp == SignUpClosed:
		return l, view, &problem{status: http.StatusForbidden, message: "join.closed"}
	case p == account.LinkInvite:
		view.Email = l.Email
	case p == account.LinkReset:
		u, err := d.cfg.Store.FindUser(v.r.Context(), l.UserID)
		view.Email = u.Email
		return l, view, stored(err)
	}
	return l, view, nil
}

func (d *Dashboard) linkPage(v *visit, p account.Purpose) error {
	_, view, err := d.openLink(v, p)
	if err != nil {
		return err
	}
	return v.render(http.StatusOK, "join", view)
}

// useLink does what a link is for, and signs in who held it.
func (d *Dashboard) useLink(v *visit, p account.Purpose) error {
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
		return &problem{status: http.StatusNotFound, message: "join.gone"}
	case errors.Is(err, account.ErrEmailTaken):
		// Who holds an invitation may know: it was sent to this address.
		return v.done("/signin", "join.taken")
	case err != nil:
		return stored(fmt.Errorf("use a link for %s: %w", p, err))
	}
	if err := v.letIn(u); err != nil {
		return err
	}
	return v.done(afterSignIn(""), "join.welcome-"+string(p))
}

// accept uses a link up: u is the user it makes, or has the password for the
// link's own. The result is who the link was for.
func (d *Dashboard) accept(v *visit, l account.Link, u account.User) (account.User, error) {
	by := v.by()
	if l.Purpose == account.LinkReset {
		by.Actor = l.UserID
		return d.cfg.Store.AcceptReset(v.r.Context(), l.Hash, u.PasswordHash, by)
	}
	by.Actor = u.ID
	return u, d.cfg.Store.AcceptLink(v.r.Context(), l.Hash, u, by)
}
