package signin

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// LinkAddress returns the address of a one-time link. The public URL has no slash
// at the end.
func LinkAddress(publicURL string, p account.Purpose, token string) string {
	return publicURL + "/" + string(p) + "/" + token
}

func (p *pages) setupLink(ctx context.Context) (address string, needed bool, err error) {
	users, err := p.Links.CountUsers(ctx)
	if err != nil || users > 0 {
		return "", false, err
	}
	by := account.By{At: p.site.Now().UnixMilli(), Actor: "serve"}
	l, token, err := account.NewLink(account.LinkSetup, by, p.site.Rand)
	if err != nil {
		return "", false, err
	}
	if p.OthersToo {
		added, err := p.Links.AddLink(ctx, l, by)
		if err != nil || !added {
			return "", err == nil, err
		}
	} else if err := p.Links.SaveLink(ctx, l, by); err != nil {
		return "", false, err
	}
	return LinkAddress(p.site.PublicURL, l.Purpose, token), true, nil
}

// joinView is what join.html shows: the form that creates an account or sets a
// new password.
type joinView struct {
	Kind       string // "signup", "setup", "invite" or "reset": part of the message keys
	Email      string
	EmailFixed bool
	Problem    string // a sentence
	Errors     web.FieldErrors
	Insecure   bool
}

// How many accounts may be created, and how many links may be used, from one address
// within joinWindow.
const (
	joinTries  = 30
	joinWindow = time.Hour
)

// readNewUser reads the form of view and hashes the password. It reports false if
// the form is wrong and was answered.
func (p *pages) readNewUser(v *web.Visit, view joinView) (u account.User, ok bool, err error) {
	refuse := func(status int) (account.User, bool, error) {
		return account.User{}, false, v.Render(status, "join", view)
	}
	if view.Insecure {
		return refuse(http.StatusBadRequest)
	}
	password := v.R.PostFormValue("password")
	email, err := account.ParseEmail(view.Email)
	if err == nil {
		err = account.CheckPassword(password, email)
	}
	if wrong, ok := web.FieldErrorsOf(err); ok {
		view.Errors = wrong
		return refuse(http.StatusUnprocessableEntity)
	}
	if err != nil {
		return u, false, err
	}
	what := "link"
	if view.Kind == "signup" {
		what = "signup"
	}
	if wait := p.throttle.Allow(what, v.Client(), joinTries, joinWindow, v.Now()); wait > 0 {
		view.Problem = throttled(v, wait)
		return refuse(http.StatusTooManyRequests)
	}
	if u, err = p.newUser(v, email); err != nil {
		return u, false, err
	}
	u.PasswordHash, err = p.Passwords.Hash(v.Context(), password)
	return u, err == nil, hashError(err)
}

func (p *pages) newUser(v *web.Visit, email string) (account.User, error) {
	id, err := account.NewUserID(v.Now(), p.site.Rand)
	return account.User{ID: id, Email: email, CreatedAt: v.Now()}, err
}

func (p *pages) signUpPage(v *web.Visit) error {
	switch {
	case v.User != nil:
		return v.Redirect(p.afterSignIn(""))
	case !v.SignUpOpen():
		return v.Render(http.StatusOK, "uninvited", p.site.SignUp == web.SignUpInvite)
	}
	return v.Render(http.StatusOK, "join", joinView{Kind: "signup", Insecure: p.site.Insecure(v.R)})
}

// signUp creates an account. The answer does not reveal whether the address had
// one already: it is the same, after the same work.
func (p *pages) signUp(v *web.Visit) error {
	if !v.SignUpOpen() {
		return v.Render(http.StatusForbidden, "uninvited", p.site.SignUp == web.SignUpInvite)
	}
	u, ok, err := p.readNewUser(v, joinView{Kind: "signup", Email: v.Form("email"), Insecure: p.site.Insecure(v.R)})
	if err != nil || !ok {
		return err
	}
	by := v.By()
	by.Actor = u.ID
	err = p.Users.CreateUser(v.Context(), u, by)
	if err != nil && !errors.Is(err, account.ErrEmailTaken) {
		return web.DatabaseError(err)
	}
	return v.Done(v.To("/signin"), "join.signed-up")
}

// findLink returns the link whose token is in the address, and what its form
// shows.
func (p *pages) findLink(v *web.Visit, purpose account.Purpose) (l account.Link, view joinView, err error) {
	view = joinView{Kind: string(purpose), Email: v.Form("email"), EmailFixed: purpose != account.LinkSetup, Insecure: p.site.Insecure(v.R)}
	gone := &web.Problem{Status: http.StatusNotFound, Message: "join.gone"}
	token := v.R.PathValue("token")
	if !account.CheckLinkToken(token) {
		return l, view, gone
	}
	l, found, err := p.Links.FindLink(v.Context(), account.HashToken(token), v.Now())
	switch {
	case err != nil:
		return l, view, web.DatabaseError(err)
	case !found || l.Purpose != purpose:
		return l, view, gone
	case purpose == account.LinkInvite && p.site.SignUp == web.SignUpClosed:
		return l, view, &web.Problem{Status: http.StatusForbidden, Message: "join.closed"}
	case purpose == account.LinkInvite:
		view.Email = l.Email
	case purpose == account.LinkReset:
		u, err := p.Users.FindUser(v.Context(), l.UserID)
		view.Email = u.Email
		return l, view, web.DatabaseError(err)
	}
	return l, view, nil
}

func (p *pages) linkPage(v *web.Visit, purpose account.Purpose) error {
	_, view, err := p.findLink(v, purpose)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, "join", view)
}

func (p *pages) useLink(v *web.Visit, purpose account.Purpose) error {
	l, view, err := p.findLink(v, purpose)
	if err != nil {
		return err
	}
	u, ok, err := p.readNewUser(v, view)
	if err != nil || !ok {
		return err
	}
	by := v.By()
	if purpose == account.LinkReset {
		by.Actor = l.UserID
		u, err = p.Links.AcceptReset(v.Context(), l.Hash, u.PasswordHash, by)
	} else {
		by.Actor = u.ID
		err = p.Links.AcceptLink(v.Context(), l.Hash, u, by)
	}
	switch {
	case errors.Is(err, account.ErrLinkGone):
		return &web.Problem{Status: http.StatusNotFound, Message: "join.gone"}
	case errors.Is(err, account.ErrEmailTaken):
		// The holder of an invitation may know: it was sent to this address.
		return v.Done(v.To("/signin"), "join.taken")
	case err != nil:
		return web.DatabaseError(fmt.Errorf("use a link for %s: %w", purpose, err))
	}
	if err := p.startSession(v, u); err != nil {
		return err
	}
	return v.Done(p.afterSignIn(""), "join.welcome-"+string(purpose))
}
