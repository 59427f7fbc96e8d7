package dashboard

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/dashboard/signin"
	"gamedex/internal/dashboard/web"
)

func (d *Dashboard) handleAdmin() {
	d.site.Handle("GET /admin", web.Admins, d.admin)

	d.site.Handle("GET /admin/users", web.Admins, d.users)
	d.site.Handle("POST /admin/users/invite", web.Admins, d.invite)
	d.site.Handle("POST /admin/links/{hash}/revoke", web.Admins, d.revokeLink)
	d.site.Handle("GET /admin/users/{id}", web.Admins, d.user)
	d.site.Handle("POST /admin/users/{id}/disable", web.Admins, d.disableUser)
	d.site.Handle("POST /admin/users/{id}/enable", web.Admins, d.enableUser)
	d.site.Handle("POST /admin/users/{id}/admin", web.Admins, d.makeAdmin)
	d.site.Handle("POST /admin/users/{id}/no-admin", web.Admins, d.unmakeAdmin)
	d.site.Handle("POST /admin/users/{id}/reset", web.Admins, d.resetLink)
	d.site.Handle("POST /admin/users/{id}/sign-out", web.Admins, d.signOutUser)
	d.site.Handle("GET /admin/users/{id}/delete", web.Admins, d.askDeleteUser)
	d.site.Handle("POST /admin/users/{id}/delete", web.Admins, d.deleteUser)

	d.site.Handle("GET /admin/keys", web.Admins, d.allKeys)
	d.site.Handle("GET /admin/keys/{id}", web.Admins, d.anyKey)
	d.site.Handle("POST /admin/keys/{id}/suspend", web.Admins, d.suspendKey)
	d.site.Handle("POST /admin/keys/{id}/resume", web.Admins, d.resumeKey)
	d.site.Handle("POST /admin/keys/{id}/limits", web.Admins, d.setKeyLimits)
	d.site.Handle("GET /admin/keys/{id}/revoke", web.Admins, d.askRevokeAnyKey)
	d.site.Handle("POST /admin/keys/{id}/revoke", web.Admins, d.revokeAnyKey)

	d.site.Handle("GET /admin/platforms", web.Admins, d.platforms)
	d.site.Handle("POST /admin/platforms/{platform}", web.Admins, d.setPlatform)

	d.site.Handle("GET /admin/audit", web.Admins, d.audit)
}

// admin leads to the first of the administration's pages.
func (d *Dashboard) admin(v *web.Visit) error { return v.Redirect("/admin/users") }

// who is a user, a command or an email address, as pages name it.
type who struct {
	ID    string // what is stored
	Email string // "" if the id is no user's, or no longer one's
}

// people finds the users of one page, each once.
type people struct {
	ctx   context.Context
	store web.Store
	known map[string]string
}

func (d *Dashboard) people(v *web.Visit) *people {
	return &people{v.Context(), d.cfg.Store, map[string]string{}}
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
			return who{}, web.StoreError(err)
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
func (d *Dashboard) search(v *web.Visit, name string) string {
	if q := v.Form(name); len(q) <= maxSearchLen {
		return q
	}
	return v.Form(name)[:maxSearchLen]
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
func (d *Dashboard) showLink(v *web.Visit, purpose account.Purpose, detail string, aim func(*account.Link), view oneTimeLinkView) error {
	by := v.ByWith(detail)
	link, token, err := account.NewLink(purpose, by, d.site.Rand)
	if err != nil {
		return err
	}
	aim(&link)
	if err := d.cfg.Store.SaveLink(v.Context(), link, by); err != nil {
		return web.StoreError(err)
	}
	view.Address = signin.LinkAddress(d.site.PublicURL, purpose, token)
	view.ExpiresAt = link.ExpiresAt
	return v.Render(http.StatusOK, "admin-link", view)
}
