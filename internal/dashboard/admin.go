package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"gamedex/internal/account"
)

func adminRoutes() []route {
	return []route{
		{"GET /admin", admins, (*Dashboard).admin},

		{"GET /admin/users", admins, (*Dashboard).users},
		{"POST /admin/users/invite", admins, (*Dashboard).invite},
		{"POST /admin/links/{hash}/revoke", admins, (*Dashboard).revokeLink},
		{"GET /admin/users/{id}", admins, (*Dashboard).user},
		{"POST /admin/users/{id}/disable", admins, (*Dashboard).disableUser},
		{"POST /admin/users/{id}/enable", admins, (*Dashboard).enableUser},
		{"POST /admin/users/{id}/admin", admins, (*Dashboard).makeAdmin},
		{"POST /admin/users/{id}/no-admin", admins, (*Dashboard).unmakeAdmin},
		{"POST /admin/users/{id}/reset", admins, (*Dashboard).resetLink},
		{"POST /admin/users/{id}/sign-out", admins, (*Dashboard).signOutUser},
		{"GET /admin/users/{id}/delete", admins, (*Dashboard).askDeleteUser},
		{"POST /admin/users/{id}/delete", admins, (*Dashboard).deleteUser},

		{"GET /admin/keys", admins, (*Dashboard).allKeys},
		{"GET /admin/keys/{id}", admins, (*Dashboard).anyKey},
		{"POST /admin/keys/{id}/suspend", admins, (*Dashboard).suspendKey},
		{"POST /admin/keys/{id}/resume", admins, (*Dashboard).resumeKey},
		{"POST /admin/keys/{id}/limits", admins, (*Dashboard).setKeyLimits},
		{"GET /admin/keys/{id}/revoke", admins, (*Dashboard).askRevokeAnyKey},
		{"POST /admin/keys/{id}/revoke", admins, (*Dashboard).revokeAnyKey},

		{"GET /admin/platforms", admins, (*Dashboard).platforms},
		{"POST /admin/platforms/{platform}", admins, (*Dashboard).setPlatform},

		{"GET /admin/audit", admins, (*Dashboard).audit},
	}
}

// admin leads to the first of the administration's pages.
func (d *Dashboard) admin(v *visit) error { return v.redirect("/admin/users") }

// refused leads to another page, which tells why something was not done.
func (v *visit) refused(path, key string, args ...string) error {
	v.tell(notice{Key: key, Args: args, Bad: true})
	return v.redirect(path)
}

// byWith is by with a detail for the audit log.
func (v *visit) byWith(detail string) account.By {
	by := v.by()
	by.Detail = detail
	return by
}

// who is a user, a command or an email address, as pages name it.
type who struct {
	ID    string // what is stored
	Email string // "" if the id is no user's, or no longer one's
}

// people finds the users of one page, each once.
type people struct {
	ctx   context.Context
	store Users
	known map[string]string
}

func (d *Dashboard) people(v *visit) *people {
	return &people{v.r.Context(), d.cfg.Store, map[string]string{}}
}

// who names what may be a user's id.
func (p *people) who(id string) (who, error) {
	if !strings.HasPrefix(id, "usr_") {
		return who{ID: id}, nil
	}
	email, seen := p.known[id]
	if !seen {
		u, err := p.store.FindUser(p.ctx, id)
		if err != nil && !errors.Is(err, account.ErrNotFound) {
			return who{}, stored(err)
		}
		email = u.Email
		p.known[id] = email
	}
	return who{id, email}, nil
}

// The pages of the administration's lists.
const (
	usersPerPage = 50
	keysPerPage  = 50
	auditPerPage = 50
)

// maxSearchLen bounds what is looked for, in bytes: nothing stored is longer.
const maxSearchLen = 300

// search is what the visitor looks for; too long a text finds nothing anyway.
func (v *visit) search(name string) string {
	if q := v.form(name); len(q) <= maxSearchLen {
		return q
	}
	return v.form(name)[:maxSearchLen]
}

// oneTimeLinkView is what admin-link.html shows.
type oneTimeLinkView struct {
	Heading, Text string // keys
	Email         string
	Address       string
	ExpiresAt     int64
	Back          string
}

// showLink makes a link and answers with the page that shows it, once. aim says
// in it whom it is for; detail goes to the log.
func (d *Dashboard) showLink(v *visit, purpose account.Purpose, detail string, aim func(*account.Link), view oneTimeLinkView) error {
	by := v.byWith(detail)
	link, token, err := account.NewLink(purpose, by, d.cfg.Rand)
	if err != nil {
		return err
	}
	aim(&link)
	if err := d.cfg.Store.SaveLink(v.r.Context(), link, by); err != nil {
		return stored(err)
	}
	view.Address = LinkAddress(d.cfg.PublicURL, purpose, token)
	view.ExpiresAt = link.ExpiresAt
	return v.render(http.StatusOK, "admin-link", view)
}
