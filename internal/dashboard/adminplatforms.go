package dashboard

import (
	"net/http"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
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
func (d *Dashboard) platforms(v *visit) error {
	overrides, err := d.cfg.Store.PlatformOverrides(v.r.Context())
	if err != nil {
		return stored(err)
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
	return v.render(http.StatusOK, "admin-platforms", view)
}

// lastSet finds in the log who chose a platform's status last.
func (d *Dashboard) lastSet(v *visit, names *people, form *platformForm) error {
	query := account.AuditQuery{Action: account.PlatformSet, Object: form.ID, Limit: 1}
	entries, err := d.cfg.Store.SearchAudit(v.r.Context(), query)
	if err != nil || len(entries) == 0 {
		return stored(err)
	}
	form.SetAt, form.SetDetail = entries[0].At, entries[0].Detail
	form.SetBy, err = names.who(entries[0].Actor)
	return err
}

// setPlatform overrides a platform's status, or takes the override back.
func (d *Dashboard) setPlatform(v *visit) error {
	p, err := catalog.ParsePlatform(v.r.PathValue("platform"))
	if err != nil {
		return notFoundProblem()
	}
	choice := v.form("status")
	if !slices.Contains(platformChoices(), choice) {
		return &problem{status: http.StatusUnprocessableEntity, message: "admin.platform.wrong"}
	}
	status := choice
	if choice == automatic {
		status = ""
	}
	if err := d.cfg.Store.SetPlatform(v.r.Context(), p, status, v.byWith(choice)); err != nil {
		return stored(err)
	}
	return v.done("/admin/platforms", "admin.platform.is-set", d.platformName(p))
}
