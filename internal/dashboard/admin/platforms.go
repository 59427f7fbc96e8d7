package admin

import (
	"cmp"
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// automatic removes an override.
const automatic = "automatic"

var platformChoices = []string{automatic, catalog.Operational.String(), catalog.Degraded.String(), catalog.Outage.String()}

// platformForm is what admin-platforms.html shows of a platform.
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

func (p *Pages) listPlatforms(v *web.Visit) error {
	overrides, err := p.Platforms.PlatformOverrides(v.Context())
	if err != nil {
		return web.StoreError(err)
	}
	var forms []platformForm
	names := p.names(v)
	for _, platform := range p.statusPages.Platforms(overrides) {
		form := platformForm{ID: platform.ID, Name: platform.Name, Status: platform.Status, Override: platform.Override,
			Choices: platformChoices, Chosen: cmp.Or(platform.Override, automatic)}
		query := account.AuditQuery{Action: account.PlatformSet, Object: form.ID, Limit: 1}
		set, err := p.Audit.SearchAudit(v.Context(), query)
		if err != nil {
			return web.StoreError(err)
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

func (p *Pages) setPlatform(v *web.Visit) error {
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
	if err := p.Platforms.SetPlatform(v.Context(), platform, status, v.ByWith(choice)); err != nil {
		return web.StoreError(err)
	}
	return v.Done("/admin/platforms", "admin.platform.is-set", p.site.PlatformName(platform))
}
