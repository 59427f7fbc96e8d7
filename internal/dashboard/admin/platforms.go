package admin

import (
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// automatic removes an override.
const automatic = "automatic"

// platformsView is what admin-platforms.html shows.
type platformsView struct{ Platforms []platformForm }

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

func platformChoices() []string {
	return []string{automatic, catalog.Operational.String(), catalog.Degraded.String(), catalog.Outage.String()}
}

// listPlatforms shows the status of the platforms with the forms to override it.
func (p *Pages) listPlatforms(v *web.Visit) error {
	overrides, err := p.Platforms.PlatformOverrides(v.Context())
	if err != nil {
		return web.StoreError(err)
	}
	var view platformsView
	names := p.people(v)
	for _, platform := range p.statusPages.Platforms(overrides) {
		form := platformForm{ID: platform.ID, Name: platform.Name, Status: platform.Status, Override: platform.Override,
			Choices: platformChoices(), Chosen: platform.Override}
		if form.Chosen == "" {
			form.Chosen = automatic
		}
		if err := p.lastSet(v, names, &form); err != nil {
			return err
		}
		view.Platforms = append(view.Platforms, form)
	}
	return v.Render(http.StatusOK, "admin-platforms", view)
}

// lastSet finds in the audit log who set a platform's status last.
func (p *Pages) lastSet(v *web.Visit, names *people, form *platformForm) error {
	query := account.AuditQuery{Action: account.PlatformSet, Object: form.ID, Limit: 1}
	entries, err := p.Audit.SearchAudit(v.Context(), query)
	if err != nil || len(entries) == 0 {
		return web.StoreError(err)
	}
	form.SetAt, form.SetDetail = entries[0].At, entries[0].Detail
	form.SetBy, err = names.find(entries[0].Actor)
	return err
}

// setPlatform sets or removes an override of a platform's status.
func (p *Pages) setPlatform(v *web.Visit) error {
	platform, err := catalog.ParsePlatform(v.R.PathValue("platform"))
	if err != nil {
		return web.NotFound()
	}
	choice := v.Form("status")
	if !slices.Contains(platformChoices(), choice) {
		return &web.Problem{Status: http.StatusUnprocessableEntity, Message: "admin.platform.wrong"}
	}
	status := choice
	if choice == automatic {
		status = ""
	}
	if err := p.Platforms.SetPlatform(v.Context(), platform, status, v.ByWith(choice)); err != nil {
		return web.StoreError(err)
	}
	return v.Done("/admin/platforms", "admin.platform.is-set", p.site.PlatformName(platform))
}
