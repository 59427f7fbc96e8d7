package status

import (
	"fmt"
	"slices"

	"gamedex/internal/api/overview"
	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
)

// Summary says in one line whether all is well.
type Summary struct {
	Class   string // of its colours: "" (good), "warn", "bad"
	Key     string
	BuiltAt int64 // when the prices were last updated; 0: never
}

type trouble struct {
	Bad    bool // else a warning
	Text   string
	Until  int64  // after the text; 0: none
	Reason string // after that; ""
}

// Summary says whether all is well, as far as this process knows without the database.
func (p *Pages) Summary(v *web.Visit) Summary {
	live := p.live()
	view := p.viewOf(live)
	return summaryOf(live, view.troubles(v, live))
}

// Freshness is when prices and exchange rates were last seen at their sources.
type Freshness struct {
	Stores  []StoreAge // that have prices in active regions
	RatesAt int64      // Unix milliseconds; 0: there are no rates
}

// StoreAge is how fresh the prices of a store are in the active region where they are oldest.
type StoreAge struct {
	Name   string
	SeenAt int64 // Unix milliseconds: half of the prices were seen then or later
}

// Freshness returns how fresh the active regions are.
func (p *Pages) Freshness() (f Freshness) {
	live := p.live()
	if live == nil {
		return f
	}
	if !live.Rates.IsZero() {
		f.RatesAt = live.Rates.UpdatedAt()
	}
	for _, id := range catalog.Platforms() {
		var seen int64
		for _, region := range live.Store(id).Freshness {
			if at := int64(region.MedianSeen); slices.Contains(live.Active, region.Region) && at != 0 && (seen == 0 || at < seen) {
				seen = at
			}
		}
		if seen != 0 {
			f.Stores = append(f.Stores, StoreAge{p.site.PlatformName(id), seen})
		}
	}
	return f
}

func summaryOf(live *overview.Catalog, troubles []trouble) Summary {
	if live == nil {
		return Summary{Class: "bad", Key: "status.all.not-ready"}
	}
	s := Summary{BuiltAt: live.BuiltAt, Key: "status.all.good"}
	if slices.ContainsFunc(troubles, func(t trouble) bool { return t.Bad }) {
		s.Class, s.Key = "bad", "status.all.bad"
	} else if len(troubles) > 0 {
		s.Class, s.Key = "warn", "status.all.warn"
	}
	return s
}

// troubles returns what is wrong, as far as the visitor may know.
func (s *statusView) troubles(v *web.Visit, live *overview.Catalog) []trouble {
	var list []trouble
	if live == nil {
		list = append(list, trouble{Bad: true, Text: v.T("status.index.none")})
	} else if live.Rates.IsZero() {
		list = append(list, trouble{Text: v.T("status.rates.none")})
	}
	for _, p := range s.Platforms {
		if p.Status != catalog.Operational.String() {
			list = append(list, trouble{Bad: p.Status == catalog.Outage.String(), Text: p.Name + ": " + v.T(fmt.Sprintf("status.means.%s", p.Status))})
		}
	}
	for _, file := range s.Damaged {
		list = append(list, trouble{Text: v.T("status.damaged", file)})
	}
	if s.CountsAlone {
		list = append(list, trouble{Text: v.T("status.counts-alone")})
	}
	if s.Nodes != nil {
		list = append(list, s.Nodes.troubles(v)...)
	}
	if s.Jobs != nil {
		list = append(list, s.Jobs.troubles(v)...)
	}
	return list
}

func (n *nodesPanel) troubles(v *web.Visit) (list []trouble) {
	for _, setting := range n.Different {
		list = append(list, trouble{Text: v.T("status.nodes.different", setting)})
	}
	if n.Epochs != "" {
		list = append(list, trouble{Text: v.T("status.nodes.epochs", n.Epochs)})
	}
	for _, name := range n.Shared {
		list = append(list, trouble{Text: v.T("status.nodes.shared", name)})
	}
	for _, node := range n.Skewed {
		list = append(list, trouble{Text: v.T("status.nodes.skewed", node.Name)})
	}
	return list
}

func (j *jobsPanel) troubles(v *web.Visit) (list []trouble) {
	for _, stop := range j.Stopped {
		list = append(list, trouble{Text: v.T("status.jobs.stopped-until", stop.Name), Until: stop.Until, Reason: stop.Reason})
	}
	if j.Total.Failed > 0 {
		list = append(list, trouble{Text: v.N("status.jobs.fail", j.Total.Failed)})
	}
	return list
}

// gridRow is how fresh a region is on each platform, in the order of the platforms.
type gridRow struct {
	Code  string
	Cells []*regionLine // nil: no listings
}

// gridOf returns a row for every region, by name.
func gridOf(v *web.Visit, platforms []Platform) []gridRow {
	var rows []gridRow
	for column, p := range platforms {
		for i := range p.Regions {
			at, found := slices.BinarySearchFunc(rows, p.Regions[i].Code, func(row gridRow, code string) int { return v.CompareCountries(row.Code, code) })
			if !found {
				rows = slices.Insert(rows, at, gridRow{p.Regions[i].Code, make([]*regionLine, len(platforms))})
			}
			rows[at].Cells[column] = &p.Regions[i]
		}
	}
	return rows
}
