package dashboard

import (
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// automatic takes an override back.
const automatic = "automatic"

// platformsView is what admin-platforms.html shows.
type platformsView struct{ Platforms []platformForm }

type platformForm struct {
	ID, Name  string
	Status    string // as the API says it
	Override  string
	Choices   []string
	Chosen    string
	SetBy     who // who chose last; zero: nobody, as far as the log goes
	SetAt     int64
	SetDetail string
}

func platformChoices() []string {
	return []string{automatic, catalog.Operational.String(), catalog.Degraded.String(), catalog.Outage.String()}
}

// platforms shows what is said of the platforms, and lets it be overridden.
func (d *Dashboard) platforms(v *web.Visit) error {
	overrides, err := d.cfg.Store.PlatformOverrides(v.Context())
	if err != nil {
		return web.StoreError(err)
	}
	var view platformsView
	names := d.people(v)
	for _, panel := range d.platformPanels(d.cfg.Live.View(), overrides) {
		form := platformForm{ID: panel.ID, Name: panel.Name, Status: panel.Status, Override: panel.Override,
			Choices: platformChoices(), Chosen: panel.Override}
		if form.Chosen == "" {
			form.Chosen = automatic
		}
		if err := d.lastSet(v, names, &form); err != nil {
			return err
		}
		view.Platforms = append(view.Platforms, form)
	}
	return v.Render(http.StatusOK, "admin-platforms", view)
}

// lastSet finds in the log who chose a platform's status last.
func (d *Dashboard) lastSet(v *web.Visit, names *people, form *platformForm) error {
	query := account.AuditQuery{Action: account.PlatformSet, Object: form.ID, Limit: 1}
	entries, err := d.cfg.Store.SearchAudit(v.Context(), query)
	if err != nil || len(entries) == 0 {
		return web.StoreError(err)
	}
	form.SetAt, form.SetDetail = entries[0].At, entries[0].Detail
	form.SetBy, err = names.who(entries[0].Actor)
	return err
}

// setPlatform overrides a platform's status, or takes the override back.
func (d *Dashboard) setPlatform(v *web.Visit) error {
	p, err := catalog.ParsePlatform(v.R.PathValue("platform"))
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
	if err := d.cfg.Store.SetPlatform(v.Context(), p, status, v.ByWith(choice)); err != nil {
		return web.StoreError(err)
	}
	return v.Done("/admin/platforms", "admin.platform.is-set", d.site.PlatformName(p))
}
