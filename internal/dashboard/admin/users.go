package admin

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/web"
)

// The lengths of the lists. Of open links, the newest are shown.
const (
	perPage      = 50
	maxLinkLines = 100
	maxRevoked   = 20 // revoked keys of a user
)

// maxSearchLen bounds a search text, in bytes: nothing stored is longer.
const maxSearchLen = 300

func searchText(v *web.Visit, name string) string {
	q := v.Form(name)
	return q[:min(len(q), maxSearchLen)]
}

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

// userLine is what pages show of a user. Templates do not get the hash of the password.
type userLine struct {
	ID, Email             string
	Admin, Disabled, Self bool
	Keys                  int // not revoked
	CreatedAt, SignedInAt int64
}

func (p *pages) showUsers(v *web.Visit, status int, view usersView) error {
	view.Query, view.After = searchText(v, "q"), searchText(v, "after")
	view.MayInvite = p.site.SignUp != web.SignUpClosed
	found, err := p.Users.ListUsers(v.Context(), view.Query, view.After, perPage+1)
	if err != nil {
		return web.DatabaseError(err)
	}
	if len(found) > perPage {
		found = found[:perPage]
		view.Next = found[perPage-1].ID
	}
	for _, u := range found {
		view.Users = append(view.Users, newUserLine(v, u.User, u.Keys))
	}
	links, err := p.Links.OpenLinks(v.Context(), v.Now())
	if err != nil {
		return web.DatabaseError(err)
	}
	names := p.names(v)
	for _, l := range links[:min(len(links), maxLinkLines)] {
		line := linkLine{Hash: hex.EncodeToString(l.Hash[:]), Purpose: string(l.Purpose), Admin: l.Admin, ExpiresAt: l.ExpiresAt}
		if line.By, err = names.findWho(l.CreatedBy); err != nil {
			return err
		}
		if line.For, err = names.findWho(cmp.Or(l.UserID, l.Email)); err != nil {
			return err
		}
		view.Links = append(view.Links, line)
	}
	return v.Render(status, "admin-users", view)
}

func newUserLine(v *web.Visit, u account.User, keys int) userLine {
	return userLine{ID: u.ID, Email: u.Email, Admin: u.Admin, Disabled: u.Disabled(), Self: u.ID == v.User.ID,
		Keys: keys, CreatedAt: u.CreatedAt, SignedInAt: u.SignedInAt}
}

type userView struct {
	userLine
	DisabledAt int64
	Password   bool // false: signs in with a provider
	Owned      []ownedKey
	Older      int // revoked keys that are not in Owned
}

func (p *pages) withUser(handle func(*web.Visit, account.User) error) func(*web.Visit) error {
	return web.WithFound(func(v *web.Visit) (account.User, error) {
		return p.Users.FindUser(v.Context(), v.R.PathValue("id"))
	}, handle)
}

func (p *pages) user(v *web.Visit, u account.User) error {
	keys, err := p.Keys.KeysOf(v.Context(), u.ID)
	if err != nil {
		return web.DatabaseError(err)
	}
	revoked := 0
	view := userView{userLine: newUserLine(v, u, len(account.Unrevoked(keys))), DisabledAt: u.DisabledAt, Password: u.PasswordHash != ""}
	for _, k := range keys {
		if k.RevokedAt != 0 {
			if revoked++; revoked > maxRevoked {
				view.Older++
				continue
			}
		}
		view.Owned = append(view.Owned, p.newOwnedKey(v, k, u.Email))
	}
	return v.Render(http.StatusOK, "admin-user", view)
}

func userPath(u account.User) string { return "/admin/users/" + u.ID }

// changeUser returns a handler that changes the user in the path.
func (p *pages) changeUser(change func(Users, context.Context, string, account.By) error, message string) func(*web.Visit) error {
	return p.withUser(func(v *web.Visit, u account.User) error {
		err := change(p.Users, v.Context(), u.ID, v.By())
		if errors.Is(err, account.ErrLastAdmin) {
			return v.Refused(userPath(u), "admin.user.last-admin")
		}
		return v.Stored(err, userPath(u), message, u.Email)
	})
}

// refuseSelf refuses what administrators would do to themselves only by mistake.
func refuseSelf(handle func(*web.Visit) error) func(*web.Visit) error {
	return func(v *web.Visit) error {
		if v.R.PathValue("id") == v.User.ID {
			return &web.Problem{Status: http.StatusUnprocessableEntity, Message: "admin.user.not-oneself"}
		}
		return handle(v)
	}
}

func setAdmin(admin bool) func(Users, context.Context, string, account.By) error {
	return func(users Users, ctx context.Context, id string, by account.By) error {
		return users.SetAdmin(ctx, id, admin, by)
	}
}

func (p *pages) deleteUserPage(v *web.Visit, u account.User) error {
	keys, err := p.Keys.KeysOf(v.Context(), u.ID)
	if err != nil {
		return web.DatabaseError(err)
	}
	return v.Render(http.StatusOK, "admin-user-delete", newUserLine(v, u, len(account.Unrevoked(keys))))
}

// deleteUser deletes a user. Visitors who delete themselves are signed out.
func (p *pages) deleteUser(v *web.Visit, u account.User) error {
	err := p.Users.DeleteUser(v.Context(), u.ID, v.By())
	if errors.Is(err, account.ErrLastAdmin) {
		return v.Refused(userPath(u), "admin.user.last-admin")
	}
	if err != nil {
		return web.DatabaseError(err)
	}
	if u.ID != v.User.ID {
		return v.Done("/admin/users", "admin.user.is-deleted", u.Email)
	}
	if err := v.SignOut(); err != nil {
		return err
	}
	return v.Done("/", "admin.user.is-deleted", u.Email)
}

// who is a user, a command or an email address, as pages show it.
type who struct {
	ID    string // what is stored
	Email string // "" if the id is not that of a user
}

// names finds the users and keys that one page names. It looks each of them up once.
type names struct {
	from  *Config
	ctx   context.Context
	known map[string]string // the email address or the name by id; "": there is nothing with this id
}

func (p *pages) names(v *web.Visit) *names {
	return &names{&p.Config, v.Context(), map[string]string{}}
}

// findWho returns what to show for an id, which may be that of a user.
func (n *names) findWho(id string) (who, error) {
	if !strings.HasPrefix(id, "usr_") {
		return who{ID: id}, nil
	}
	email, err := n.once(id, func() (string, error) {
		u, err := n.from.Users.FindUser(n.ctx, id)
		return u.Email, err
	})
	return who{id, email}, err
}

// findKeyName returns the name of the key with an id; "" if the id is not that of a key.
func (n *names) findKeyName(id string) (string, error) {
	if !strings.HasPrefix(id, "key_") {
		return "", nil
	}
	return n.once(id, func() (string, error) {
		k, err := n.from.Keys.FindKeyByID(n.ctx, id)
		return k.Name, err
	})
}

// once returns what find returns for an id, "" if there is nothing with this id.
func (n *names) once(id string, find func() (string, error)) (string, error) {
	if name, seen := n.known[id]; seen {
		return name, nil
	}
	name, err := find()
	if err != nil && !errors.Is(err, account.ErrNotFound) {
		return "", web.DatabaseError(err)
	}
	n.known[id] = name
	return name, nil
}

// maxDetailLen bounds a detail, in code points.
const maxDetailLen = 300

// detailText returns the detail of an audit entry in the visitor's language. Names, reasons
// and whatever it does not know stay as they are.
func detailText(v *web.Visit, e account.AuditEntry) string {
	detail := web.Shorten(e.Detail, maxDetailLen)
	switch e.Action {
	case account.KeyLimits:
		return limitsText(v, detail)
	case account.KeyRename:
		if detail != "" { // it is erased with the owner
			return v.T("audit.old-name", detail)
		}
	case account.KeySuspend, account.KeyResume:
		if detail == account.SuspendedWithUser {
			return v.T("admin.key.with-user")
		}
	case account.LinkCreate, account.LinkRevoke, account.UserCreate:
		return linkText(v, detail)
	case account.PlatformSet:
		return choiceText(v, detail)
	case account.OverridesImport:
		if n, err := strconv.Atoi(strings.TrimSuffix(detail, " rules")); err == nil {
			return v.N("audit.rules", n)
		}
	}
	return detail
}

// defaultLimit is what the audit log says about a limit that is not the key's own.
const defaultLimit = "default"

// limitsDetail returns what the audit log says about limits; "" is the default.
func limitsDetail(minute, day string) string {
	return "minute " + cmp.Or(minute, defaultLimit) + ", day " + cmp.Or(day, defaultLimit)
}

func limitsText(v *web.Visit, detail string) string {
	minute, day, ok := strings.Cut(strings.TrimPrefix(detail, "minute "), ", day ")
	if !ok {
		return detail
	}
	limit := func(text string) string {
		if text == defaultLimit {
			return v.T("audit.default")
		}
		if n, err := strconv.Atoi(text); err == nil {
			return v.Number(n)
		}
		return text
	}
	return v.T("audit.limits", limit(minute), limit(day))
}

// linkText translates the purpose of a link, and the word for an administrator.
func linkText(v *web.Visit, detail string) string {
	words := strings.Split(detail, ", ")
	for i, word := range words {
		switch purpose := account.Purpose(word); {
		case word == "administrator":
			words[i] = v.T("admin.user.state.admin")
		case purpose == account.LinkInvite || purpose == account.LinkReset || purpose == account.LinkSetup:
			words[i] = v.T(fmt.Sprintf("admin.link.purpose.%s", word))
		}
	}
	return strings.Join(words, ", ")
}

func choiceText(v *web.Visit, choice string) string {
	if slices.Contains(platformChoices, choice) {
		return v.T(fmt.Sprintf("admin.platform.%s", choice))
	}
	return choice
}
