package dashboard

import (
	"cmp"
	"context"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/dashboard/web"
	"gamedex/internal/sweep"
)

// jobsPanel is how the jobs that read the stores stand.
type jobsPanel struct {
	ByHand  bool // nothing runs by itself
	Stopped []stopLine
	Total   jobTotals
	Lines   []jobLine // the worst, at most maxJobLines
	LeftOut int       // how many more there are
}

// stopLine is a platform whose store is not asked at present.
type stopLine struct {
	Name, Reason string
	Until        int64
}

type jobTotals struct {
	Jobs, Running, Failed int
	Requests, Pending     int
	Withdrawn, HeldBack   int
}

// The states of a job, worst first.
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

// jobsPanel is nil where nothing is collected.
func (d *Dashboard) jobsPanel(ctx context.Context, now catalog.Millis) (*jobsPanel, error) {
	collections, err := d.cfg.Store.Collections(ctx)
	if err != nil || len(collections) == 0 {
		return nil, web.StoreError(err)
	}
	sweeps, err := d.cfg.Store.Sweeps(ctx, now)
	if err != nil {
		return nil, web.StoreError(err)
	}
	panel := &jobsPanel{ByHand: true}
	stopped := map[catalog.Platform]catalog.Millis{}
	for _, c := range collections {
		panel.ByHand = panel.ByHand && c.Interval == 0
		if c.StoppedUntil > now {
			stopped[c.Platform] = c.StoppedUntil
			panel.Stopped = append(panel.Stopped, stopLine{d.site.PlatformName(c.Platform), shortened(c.StopReason, maxErrorLen), int64(c.StoppedUntil)})
		}
	}
	panel.fill(sweeps, stopped)
	return panel, nil
}

func (panel *jobsPanel) fill(sweeps []sweep.State, stopped map[catalog.Platform]catalog.Millis) {
	for _, s := range sweeps {
		line := jobLineOf(s, stopped[s.Scope.Platform])
		panel.Total.add(line)
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
		LastError: shortened(s.LastError, maxErrorLen),
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

func (t *jobTotals) add(l jobLine) {
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

// shortened cuts a text after n code points.
func shortened(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "…"
}
