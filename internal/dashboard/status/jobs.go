package status

import (
	"cmp"
	"context"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/sweep"
)

// jobsPanel is the state of the jobs that read the stores.
type jobsPanel struct {
	ByHand  bool // jobs run only when somebody starts them
	Stopped []stopLine
	Total   jobTotals
	Lines   []jobLine // the first maxJobLines, failed ones first
	LeftOut int       // how many more there are
}

// stopLine is a platform whose store is not read at present.
type stopLine struct {
	Name, Reason string
	Until        int64
}

type jobTotals struct {
	Jobs, Running, Failed int
	Requests, Pending     int
	Withdrawn, HeldBack   int
}

// The states of a job, in the order in which they are listed.
const (
	jobFailed  = "failed"
	jobStopped = "stopped" // because its platform is
	jobRunning = "running"
	jobWaiting = "waiting"
)

// jobLine is a row of the table of jobs.
type jobLine struct {
	Scope                                         string
	State                                         string
	Completed, DueAt                              int64
	Requests, Parts, Pending, Withdrawn, HeldBack int
	LastError                                     string
}

// maxJobLines keeps the page light where sixty regions are collected.
const maxJobLines = 100

// maxErrorLen bounds what is shown of an error, in code points.
const maxErrorLen = 160

// jobsPanel returns nil if nothing is collected.
func (p *Pages) jobsPanel(ctx context.Context, now catalog.Millis) (*jobsPanel, error) {
	collections, err := p.stores.Sweeps.Collections(ctx)
	if err != nil || len(collections) == 0 {
		return nil, web.StoreError(err)
	}
	sweeps, err := p.stores.Sweeps.Sweeps(ctx, now)
	if err != nil {
		return nil, web.StoreError(err)
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
	panel.addSweeps(sweeps, stopped)
	return panel, nil
}

func (panel *jobsPanel) addSweeps(sweeps []sweep.State, stopped map[catalog.Platform]catalog.Millis) {
	for _, s := range sweeps {
		line := jobLineOf(s, stopped[s.Scope.Platform])
		panel.Total.count(line)
		panel.Lines = append(panel.Lines, line)
	}
	slices.SortStableFunc(panel.Lines, func(a, b jobLine) int {
		return cmp.Or(cmp.Compare(rankOf(a.State), rankOf(b.State)), cmp.Compare(a.Completed, b.Completed))
	})
	if len(panel.Lines) > maxJobLines {
		panel.LeftOut = len(panel.Lines) - maxJobLines
		panel.Lines = panel.Lines[:maxJobLines]
	}
}

func jobLineOf(s sweep.State, stoppedUntil catalog.Millis) jobLine {
	return jobLine{
		Scope: s.Scope.String(), State: jobState(s, stoppedUntil != 0),
		Completed: int64(s.Completed), DueAt: int64(max(s.DueAt, stoppedUntil)),
		Requests: s.Requests, Parts: s.Parts, Pending: s.Pending, Withdrawn: s.Withdrawn, HeldBack: s.HeldBack,
		LastError: web.Shorten(s.LastError, maxErrorLen),
	}
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

func rankOf(state string) int {
	return slices.Index([]string{jobFailed, jobStopped, jobRunning, jobWaiting}, state)
}

func (t *jobTotals) count(l jobLine) {
	t.Jobs++
	switch l.State {
	case jobRunning:
		t.Running++
	case jobFailed:
		t.Failed++
	}
	t.Requests += l.Requests
	t.Pending += l.Pending
	t.Withdrawn += l.Withdrawn
	t.HeldBack += l.HeldBack
}
