package status

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/money"
	"gamedex/internal/registry"
	"gamedex/internal/sweep"
)

type statusView struct {
	Summary
	Troubles    []trouble
	CountsAlone bool     // requests are counted by this process alone, not with the others
	Damaged     []string // files of the bucket that a process cannot use
	Platforms   []Platform
	Grid        []gridRow
	Inactive    *inactivePanel // nil: all games are served
	Rates       *ratesPanel    // nil: there are none yet
	Index       *indexPanel    // nil: not for this visitor, or nothing was built yet
	Nodes       *nodesPanel    // nil: not for this visitor, or there is only one
	Jobs        *jobsPanel     // nil: not for this visitor, or nothing is collected
}

// Platform is what the API reports about a platform.
type Platform struct {
	ID, Name   string
	Status     string // "operational", "degraded", "outage"
	Override   string // the status that an administrator has set; ""
	Collecting bool   // false: listings come by import
	FirstDone  bool   // the first sweep of every active region is complete
	Regions    []regionLine
}

// regionLine is the age of a platform's listings in a region. Times are Unix
// milliseconds, or 0 if they are not known.
type regionLine struct {
	Code                   string
	Known                  bool // false: there are listings; their age is not known
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
	Megabytes       string // of both blobs in memory
}

func (p *Pages) status(v *web.Visit) error {
	live := p.live()
	view := p.viewOf(live)
	if v.User != nil {
		if err := p.addStored(v, live, &view); err != nil {
			return err
		}
	}
	view.Grid = gridOf(v, view.Platforms)
	view.Troubles = view.troubles(v, live)
	view.Summary = summaryOf(live, view.Troubles)
	v.ValidUntil(v.Now() + time.Minute.Milliseconds()) // it says how long ago things were
	v.Describe(web.About{Title: v.T("status.title"), Description: v.T("public.status.about")}, func(l web.Locale) string {
		l.Country = ""
		return l.Status()
	})
	return v.Render(http.StatusOK, "status", view)
}

// viewOf returns what this process knows without the database.
func (p *Pages) viewOf(live *overview.Catalog) statusView {
	view := statusView{Platforms: p.platforms(live, nil), CountsAlone: p.repositories.CountsAlone != nil && p.repositories.CountsAlone()}
	if p.repositories.Registry != nil {
		view.Damaged = p.repositories.Registry.List().Damaged()
	}
	return view
}

// addStored adds what users and administrators see of the database.
func (p *Pages) addStored(v *web.Visit, live *overview.Catalog, view *statusView) error {
	ctx := v.Context()
	overrides, err := p.repositories.Nodes.PlatformOverrides(ctx)
	if err != nil {
		return web.DatabaseError(err)
	}
	view.Platforms = p.platforms(live, overrides)
	if live != nil {
		view.Inactive = inactiveRegions(live)
		if view.Index, err = p.indexPanel(v, live); err != nil {
			return err
		}
		if view.Rates, err = p.ratesPanel(v, live); err != nil {
			return err
		}
	}
	if v.User.Admin {
		view.Nodes = p.nodesPanel(v)
		if view.Jobs, err = p.jobsPanel(ctx, catalog.Millis(v.Now())); err != nil {
			return err
		}
	}
	return nil
}

// inactivePanel names the regions of games that are not served.
type inactivePanel struct {
	Regions, Active string // "DE, JP"
	Flag            string // of serve, which makes them active
}

func inactiveRegions(live *overview.Catalog) *inactivePanel {
	if len(live.Unserved) == 0 {
		return nil
	}
	return &inactivePanel{
		Regions: catalog.JoinRegions(live.Unserved, ", "), Active: catalog.JoinRegions(live.Active, ", "),
		Flag: "--active-regions " + catalog.JoinRegions(slices.Concat(live.Active, live.Unserved), ","),
	}
}

// Platforms returns what the API reports about every platform.
func (p *Pages) Platforms(overrides map[catalog.Platform]string) []Platform {
	return p.platforms(p.live(), overrides)
}

func (p *Pages) platforms(live *overview.Catalog, overrides map[catalog.Platform]string) []Platform {
	var platforms []Platform
	for _, id := range catalog.Platforms() {
		platform := Platform{ID: id.String(), Name: p.site.PlatformName(id), Override: overrides[id], Status: catalog.Operational.String()}
		if live != nil {
			s := live.Store(id)
			platform.Status, platform.Collecting, platform.FirstDone = s.Status, s.Collecting, s.FirstSweepDone
			platform.Regions = regionLines(s.Regions, s.Freshness)
		}
		platforms = append(platforms, platform)
	}
	return platforms
}

// regionLines returns a line for every region with listings in the index or, if
// the index is older, in the database.
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

func (p *Pages) indexPanel(v *web.Visit, live *overview.Catalog) (*indexPanel, error) {
	listings, err := p.repositories.ListingCount(v.Context())
	if err != nil {
		return nil, web.DatabaseError(err)
	}
	return &indexPanel{
		BuiltAt: live.BuiltAt, Seq: live.Seq, Cards: live.Cards, Listings: listings,
		Megabytes: v.Decimal(float64(live.Bytes)/1e6, 1),
	}, nil
}

// ratesPanel returns the rates of the active regions' currencies, or nil if there
// are none.
func (p *Pages) ratesPanel(v *web.Visit, live *overview.Catalog) (*ratesPanel, error) {
	if live.Rates.IsZero() {
		return nil, nil
	}
	panel := &ratesPanel{Base: string(live.Rates.Base()), Currencies: len(live.Rates.Currencies()), UpdatedAt: live.Rates.UpdatedAt()}
	source, updatedAt, err := p.repositories.Nodes.RatesSource(v.Context())
	if err != nil {
		return nil, web.DatabaseError(err)
	}
	if updatedAt == panel.UpdatedAt { // else the index has other rates
		panel.Source = source
	}
	seen := map[money.Currency]bool{money.USD: true}
	for _, r := range live.Active {
		c, ok := money.RegionCurrency(r.String())
		if !ok || seen[c] {
			continue
		}
		seen[c] = true
		const amount = 1e14 // large, so that its cents have enough digits to show
		if cents, ok := live.Rates.USD(c).Cents(amount); ok && cents != 0 {
			panel.PerDollar = append(panel.PerDollar, rateLine{string(c), v.Decimal(amount/float64(cents), 4)})
		}
	}
	return panel, nil
}

// Repositories are what the pages read of the database.
type Repositories struct {
	// ListingCount counts the stored listings.
	ListingCount func(context.Context) (int, error)
	Sweeps       Sweeps
	Nodes        Nodes
	Registry     Registry // nil: no other nodes are shown
	// CountsAlone reports whether this process has to count requests without the
	// others; nil: never.
	CountsAlone func() bool
}

// Registry knows the processes that serve from the database.
type Registry interface{ List() registry.List }

// Sweeps reads the state of collection.
type Sweeps interface {
	Collections(ctx context.Context) ([]sweep.Collection, error)
	Sweeps(ctx context.Context, now catalog.Millis, countTo int) ([]sweep.State, error)
}

// Nodes reads the source of rates and what an operator set.
type Nodes interface {
	// RatesSource returns the provider and the time of the stored exchange rates;
	// "" and 0 before there are any.
	RatesSource(ctx context.Context) (source string, updatedAt int64, err error)
	PlatformOverrides(ctx context.Context) (map[catalog.Platform]string, error)
}

// Pages are the pages of this package. Create them with [New].
type Pages struct {
	repositories Repositories
	site         *web.Site
	live         func() *overview.Catalog
}

// New registers the pages with the site.
func New(site *web.Site, live func() *overview.Catalog, repositories Repositories) *Pages {
	p := &Pages{repositories, site, live}
	site.Handle("GET /status", web.Anyone, p.status)
	site.HandleCatalog("/status", p.status)
	return p
}
