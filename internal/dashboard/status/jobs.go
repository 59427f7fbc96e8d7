package status

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/registry"
	"gamedex/internal/sweep"
)

type jobsPanel struct {
	ByHand  bool // jobs run only when somebody starts them
	Stopped []stopLine
	Total   struct {
		Jobs, Running, Failed int
		Requests              int
		Pending               pending
		Withdrawn, HeldBack   int
	}
	Lines   []jobLine // the first maxJobLines, failed ones first
	LeftOut int       // how many more there are
}

// stopLine is a platform whose store is not read at present.
type stopLine struct {
	Name, Reason string
	Until        int64
}

// The states of a job.
const (
	jobFailed  = "failed"
	jobStopped = "stopped" // because its platform is
	jobRunning = "running"
	jobWaiting = "waiting"
)

type jobLine struct {
	Scope                                string
	State                                string
	Completed, DueAt                     int64
	Requests, Parts, Withdrawn, HeldBack int
	Pending                              pending
	LastError                            string
}

// pending is a number of items to read.
type pending struct {
	items int
	more  bool // there may be more
}

// Text returns the number as the page shows it.
func (p pending) Text(v *web.Visit) string {
	if p.more {
		return v.T("status.jobs.or-more", v.Number(p.items))
	}
	return v.Number(p.items)
}

// maxJobLines keeps the page light where sixty regions are collected.
const maxJobLines = 50

// maxErrorLen bounds what is shown of an error, in code points.
const maxErrorLen = 160

// jobsPanel returns nil if nothing is collected.
func (p *Pages) jobsPanel(ctx context.Context, now catalog.Millis) (*jobsPanel, error) {
	collections, err := p.repositories.Sweeps.Collections(ctx)
	if err != nil || len(collections) == 0 {
		return nil, web.DatabaseError(err)
	}
	sweeps, err := p.repositories.Sweeps.Sweeps(ctx, now, sweep.ManyItems)
	if err != nil {
		return nil, web.DatabaseError(err)
	}
	panel := &jobsPanel{ByHand: true}
	stopped := map[catalog.Platform]catalog.Millis{}
	for _, c := range collections {
		panel.ByHand = panel.ByHand && c.Interval == 0
		if c.StoppedUntil > now {
			stopped[c.Platform] = c.StoppedUntil
			panel.Stopped = append(panel.Stopped, stopLine{p.site.PlatformName(c.Platform), web.Shorten(c.StopReason, maxErrorLen), int64(c.StoppedUntil)})
		}
	}
	for _, s := range sweeps {
		panel.add(s, stopped[s.Scope.Platform])
	}
	order := []string{jobFailed, jobStopped, jobRunning, jobWaiting}
	slices.SortStableFunc(panel.Lines, func(a, b jobLine) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.State), slices.Index(order, b.State)), cmp.Compare(a.Completed, b.Completed))
	})
	if len(panel.Lines) > maxJobLines {
		panel.LeftOut = len(panel.Lines) - maxJobLines
		panel.Lines = panel.Lines[:maxJobLines]
	}
	return panel, nil
}

// add adds the job of a sweep, whose platform may be stopped; 0: it is not.
func (j *jobsPanel) add(s sweep.State, stoppedUntil catalog.Millis) {
	line := jobLine{
		Scope: s.Scope.String(), State: jobState(s, stoppedUntil != 0),
		Completed: int64(s.Completed), DueAt: int64(max(s.DueAt, stoppedUntil)),
		Requests: s.Requests, Parts: s.Parts, Pending: pending{s.Pending, s.Pending >= sweep.ManyItems}, Withdrawn: s.Withdrawn, HeldBack: s.HeldBack,
		LastError: web.Shorten(s.LastError, maxErrorLen),
	}
	j.Lines = append(j.Lines, line)
	total := &j.Total
	total.Jobs++
	switch line.State {
	case jobRunning:
		total.Running++
	case jobFailed:
		total.Failed++
	}
	total.Requests += s.Requests
	total.Pending.items += s.Pending
	total.Pending.more = total.Pending.more || line.Pending.more
	total.Withdrawn += s.Withdrawn
	total.HeldBack += s.HeldBack
}

func jobState(s sweep.State, stopped bool) string {
	switch {
	case s.RunBy != "":
		return jobRunning
	case s.Failed || s.Attempts > 0:
		return jobFailed
	case stopped:
		return jobStopped
	}
	return jobWaiting
}

const maxNodeLines = 100

// nodesPanel is the processes that serve from the database.
type nodesPanel struct {
	Different []string        // settings with the nodes that disagree
	Epochs    string          // nodes that read different epochs of the database; "" if none do
	Shared    []string        // names that several live nodes have
	Skewed    []registry.Node // live nodes whose clock is off
	Lines     []nodeLine
	LeftOut   int
}

type nodeLine struct {
	registry.Node
	Live          bool
	Roles         string
	Started, Seen int64 // by the clock of this process
	Clock         string
}

// nodesPanel returns the panel, or nil if there is one node, with nothing wrong.
func (p *Pages) nodesPanel(v *web.Visit) *nodesPanel {
	if p.repositories.Registry == nil {
		return nil
	}
	list := p.repositories.Registry.List()
	panel := &nodesPanel{Shared: list.SharedNames()}
	for _, d := range list.Disagreements() {
		if d.Flag != "" {
			panel.Different = append(panel.Different, d.String())
		} else {
			panel.Epochs = d.String()
		}
	}
	ahead := v.Now() - list.At
	for _, n := range list.Nodes {
		if list.IsLive(n) && n.Skewed() {
			panel.Skewed = append(panel.Skewed, n)
		}
		panel.Lines = append(panel.Lines, nodeLine{
			Node: n, Live: list.IsLive(n), Roles: strings.Join(n.Roles, ", "),
			Started: n.Started + ahead, Seen: n.Seen + ahead, Clock: v.Decimal(float64(n.Ahead)/1000, 1),
		})
	}
	if len(panel.Lines) < 2 && panel.Skewed == nil {
		return nil
	}
	if len(panel.Lines) > maxNodeLines {
		panel.LeftOut = len(panel.Lines) - maxNodeLines
		panel.Lines = panel.Lines[:maxNodeLines]
	}
	return panel
}
