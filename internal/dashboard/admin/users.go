package admin

import (
	"context"
	"errors"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// The lengths of the lists.
const (
	usersPerPage = 50
	keysPerPage  = 50
	auditPerPage = 50
)

// maxSearchLen bounds a search text, in bytes: nothing stored is longer.
const maxSearchLen = 300

// searchText returns a search text of the form, cut to maxSearchLen.
func searchText(v *web.Visit, name string) string {
	q := v.Form(name)
	return q[:min(len(q), maxSearchLen)]
}

// usersView is what admin-users.html shows.
type usersView struct {
	Query, After string
	Users        []userLine
	Next         string // the id after which the next page begins; "": this is the last
	MayInvite    bool
	Links        []linkLine
	Email        string // of an invitation that was refused
	Admin        bool
	Errors       web.FieldErrors
}

type userLine struct {
	ID, Email             string
	Admin, Disabled, Self bool
	Keys                  int // not revoked
	CreatedAt, SignedInAt int64
}

// listUsers shows all users and the open links.
func (p *Pages) listUsers(v *web.Visit) error { return p.showUsers(v, http.StatusOK, usersView{}) }

func (p *Pages) showUsers(v *web.Visit, status int, view usersView) error {
	view.Query, view.After = searchText(v, "q"), searchText(v, "after")
	view.MayInvite = p.site.SignUp != web.SignUpClosed
	found, err := p.Users.ListUsers(v.Context(), view.Query, view.After, usersPerPage+1)
	if err != nil {
		return web.StoreError(err)
	}
	if len(found) > usersPerPage {
		found = found[:usersPerPage]
		view.Next = found[usersPerPage-1].ID
	}
	for _, u := range found {
		view.Users = append(view.Users, newUserLine(v, u.User, u.Keys))
	}
	if view.Links, err = p.openLinks(v); err != nil {
		return err
	}
	return v.Render(status, "admin-users", view)
}

func newUserLine(v *web.Visit, u account.User, keys int) userLine {
	return userLine{ID: u.ID, Email: u.Email, Admin: u.Admin, Disabled: u.Disabled(), Self: u.ID == v.User.ID,
		Keys: keys, CreatedAt: u.CreatedAt, SignedInAt: u.SignedInAt}
}

// userView is what admin-user.html shows.
type userView struct {
	userLine
	DisabledAt int64
	Password   bool // false: signs in with a provider
	Owned      []ownedKey
}

func (p *Pages) user(v *web.Visit) error {
	u, err := p.findUser(v)
	if err != nil {
		return err
	}
	keys, err := p.Keys.KeysOf(v.Context(), u.ID)
	if err != nil {
		return web.StoreError(err)
	}
	view := userView{userLine: newUserLine(v, u, len(account.Unrevoked(keys))), DisabledAt: u.DisabledAt, Password: u.PasswordHash != ""}
	for _, k := range keys {
		view.Owned = append(view.Owned, p.newOwnedKey(v, k, u.Email))
	}
	return v.Render(http.StatusOK, "admin-user", view)
}

// findUser returns the user in the path.
func (p *Pages) findUser(v *web.Visit) (account.User, error) {
	u, err := p.Users.FindUser(v.Context(), v.R.PathValue("id"))
	return u, web.StoreError(err)
}

func userPath(u account.User) string { return "/admin/users/" + u.ID }

// changeUser changes the user in the path and shows a message.
func (p *Pages) changeUser(v *web.Visit, message string, change func(context.Context, string, account.By) error) error {
	u, err := p.findUser(v)
	if err != nil {
		return err
	}
	err = change(v.Context(), u.ID, v.By())
	if errors.Is(err, account.ErrLastAdmin) {
		return v.Refused(userPath(u), "admin.user.last-admin")
	}
	if err != nil {
		return web.StoreError(err)
	}
	return v.Done(userPath(u), message, u.Email)
}

// refuseSelf refuses what administrators would do to themselves only by mistake.
func refuseSelf(v *web.Visit) error {
	if v.R.PathValue("id") == v.User.ID {
		return &web.Problem{Status: http.StatusUnprocessableEntity, Message: "admin.user.not-oneself"}
	}
	return nil
}

func (p *Pages) disableUser(v *web.Visit) error {
	if err := refuseSelf(v); err != nil {
		return err
	}
	return p.changeUser(v, "admin.user.is-disabled", p.Users.DisableUser)
}

func (p *Pages) enableUser(v *web.Visit) error {
	return p.changeUser(v, "admin.user.is-enabled", p.Users.EnableUser)
}

func (p *Pages) makeAdmin(v *web.Visit) error { return p.setAdmin(v, true, "admin.user.is-admin") }

func (p *Pages) unmakeAdmin(v *web.Visit) error {
	if err := refuseSelf(v); err != nil {
		return err
	}
	return p.setAdmin(v, false, "admin.user.is-no-admin")
}

func (p *Pages) setAdmin(v *web.Visit, admin bool, message string) error {
	return p.changeUser(v, message, func(ctx context.Context, id string, by account.By) error {
		return p.Users.SetAdmin(ctx, id, admin, by)
	})
}

// signOutUser ends all sessions of a user, who may be the visitor.
func (p *Pages) signOutUser(v *web.Visit) error {
	return p.changeUser(v, "admin.user.is-signed-out", p.Users.EndSessions)
}

// deleteUserPage explains what deleting a user does and asks for confirmation.
func (p *Pages) deleteUserPage(v *web.Visit) error {
	u, err := p.findUser(v)
	if err != nil {
		return err
	}
	keys, err := p.Keys.KeysOf(v.Context(), u.ID)
	if err != nil {
		return web.StoreError(err)
	}
	return v.Render(http.StatusOK, "admin-user-delete", newUserLine(v, u, len(account.Unrevoked(keys))))
}

// deleteUser deletes a user. Visitors who delete themselves are signed out.
func (p *Pages) deleteUser(v *web.Visit) error {
	u, err := p.findUser(v)
	if err != nil {
		return err
	}
	err = p.Users.DeleteUser(v.Context(), u.ID, v.By())
	if errors.Is(err, account.ErrLastAdmin) {
		return v.Refused(userPath(u), "admin.user.last-admin")
	}
	if err != nil {
		return web.StoreError(err)
	}
	if u.ID != v.User.ID {
		return v.Done("/admin/users", "admin.user.is-deleted", u.Email)
	}
	if err := v.SignOut(); err != nil {
		return err
	}
	return v.Done("/", "admin.user.is-deleted", u.Email)
}
