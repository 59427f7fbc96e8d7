package dashboard

import (
	"cmp"
	"net/http"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

func (d *Dashboard) handleStatus() {
	d.site.Handle("GET /status", web.SignedIn, d.status)
}

// statusView is what status.html shows.
type statusView struct {
	Platforms []platformPanel
	Rates     *ratesPanel // nil: there are none yet
	Index     *indexPanel // nil: nothing was built yet
	Jobs      *jobsPanel  // nil: not for this visitor, or nothing is collected
}

// platformPanel is how a platform stands.
type platformPanel struct {
	ID, Name   string
	Status     string // as the API says it: "operational", "degraded", "outage"
	Override   string // the status an administrator has set; "": none
	Collecting bool   // else it is fed by import
	FirstDone  bool   // the first sweep of every active region is complete
	Regions    []regionLine
}

// regionLine is how old what a platform shows in a region is. Times are Unix
// milliseconds, 0: not known.
type regionLine struct {
	Code                   string
	Known                  bool // false: nothing but that it has listings
	Listings, Doubtful     int
	OldestSeen, MedianSeen int64
	LastSweep              int64 // end of the last complete sweep
}

type ratesPanel struct {
	Base       string
	Currencies int
	UpdatedAt  int64
	Source     string // "": not known
	PerDollar  []rateLine
}

type rateLine struct{ Currency, Units string }

type indexPanel struct {
	BuiltAt         int64
	Seq             int64
	Cards, Listings int
	Megabytes       string // both blobs, as they are in memory
}

// status tells how fresh everything is.
func (d *Dashboard) status(v *web.Visit) error {
	ctx := v.Context()
	overrides, err := d.cfg.Store.PlatformOverrides(ctx)
	if err != nil {
		return web.StoreError(err)
	}
	live := d.cfg.Live.View()
	view := statusView{Platforms: d.platformPanels(live, overrides)}
	if live != nil {
		if view.Index, err = d.indexPanel(v, live); err != nil {
			return err
		}
		if view.Rates, err = d.ratesPanel(v, live); err != nil {
			return err
		}
	}
	if v.User.Admin {
		if view.Jobs, err = d.jobsPanel(ctx, catalog.Millis(v.Now())); err != nil {
			return err
		}
	}
	return v.Render(http.StatusOK, "status", view)
}

// platformPanels tells of every platform what answers say of it; live may be nil.
func (d *Dashboard) platformPanels(live *index.View, overrides map[catalog.Platform]string) []platformPanel {
	var panels []platformPanel
	for _, p := range catalog.Platforms() {
		panel := platformPanel{ID: p.String(), Name: d.site.PlatformName(p), Override: overrides[p], Status: catalog.Operational.String()}
		if live != nil {
			s := live.State(p)
			panel.Status = cmp.Or(s.Status, panel.Status)
			panel.Collecting, panel.FirstDone = s.Collecting, s.FirstSweepDone
			panel.Regions = regionLines(live.Regions(p), s.Freshness)
		}
		panels = append(panels, panel)
	}
	return panels
}

// regionLines tells of every region that has listings, in the index or, where
// that is older, in the database.
func regionLines(indexed []catalog.Region, known []catalog.Freshness) []regionLine {
	lines := make([]regionLine, 0, len(indexed))
	for _, f := range known {
		lines = append(lines, regionLine{Code: f.Region.String(), Known: true, Listings: f.Listings, Doubtful: f.Doubtful,
			OldestSeen: int64(f.OldestSeen), MedianSeen: int64(f.MedianSeen), LastSweep: int64(f.LastSweep)})
	}
	for _, r := range indexed {
		if !slices.ContainsFunc(known, func(f catalog.Freshness) bool { return f.Region == r }) {
			lines = append(lines, regionLine{Code: r.String()})
		}
	}
	slices.SortFunc(lines, func(a, b regionLine) int { return cmp.Compare(a.Code, b.Code) })
	return lines
}

func (d *Dashboard) indexPanel(v *web.Visit, live *index.View) (*indexPanel, error) {
	listings, err := d.cfg.Store.ListingCount(v.Context())
	if err != nil {
		return nil, web.StoreError(err)
	}
	const mega = 1e6
	return &indexPanel{
		BuiltAt: live.IndexBuiltAt, Seq: live.Seq, Cards: live.Len(), Listings: listings,
		Megabytes: v.Decimal(float64(live.Size())/mega, 1),
	}, nil
}

// ratesPanel shows the rates of the active regions' currencies: nil without a
// table.
func (d *Dashboard) ratesPanel(v *web.Visit, live *index.View) (*ratesPanel, error) {
	if live.Rates.IsZero() {
		return nil, nil
	}
	panel := &ratesPanel{Base: string(live.Rates.Base()), Currencies: len(live.Rates.Currencies()), UpdatedAt: live.Rates.UpdatedAt()}
	source, updatedAt, err := d.cfg.Store.RatesSource(v.Context())
	if err != nil {
		return nil, web.StoreError(err)
	}
	if updatedAt == panel.UpdatedAt { // else the index has another table
		panel.Source = source
	}
	seen := map[money.Currency]bool{money.USD: true}
	for _, r := range live.Active() {
		c, ok := money.RegionCurrency(r.Alpha2)
		if !ok || seen[c] {
			continue
		}
		seen[c] = true
		if units, ok := perDollar(live.Rates, c); ok {
			panel.PerDollar = append(panel.PerDollar, rateLine{string(c), v.Decimal(units, 4)})
		}
	}
	return panel, nil
}

// perDollar is how many units of a currency one dollar is, good for showing:
// the cents of a very large amount have digits enough.
func perDollar(rates money.Rates, c money.Currency) (float64, bool) {
	const amount = 1e14
	cents, ok := rates.USD(c).Cents(amount)
	if !ok || cents == 0 {
		return 0, false
	}
	return amount / float64(cents), true
}
