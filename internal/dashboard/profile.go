package dashboard

import (
	"errors"
	"net/http"

	"gamedex/internal/account"
)

func profileRoutes() []route {
	return []route{
		{"GET /profile", signedIn, (*Dashboard).profile},
		{"POST /profile/password", signedIn, (*Dashboard).changePassword},
		{"POST /profile/sessions", signedIn, (*Dashboard).signOutEverywhere},
		{"GET /profile/delete", signedIn, (*Dashboard).deletePage},
		{"POST /profile/delete", signedIn, (*Dashboard).deleteAccount},
	}
}

// profileView is what profile.html shows.
type profileView struct {
	HasPassword bool
	Problem     string // a sentence about the change of the password
	Wrong       wrongs
}

func (d *Dashboard) profile(v *visit) error {
	return v.render(http.StatusOK, "profile", v.profileView())
}

func (v *visit) profileView() profileView { return profileView{HasPassword: v.User.PasswordHash != ""} }

// changePassword gives the user another password. His other sessions end; this
// one goes on.
func (d *Dashboard) changePassword(v *visit) error {
	view := v.profileView()
	if !view.HasPassword {
		// Only a reset link shows that it is himself.
		return &problem{status: http.StatusForbidden, message: "profile.no-password"}
	}
	password := v.r.PostFormValue("password")
	if w, ok := wrongField(account.CheckPassword(password, v.User.Email)); ok {
		view.Wrong = w
		return v.render(http.StatusUnprocessableEntity, "profile", view)
	}
	right, wait, err := v.try(v.User.Email, *v.User, v.r.PostFormValue("current"))
	switch {
	case err != nil:
		return err
	case wait > 0:
		view.Problem = v.later(wait)
		return v.render(http.StatusTooManyRequests, "profile", view)
	case !right:
		view.Wrong = wrongs{"current": "wrong.current"}
		return v.render(http.StatusUnprocessableEntity, "profile", view)
	}
	if err := v.setPassword(password); err != nil {
		return err
	}
	return v.done("/profile", "profile.password-changed")
}

// setPassword stores another password of the user and goes on in a new session.
func (v *visit) setPassword(password string) error {
	phc, err := v.d.cfg.Passwords.Hash(v.r.Context(), password)
	if err != nil {
		return hashing(err)
	}
	u := *v.User
	if err := v.d.cfg.Store.SetPassword(v.r.Context(), u.ID, phc, v.by()); err != nil {
		return stored(err)
	}
	// The store has begun the next epoch. Whoever ended all sessions at the same
	// time has begun another one, and ends this session too.
	u.Epoch++
	if err := v.rememberDevice(u.ID); err != nil {
		return err
	}
	return v.signIn(u)
}

// signOutEverywhere ends all sessions of the user, this one included.
func (d *Dashboard) signOutEverywhere(v *visit) error {
	if err := d.cfg.Store.EndSessions(v.r.Context(), v.User.ID, v.by()); err != nil {
		return stored(err)
	}
	if err := v.signOut(); err != nil {
		return err
	}
	return v.done("/signin", "profile.signed-out")
}

// deleteView is what profile-delete.html shows.
type deleteView struct {
	Keys        int // that will be revoked
	HasPassword bool
	Email       string // as it was typed
	Problem     string // a sentence
	Wrong       wrongs
}

func (v *visit) deleteView() (deleteView, error) {
	keys, err := v.d.cfg.Store.KeysOf(v.r.Context(), v.User.ID)
	view := deleteView{Keys: len(unrevoked(keys)), HasPassword: v.User.PasswordHash != "", Email: v.form("email")}
	return view, stored(err)
}

func (d *Dashboard) deletePage(v *visit) error {
	view, err := v.deleteView()
	if err != nil {
		return err
	}
	return v.render(http.StatusOK, "profile-delete", view)
}

// deleteAccount deletes the user, after he has shown once more who he is.
func (d *Dashboard) deleteAccount(v *visit) error {
	view, err := v.deleteView()
	if err != nil {
		return err
	}
	status, err := v.confirmDeletion(&view)
	if err != nil {
		return err
	}
	if status != http.StatusOK {
		return v.render(status, "profile-delete", view)
	}
	err = d.cfg.Store.DeleteUser(v.r.Context(), v.User.ID, v.by())
	if errors.Is(err, account.ErrLastAdmin) {
		view.Problem = v.T("profile.last-admin")
		return v.render(http.StatusConflict, "profile-delete", view)
	}
	if err != nil {
		return stored(err)
	}
	if err := v.signOut(); err != nil {
		return err
	}
	return v.done("/", "profile.deleted")
}

// confirmDeletion puts into view what is wrong with the form, and gives the
// status to say it with; 200: nothing is.
func (v *visit) confirmDeletion(view *deleteView) (status int, err error) {
	if !view.HasPassword {
		email, err := account.ParseEmail(view.Email)
		if err == nil && email == v.User.Email {
			return http.StatusOK, nil
		}
		view.Wrong = wrongs{"email": "wrong.own-email"}
		return http.StatusUnprocessableEntity, nil
	}
	right, wait, err := v.try(v.User.Email, *v.User, v.r.PostFormValue("password"))
	switch {
	case err != nil:
		return 0, err
	case wait > 0:
		view.Problem = v.later(wait)
		return http.StatusTooManyRequests, nil
	case !right:
		view.Wrong = wrongs{"password": "wrong.current"}
		return http.StatusUnprocessableEntity, nil
	}
	return http.StatusOK, nil
}
