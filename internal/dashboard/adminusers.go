package dashboard

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"net/http"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// usersView is what admin-users.html shows.
type usersView struct {
	Query, After string
	Users        []userLine
	Next         string // the id after which the next page begins; "": this is the last
	MayInvite    bool
	Links        []linkLine
	Email        string // of the invitation that was not accepted
	Admin        bool
	Wrong        web.FieldErrors
}

type userLine struct {
	ID, Email             string
	Admin, Disabled, Self bool
	Keys                  int // not revoked
	CreatedAt, SignedInAt int64
}

// linkLine is an open one-time link. Its address is known to nobody but who
// made it.
type linkLine struct {
	Hash      string // of the token, in hex
	Purpose   string
	For, By   who
	Admin     bool
	ExpiresAt int64
}

// users lists users, and the links that wait for somebody.
func (d *Dashboard) users(v *web.Visit) error { return d.showUsers(v, http.StatusOK, usersView{}) }

func (d *Dashboard) showUsers(v *web.Visit, status int, view usersView) error {
	view.Query, view.After = d.search(v, "q"), d.search(v, "after")
	view.MayInvite = d.site.SignUp != web.SignUpClosed
	found, err := d.cfg.Store.ListUsers(v.Context(), view.Query, view.After, usersPerPage+1)
	if err != nil {
		return web.StoreError(err)
	}
	if len(found) > usersPerPage {
		found = found[:usersPerPage]
		view.Next = found[usersPerPage-1].ID
	}
	for _, u := range found {
		view.Users = append(view.Users, d.userLine(v, u.User, u.Keys))
	}
	if view.Links, err = d.openLinks(v); err != nil {
		return err
	}
	return v.Render(status, "admin-users", view)
}

func (d *Dashboard) userLine(v *web.Visit, u account.User, keys int) userLine {
	return userLine{ID: u.ID, Email: u.Email, Admin: u.Admin, Disabled: u.Disabled(), Self: u.ID == v.User.ID,
		Keys: keys, CreatedAt: u.CreatedAt, SignedInAt: u.SignedInAt}
}

func (d *Dashboard) openLinks(v *web.Visit) ([]linkLine, error) {
	links, err := d.cfg.Store.OpenLinks(v.Context(), v.Now())
	if err != nil {
		return nil, web.StoreError(err)
	}
	var lines []linkLine
	names := d.people(v)
	for _, l := range links[:min(len(links), maxLinkLines)] {
		line := linkLine{Hash: hex.EncodeToString(l.Hash[:]), Purpose: string(l.Purpose), Admin: l.Admin, ExpiresAt: l.ExpiresAt}
		if line.By, err = names.who(l.CreatedBy); err != nil {
			return nil, err
		}
		if line.For, err = names.who(cmp.Or(l.UserID, l.Email)); err != nil {
			return nil, err
		}
		lines = append(lines, line)
	}
	return lines, nil
}

// maxLinkLines bounds the list of open links: the newest are shown.
const maxLinkLines = 100

// invite makes a link for somebody new and shows it.
func (d *Dashboard) invite(v *web.Visit) error {
	if d.site.SignUp == web.SignUpClosed {
		return &web.Problem{Status: http.StatusForbidden, Message: "admin.invite.closed"}
	}
	view := usersView{Email: v.Form("email"), Admin: v.Form("admin") != ""}
	email, wrong, err := d.newEmail(v, view.Email)
	if err != nil {
		return err
	}
	if wrong != nil {
		view.Wrong = wrong
		return d.showUsers(v, http.StatusUnprocessableEntity, view)
	}
	detail, text := string(account.LinkInvite), "admin.invite.made"
	if view.Admin {
		detail, text = detail+", administrator", "admin.invite.made-admin"
	}
	aim := func(l *account.Link) { l.Email, l.Admin = email, view.Admin }
	return d.showLink(v, account.LinkInvite, detail, aim,
		oneTimeLinkView{Heading: "admin.invite.link", Text: text, Email: email, Back: "/admin/users"})
}

// newEmail reads the address of somebody who is no user yet. Administrators may
// know who is one.
func (d *Dashboard) newEmail(v *web.Visit, text string) (string, web.FieldErrors, error) {
	email, err := account.ParseEmail(text)
	if wrong, ok := web.FieldErrorsOf(err); ok {
		return "", wrong, nil
	}
	if err != nil {
		return "", nil, err
	}
	_, taken, err := d.cfg.Store.FindUserByEmail(v.Context(), email)
	if err != nil {
		return "", nil, web.StoreError(err)
	}
	if taken {
		return "", web.FieldErrors{"email": "admin.invite.taken"}, nil
	}
	return email, nil, nil
}

// revokeLink ends an open link.
func (d *Dashboard) revokeLink(v *web.Visit) error {
	raw, err := hex.DecodeString(v.R.PathValue("hash"))
	var hash [32]byte
	if err != nil || len(raw) != len(hash) {
		return web.NotFound()
	}
	copy(hash[:], raw)
	err = d.cfg.Store.RevokeLink(v.Context(), hash, v.By())
	if errors.Is(err, account.ErrLinkGone) {
		return v.Refused("/admin/users", "admin.link.gone")
	}
	if err != nil {
		return web.StoreError(err)
	}
	return v.Done("/admin/users", "admin.link.revoked")
}

// userView is what admin-user.html shows.
type userView struct {
	userLine
	DisabledAt int64
	Password   bool // he has one; else he signs in otherwise
	Owned      []ownedKey
}

// user shows one user.
func (d *Dashboard) user(v *web.Visit) error {
	u, err := d.userOf(v)
	if err != nil {
		return err
	}
	keys, err := d.cfg.Store.KeysOf(v.Context(), u.ID)
	if err != nil {
		return web.StoreError(err)
	}
	view := userView{userLine: d.userLine(v, u, len(account.Unrevoked(keys))), DisabledAt: u.DisabledAt, Password: u.PasswordHash != ""}
	for _, k := range keys {
		view.Owned = append(view.Owned, d.ownedKey(v, k, u.Email))
	}
	return v.Render(http.StatusOK, "admin-user", view)
}

// userOf is the user whom the address names.
func (d *Dashboard) userOf(v *web.Visit) (account.User, error) {
	u, err := d.cfg.Store.FindUser(v.Context(), v.R.PathValue("id"))
	return u, web.StoreError(err)
}

func userPath(u account.User) string { return "/admin/users/" + u.ID }

// changeUser changes the user whom the address names, and tells so.
func (d *Dashboard) changeUser(v *web.Visit, told string, change func(context.Context, string, account.By) error) error {
	u, err := d.userOf(v)
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
	return v.Done(userPath(u), told, u.Email)
}

// notOneself refuses what an administrator would do to himself by mistake only.
func (d *Dashboard) notOneself(v *web.Visit) error {
	if v.R.PathValue("id") == v.User.ID {
		return &web.Problem{Status: http.StatusUnprocessableEntity, Message: "admin.user.not-oneself"}
	}
	return nil
}

func (d *Dashboard) disableUser(v *web.Visit) error {
	if err := d.notOneself(v); err != nil {
		return err
	}
	return d.changeUser(v, "admin.user.is-disabled", d.cfg.Store.DisableUser)
}

func (d *Dashboard) enableUser(v *web.Visit) error {
	return d.changeUser(v, "admin.user.is-enabled", d.cfg.Store.EnableUser)
}

func (d *Dashboard) makeAdmin(v *web.Visit) error { return d.setAdmin(v, true, "admin.user.is-admin") }

func (d *Dashboard) unmakeAdmin(v *web.Visit) error {
	if err := d.notOneself(v); err != nil {
		return err
	}
	return d.setAdmin(v, false, "admin.user.is-no-admin")
}

func (d *Dashboard) setAdmin(v *web.Visit, admin bool, told string) error {
	return d.changeUser(v, told, func(ctx context.Context, id string, by account.By) error {
		return d.cfg.Store.SetAdmin(ctx, id, admin, by)
	})
}

// signOutUser ends all sessions of a user, perhaps this one with them.
func (d *Dashboard) signOutUser(v *web.Visit) error {
	return d.changeUser(v, "admin.user.is-signed-out", d.cfg.Store.EndSessions)
}

// resetLink makes a link by which a user gives himself another password.
func (d *Dashboard) resetLink(v *web.Visit) error {
	u, err := d.userOf(v)
	if err != nil {
		return err
	}
	if u.Disabled() {
		return v.Refused(userPath(u), "admin.user.reset-disabled")
	}
	aim := func(l *account.Link) { l.UserID = u.ID }
	return d.showLink(v, account.LinkReset, string(account.LinkReset), aim,
		oneTimeLinkView{Heading: "admin.reset.link", Text: "admin.reset.made", Email: u.Email, Back: userPath(u)})
}

// askDeleteUser says what deleting a user does, and asks.
func (d *Dashboard) askDeleteUser(v *web.Visit) error {
	u, err := d.userOf(v)
	if err != nil {
		return err
	}
	keys, err := d.cfg.Store.KeysOf(v.Context(), u.ID)
	if err != nil {
		return web.StoreError(err)
	}
	return v.Render(http.StatusOK, "admin-user-delete", d.userLine(v, u, len(account.Unrevoked(keys))))
}

// deleteUser deletes a user for good; of himself the visitor leaves.
func (d *Dashboard) deleteUser(v *web.Visit) error {
	u, err := d.userOf(v)
	if err != nil {
		return err
	}
	err = d.cfg.Store.DeleteUser(v.Context(), u.ID, v.By())
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
