package admin

import (
	"cmp"
	"context"
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/keys"
	"gamedex/internal/dashboard/status"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/dashboard/webhooks"
)

// Users finds and changes users. A change that takes rights away ends the
// user's sessions. Its errors wrap account.ErrNotFound and
// account.ErrLastAdmin.
type Users interface {
	FindUser(ctx context.Context, id string) (account.User, error)
	FindUserByEmail(ctx context.Context, email string) (u account.User, found bool, err error)
	// ListUsers returns users with an id above after, by id, whose email
	// contains query.
	ListUsers(ctx context.Context, query, after string, limit int) ([]account.UserSummary, error)
	SetAdmin(ctx context.Context, userID string, admin bool, by account.By) error
	DisableUser(ctx context.Context, userID string, by account.By) error
	EnableUser(ctx context.Context, userID string, by account.By) error
	EndSessions(ctx context.Context, userID string, by account.By) error
	DeleteUser(ctx context.Context, userID string, by account.By) error
}

// Links keeps one-time links. A link that cannot be used is account.ErrLinkGone.
type Links interface {
	SaveLink(ctx context.Context, l account.Link, by account.By) error
	OpenLinks(ctx context.Context, now int64) ([]account.Link, error)
	RevokeLink(ctx context.Context, hash [32]byte, by account.By) error
}

// Keys finds and changes everybody's keys. The API applies changes within two
// seconds.
type Keys interface {
	FindKeyByID(ctx context.Context, id string) (account.Key, error)
	// KeysOf returns a user's keys, newest first.
	KeysOf(ctx context.Context, userID string) ([]account.Key, error)
	// SearchKeys returns keys with an id below after (any, if it is empty),
	// newest first, with query in their name, id, prefix or owner's email. More
	// are below next; if that is not empty, there may be fewer than limit.
	SearchKeys(ctx context.Context, query, after string, limit int) (found []account.OwnedKey, next string, err error)
	// OwnedKeys returns the keys with some ids.
	OwnedKeys(ctx context.Context, ids []string) ([]account.OwnedKey, error)
	SuspendKey(ctx context.Context, id, reason string, by account.By) (account.Key, error)
	ResumeKey(ctx context.Context, id string, by account.By) (account.Key, error)
	SetKeyLimits(ctx context.Context, id string, minute, day int, by account.By) (account.Key, error)
	RevokeKey(ctx context.Context, id string, by account.By) (account.Key, error)
}

// Platforms overrides what the API reports about platforms.
type Platforms interface {
	PlatformOverrides(ctx context.Context) (map[catalog.Platform]string, error)
	// SetPlatform overrides a status; "" removes the override.
	SetPlatform(ctx context.Context, p catalog.Platform, status string, by account.By) error
}

// Config is what the pages need besides the site and other pages.
type Config struct {
	Users     Users
	Links     Links
	Keys      Keys
	Platforms Platforms
	// SearchAudit reads the audit log.
	SearchAudit func(context.Context, account.AuditQuery) ([]account.AuditEntry, error)
	Webhooks    Webhooks // nil: the operator has not turned them on
}

type pages struct {
	Config
	site        *web.Site
	keyPages    *keys.Pages
	statusPages *status.Pages
	hookPages   *webhooks.Pages
}

// New registers the pages with the site. They show keys, platforms and webhooks as the
// pages of users do.
func New(site *web.Site, keyPages *keys.Pages, statusPages *status.Pages, hookPages *webhooks.Pages, cfg Config) {
	p := &pages{Config: cfg, site: site, keyPages: keyPages, statusPages: statusPages, hookPages: hookPages}
	site.Handle("GET /admin", web.Admins, func(v *web.Visit) error { return v.Redirect("/admin/users") })
	site.Handle("GET /admin/users", web.Admins, func(v *web.Visit) error { return p.showUsers(v, http.StatusOK, usersView{}) })
	site.Handle("POST /admin/users/invite", web.Admins, p.invite)
	site.Handle("POST /admin/links/{hash}/revoke", web.Admins, p.revokeLink)
	site.Handle("GET /admin/users/{id}", web.Admins, p.withUser(p.user))
	site.Handle("POST /admin/users/{id}/disable", web.Admins, refuseSelf(p.changeUser(Users.DisableUser, "admin.user.is-disabled")))
	site.Handle("POST /admin/users/{id}/enable", web.Admins, p.changeUser(Users.EnableUser, "admin.user.is-enabled"))
	site.Handle("POST /admin/users/{id}/admin", web.Admins, p.changeUser(setAdmin(true), "admin.user.is-admin"))
	site.Handle("POST /admin/users/{id}/no-admin", web.Admins, refuseSelf(p.changeUser(setAdmin(false), "admin.user.is-no-admin")))
	site.Handle("POST /admin/users/{id}/reset", web.Admins, p.withUser(p.resetLink))
	site.Handle("POST /admin/users/{id}/sign-out", web.Admins, p.changeUser(Users.EndSessions, "admin.user.is-signed-out"))
	site.Handle("GET /admin/users/{id}/delete", web.Admins, p.withUser(p.deleteUserPage))
	site.Handle("POST /admin/users/{id}/delete", web.Admins, p.withUser(p.deleteUser))
	site.Handle("GET /admin/keys", web.Admins, p.listKeys)
	site.Handle("GET /admin/keys/{id}", web.Admins, p.withKey(func(v *web.Visit, k account.Key) error {
		return p.showKey(v, http.StatusOK, k, func(*keyView) {})
	}))
	site.Handle("POST /admin/keys/{id}/suspend", web.Admins, p.withUnrevokedKey(p.suspendKey))
	site.Handle("POST /admin/keys/{id}/resume", web.Admins, p.withUnrevokedKey(p.resumeKey))
	site.Handle("POST /admin/keys/{id}/limits", web.Admins, p.withUnrevokedKey(p.setKeyLimits))
	site.Handle("GET /admin/keys/{id}/revoke", web.Admins, p.withUnrevokedKey(p.revokeKeyPage))
	site.Handle("POST /admin/keys/{id}/revoke", web.Admins, p.withKey(p.revokeKey))
	site.Handle("GET /admin/webhooks", web.Admins, p.listWebhooks)
	site.Handle("POST /admin/webhooks/{webhook}/off", web.Admins, p.withWebhook(p.turnOffWebhook))
	site.Handle("GET /admin/webhooks/{webhook}/delete", web.Admins, p.withWebhook(p.deleteWebhookPage))
	site.Handle("POST /admin/webhooks/{webhook}/delete", web.Admins, p.withWebhook(p.deleteWebhook))
	site.Handle("GET /admin/platforms", web.Admins, p.listPlatforms)
	site.Handle("POST /admin/platforms/{platform}", web.Admins, p.setPlatform)
	site.Handle("GET /admin/audit", web.Admins, p.audit)
}

// automatic removes an override.
const automatic = "automatic"

var platformChoices = []string{automatic, catalog.Operational.String(), catalog.Degraded.String(), catalog.Outage.String()}

type platformForm struct {
	ID, Name  string
	Status    string // in the API
	Override  string
	Choices   []string
	Chosen    string
	SetBy     who // who set it last; zero: not in the log
	SetAt     int64
	SetDetail string
}

func (p *pages) listPlatforms(v *web.Visit) error {
	overrides, err := p.Platforms.PlatformOverrides(v.Context())
	if err != nil {
		return web.DatabaseError(err)
	}
	var forms []platformForm
	names := p.names(v)
	for _, platform := range p.statusPages.Platforms(overrides) {
		form := platformForm{ID: platform.ID, Name: platform.Name, Status: platform.Status, Override: platform.Override,
			Choices: platformChoices, Chosen: cmp.Or(platform.Override, automatic)}
		query := account.AuditQuery{Action: account.PlatformSet, Object: form.ID, Limit: 1}
		set, err := p.SearchAudit(v.Context(), query)
		if err != nil {
			return web.DatabaseError(err)
		}
		if len(set) > 0 {
			form.SetAt, form.SetDetail = set[0].At, choiceText(v, set[0].Detail)
			if form.SetBy, err = names.findWho(set[0].Actor); err != nil {
				return err
			}
		}
		forms = append(forms, form)
	}
	return v.Render(http.StatusOK, "admin-platforms", forms)
}

func (p *pages) setPlatform(v *web.Visit) error {
	platform, err := catalog.ParsePlatform(v.R.PathValue("platform"))
	if err != nil {
		return web.NotFound()
	}
	choice := v.Form("status")
	if !slices.Contains(platformChoices, choice) {
		return &web.Problem{Status: http.StatusUnprocessableEntity, Message: "admin.platform.wrong"}
	}
	status := choice
	if choice == automatic {
		status = ""
	}
	err = p.Platforms.SetPlatform(v.Context(), platform, status, v.ByWith(choice))
	return v.Stored(err, "/admin/platforms", "admin.platform.is-set", p.site.PlatformName(platform))
}
