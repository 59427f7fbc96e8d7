package signin

import (
	"errors"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

type profileView struct {
	HasPassword bool
	Problem     string // a sentence about the change of the password
	Errors      web.FieldErrors
}

func (p *pages) profile(v *web.Visit) error {
	return v.Render(http.StatusOK, "profile", profileView{HasPassword: v.User.PasswordHash != ""})
}

// changePassword sets a new password. The user's other sessions end; this one
// goes on.
func (p *pages) changePassword(v *web.Visit) error {
	view := profileView{HasPassword: v.User.PasswordHash != ""}
	if !view.HasPassword {
		// Only a reset link proves that it is the owner.
		return &web.Problem{Status: http.StatusForbidden, Message: "profile.no-password"}
	}
	password := v.R.PostFormValue("password")
	if wrong, ok := web.FieldErrorsOf(account.CheckPassword(password, v.User.Email)); ok {
		view.Errors = wrong
		return v.Render(http.StatusUnprocessableEntity, "profile", view)
	}
	correct, wait, err := p.checkPassword(v, v.User.Email, *v.User, v.R.PostFormValue("current"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		view.Problem = throttled(v, wait)
		return v.Render(http.StatusTooManyRequests, "profile", view)
	case !correct:
		view.Errors = web.FieldErrors{"current": "wrong.current"}
		return v.Render(http.StatusUnprocessableEntity, "profile", view)
	}
	phc, err := p.Passwords.Hash(v.Context(), password)
	if err != nil {
		return hashError(err)
	}
	u := *v.User
	if err := p.Users.SetPassword(v.Context(), u.ID, phc, v.By()); err != nil {
		return web.DatabaseError(err)
	}
	// The database has raised the epoch. If all sessions were ended at the same time,
	// it was raised twice, and this session ends, too.
	u.Epoch++
	if err := v.RememberDevice(u.ID); err != nil {
		return err
	}
	if err := v.SignIn(u); err != nil {
		return err
	}
	return v.Done("/profile", "profile.password-changed")
}

// signOutEverywhere ends all sessions of the user, including this one.
func (p *pages) signOutEverywhere(v *web.Visit) error {
	if err := p.Users.EndSessions(v.Context(), v.User.ID, v.By()); err != nil {
		return web.DatabaseError(err)
	}
	if err := v.SignOut(); err != nil {
		return err
	}
	return v.Done("/signin", "profile.signed-out")
}

type deleteView struct {
	Keys        int // that will be revoked
	HasPassword bool
	Email       string // as it was typed
	Problem     string // a sentence
	Errors      web.FieldErrors
}

// deleteAccount explains what deleting the account does and, with POST, deletes
// the user, who has to prove again who they are.
func (p *pages) deleteAccount(v *web.Visit) error {
	keys, err := p.KeysOf(v.Context(), v.User.ID)
	if err != nil {
		return web.DatabaseError(err)
	}
	view := deleteView{Keys: len(account.Unrevoked(keys)), HasPassword: v.User.PasswordHash != "", Email: v.Form("email")}
	show := func(status int) error { return v.Render(status, "profile-delete", view) }
	if v.R.Method != http.MethodPost {
		return show(http.StatusOK)
	}
	if view.HasPassword {
		correct, wait, err := p.checkPassword(v, v.User.Email, *v.User, v.R.PostFormValue("password"))
		switch {
		case err != nil:
			return err
		case wait > 0:
			view.Problem = throttled(v, wait)
			return show(http.StatusTooManyRequests)
		case !correct:
			view.Errors = web.FieldErrors{"password": "wrong.current"}
			return show(http.StatusUnprocessableEntity)
		}
	} else if email, err := account.ParseEmail(view.Email); err != nil || email != v.User.Email {
		view.Errors = web.FieldErrors{"email": "wrong.own-email"}
		return show(http.StatusUnprocessableEntity)
	}
	err = p.Users.DeleteUser(v.Context(), v.User.ID, v.By())
	if errors.Is(err, account.ErrLastAdmin) {
		view.Problem = v.T("profile.last-admin")
		return show(http.StatusConflict)
	}
	if err != nil {
		return web.DatabaseError(err)
	}
	if err := v.SignOut(); err != nil {
		return err
	}
	return v.Done("/", "profile.deleted")
}
