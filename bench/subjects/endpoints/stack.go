package endpoints

import (
	"context"
	"encoding/json"
	"fmt"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
)

const (
	stackConnections = 32
	stacked          = "the stack, account/me"
	bareSame         = "bare handler, the same body"
	whole            = "the whole program, account/me"
	mePath           = api + "/account/me"
)

// Stack compares all that stands around a handler with no such thing.
func Stack() lab.Subject {
	return lab.Subject{Name: "stack", Measure: measureStack}
}

func measureStack(ctx context.Context, l *lab.Lab) (report.Section, error) {
	w := &world{}
	defer w.stop()
	c, err := l.Catalog(ctx, lab.Pick(l, 20_000, 100_000), 4)
	if err != nil {
		return report.Section{}, err
	}
	stack, err := l.Stand(ctx, "stack", c.Snapshots())
	if err != nil {
		return report.Section{}, err
	}
	w.started = append(w.started, stack.Process)
	me := asking([]string{mePath}, stack.Lines)[0]
	body, _, err := me.Fetch(ctx, stack.URL)
	if err != nil {
		return report.Section{}, err
	}
	if err := w.startBare(ctx, l, c, string(body)); err != nil {
		return report.Section{}, err
	}
	if w.ours, err = l.Serve(ctx, c); err != nil {
		return report.Section{}, err
	}
	w.started = append(w.started, w.ours.Process)
	if err := w.checkStack(ctx, stack); err != nil {
		return report.Section{}, fmt.Errorf("the sides do not answer the same: %w", err)
	}
	runs, err := w.stackRounds(ctx, l, stack)
	if err != nil {
		return report.Section{}, err
	}
	return stackSection(len(body), runs), nil
}

// checkStack compares the members of all three answers; what they say of keys
// and time is each one's own.
func (w *world) checkStack(ctx context.Context, stack *lab.Stand) error {
	var want string
	for i, side := range []struct {
		url, key string
	}{{stack.URL, stack.Lines[0]}, {w.bare.URL, ""}, {w.ours.URL, w.ours.Keys[0]}} {
		body, _, err := asking([]string{mePath}, []string{side.key})[0].Fetch(ctx, side.url)
		if err != nil {
			return err
		}
		var answer struct{ Data, Meta map[string]any }
		if err := json.Unmarshal(body, &answer); err != nil {
			return err
		}
		got := fmt.Sprint(answer.Data["name"], answer.Data["status"], answer.Data["permissions"], len(answer.Data), len(answer.Meta))
		if i == 0 {
			want = got
		}
		if got != want {
			return fmt.Errorf("%s has %s, the stack %s", side.url, got, want)
		}
	}
	return nil
}

func (w *world) stackRounds(ctx context.Context, l *lab.Lab, stack *lab.Stand) (measure.Runs, error) {
	var candidates []measure.Candidate
	for _, side := range []struct {
		name, url string
		process   *lab.Process
		keys      []string
	}{
		{bareSame, w.bare.URL, w.bare.Process, stack.Lines},
		{stacked, stack.URL, stack.Process, stack.Lines},
		{whole, w.ours.URL, w.ours.Process, w.ours.Keys},
	} {
		var paths []string
		for range side.keys {
			paths = append(paths, mePath)
		}
		c, err := l.Wrk(ctx, side.name, lab.Load{
			URL: side.url, Requests: asking(paths, side.keys), Connections: stackConnections, Servers: []*lab.Process{side.process},
		})
		if err != nil {
			return measure.Runs{}, err
		}
		candidates = append(candidates, c)
	}
	return l.Rounds(ctx, candidates...)
}

func stackSection(body int, runs measure.Runs) report.Section {
	return report.Section{
		Title: "The stack around a handler",
		Intro: fmt.Sprintf("GET %s, %d connections: route, request id, panic guard, metrics, the key, both windows, usage and headers, "+
			"log off, put together as the program does it, in a process of the same binary as the bare handler, which has the same catalog in memory and writes the same %d bytes ready. "+
			"account/me is the endpoint with a key and the smallest body that is no ready text; making that body (a record of a key, five moments) is in our figure.",
			mePath, stackConnections, body),
		Goals: []report.Goal{
			{What: "CPU against a bare handler", AtMost: true, Limit: 1.25, Stretch: 1.15, Unit: "x", Figure: runs.Ratio(measure.CPU, stacked, bareSame)},
		},
		Tables: []report.Table{report.Compare("Ratios are to the bare handler.", runs, bareSame,
			measure.CPU, measure.Rate, measure.P50, measure.P99, measure.Bytes)},
	}
}
