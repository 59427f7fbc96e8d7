package dashboard

import (
	"errors"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

func (d *Dashboard) handleProfile() {
	d.site.Handle("GET /profile", web.SignedIn, d.profile)
	d.site.Handle("POST /profile/password", web.SignedIn, d.changePassword)
	d.site.Handle("POST /profile/sessions", web.SignedIn, d.signOutEverywhere)
	d.site.Handle("GET /profile/delete", web.SignedIn, d.deletePage)
	d.site.Handle("POST /profile/delete", web.SignedIn, d.deleteAccount)
}

// profileView is what profile.html shows.
type profileView struct {
	HasPassword bool
	Problem     string // a sentence about the change of the password
	Wrong       web.FieldErrors
}

func (d *Dashboard) profile(v *web.Visit) error {
	return v.Render(http.StatusOK, "profile", d.profileView(v))
}

func (d *Dashboard) profileView(v *web.Visit) profileView {
	return profileView{HasPassword: v.User.PasswordHash != ""}
}

// changePassword gives the user another password. His other sessions end; this
// one goes on.
func (d *Dashboard) changePassword(v *web.Visit) error {
	view := d.profileView(v)
	if !view.HasPassword {
		// Only a reset link shows that it is himself.
		return &web.Problem{Status: http.StatusForbidden, Message: "profile.no-password"}
	}
	password := v.R.PostFormValue("password")
	if w, ok := web.FieldErrorsOf(account.CheckPassword(password, v.User.Email)); ok {
		view.Wrong = w
		return v.Render(http.StatusUnprocessableEntity, "profile", view)
	}
	right, wait, err := d.try(v, v.User.Email, *v.User, v.R.PostFormValue("current"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		view.Problem = d.later(v, wait)
		return v.Render(http.StatusTooManyRequests, "profile", view)
	case !right:
		view.Wrong = web.FieldErrors{"current": "wrong.current"}
		return v.Render(http.StatusUnprocessableEntity, "profile", view)
	}
	if err := d.setPassword(v, password); err != nil {
		return err
	}
	return v.Done("/profile", "profile.password-changed")
}

// setPassword stores another password of the user and goes on in a new session.
func (d *Dashboard) setPassword(v *web.Visit, password string) error {
	phc, err := d.cfg.Passwords.Hash(v.Context(), password)
	if err != nil {
		return hashing(err)
	}
	u := *v.User
	if err := d.cfg.Store.SetPassword(v.Context(), u.ID, phc, v.By()); err != nil {
		return web.StoreError(err)
	}
	// The store has begun the next epoch. Whoever ended all sessions at the same
	// time has begun another one, and ends this session too.
	u.Epoch++
	if err := v.RememberDevice(u.ID); err != nil {
		return err
	}
	return v.SignIn(u)
}

// signOutEverywhere ends all sessions of the user, this one included.
func (d *Dashboard) signOutEverywhere(v *web.Visit) error {
	if err := d.cfg.Store.EndSessions(v.Context(), v.User.ID, v.By()); err != nil {
		return web.StoreError(err)
	}
	if err := v.SignOut(); err != nil {
		return err
	}
	return v.Done("/signin", "profile.signed-out")
}

// deleteView is what profile-delete.html shows.
type deleteView struct {
	Keys        int // that will be revoked
	HasPassword bool
	Email       string // as it was typed
	Problem     string // a sentence
	Wrong       web.FieldErrors
}

func (d *Dashboard) deleteView(v *web.Visit) (deleteView, error) {
	keys, err := d.cfg.Store.KeysOf(v.Context(), v.User.ID)
	view := deleteView{Keys: len(unrevoked(keys)), HasPassword: v.User.PasswordHash != "", Email: v.Form("email")}
	return view, web.StoreError(err)
}

func (d *Dashboard) deletePage(v *web.Visit) error {
	view, err := d.deleteView(v)
	if err != nil {
		return err
	}
	return v.Render(http.StatusOK, "profile-delete", view)
}

// deleteAccount deletes the user, after he has shown once more who he is.
func (d *Dashboard) deleteAccount(v *web.Visit) error {
	view, err := d.deleteView(v)
	if err != nil {
		return err
	}
	status, err := d.confirmDeletion(v, &view)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return v.Render(status, "profile-delete", view)
	}
	err = d.cfg.Store.DeleteUser(v.Context(), v.User.ID, v.By())
	if errors.Is(err, account.ErrLastAdmin) {
		view.Problem = v.T("profile.last-admin")
		return v.Render(http.StatusConflict, "profile-delete", view)
	}
	if err != nil {
		return web.StoreError(err)
	}
	if err := v.SignOut(); err != nil {
		return err
	}
	return v.Done("/", "profile.deleted")
}

// confirmDeletion puts into view what is wrong with the form, and gives the
// status to say it with; 200: nothing is.
func (d *Dashboard) confirmDeletion(v *web.Visit, view *deleteView) (status int, err error) {
	if !view.HasPassword {
		email, err := account.ParseEmail(view.Email)
		if err == nil && email == v.User.Email {
			return http.StatusOK, nil
		}
		view.Wrong = web.FieldErrors{"email": "wrong.own-email"}
		return http.StatusUnprocessableEntity, nil
	}
	right, wait, err := d.try(v, v.User.Email, *v.User, v.R.PostFormValue("password"))
	switch {
	case err != nil:
		return 0, err
	case wait > 0:
		view.Problem = d.later(v, wait)
		return http.StatusTooManyRequests, nil
	case !right:
		view.Wrong = web.FieldErrors{"password": "wrong.current"}
		return http.StatusUnprocessableEntity, nil
	}
	return http.StatusOK, nil
}
