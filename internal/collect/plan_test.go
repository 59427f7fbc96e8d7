package collect_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/collect"
	"gamedex/internal/sweep"
)

const minute = catalog.Millis(60_000)

// noon is the time of the tests' plans.
func noon() catalog.Millis {
	return catalog.MillisOf(time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC))
}

// state is a scope that was swept a minute ago and is due in four.
func state(name string, set ...func(*sweep.State)) sweep.State {
	s := sweep.State{
		Scope: scope(name), Interval: 5 * minute, Completed: noon() - minute, DueAt: noon() + 4*minute,
		Active: strings.Contains(name, "/UA/"),
	}
	s.Regions = []catalog.Region{s.Scope.Region}
	for _, f := range set {
		f(&s)
	}
	return s
}

func dueFor(m catalog.Millis) func(*sweep.State) {
	return func(s *sweep.State) { s.DueAt = noon() - m*minute }
}

func sweptFor(m catalog.Millis) func(*sweep.State) {
	return func(s *sweep.State) { s.Completed = noon() - m*minute }
}

func never(s *sweep.State) { s.Completed, s.DueAt = 0, 0 }

func since(m catalog.Millis) catalog.Millis { return noon() - m*minute }

func console(set ...func(*sweep.Collection)) []sweep.Collection {
	c := sweep.Collection{Platform: catalog.ConsoleStore, Since: since(1000), Interval: 10 * minute}
	for _, f := range set {
		f(&c)
	}
	return []sweep.Collection{c}
}

func TestPlan(t *testing.T) {
	tests := []struct {
		name        string
		sweeps      []sweep.State
		collections []sweep.Collection
		want        []string
	}{
		{
			name: "by class, all due",
			sweeps: []sweep.State{
				state("consolestore/US/titles", dueFor(9)), state("consolestore/UA/details", dueFor(8)),
				state("consolestore/US/addons", dueFor(7)), state("consolestore/US/editions", dueFor(6)),
				state("consolestore/US/prices", dueFor(5)), state("consolestore/UA/addons", dueFor(4)),
				state("consolestore/UA/editions", dueFor(3)), state("consolestore/UA/prices", dueFor(2)),
			},
			want: []string{
				"now 1 UA/prices", "now 2 UA/editions", "now 2 UA/addons", "now 3 US/prices",
				"now 4 US/editions", "now 4 US/addons", "now 5 US/titles", "now 5 UA/details",
			},
		}, {
			name: "longest ago swept first, then longest due",
			sweeps: []sweep.State{
				state("consolestore/DE/prices", dueFor(1), sweptFor(10)), state("consolestore/FR/prices", dueFor(3), sweptFor(10)),
				state("consolestore/US/prices", dueFor(1), sweptFor(20)), state("consolestore/AT/prices", never),
			},
			collections: console(func(c *sweep.Collection) { c.Since = since(1) }),
			want:        []string{"now 3 AT/prices", "now 3 US/prices", "now 3 FR/prices", "now 3 DE/prices"},
		}, {
			name: "not due: by time, in any class",
			sweeps: []sweep.State{
				state("consolestore/UA/prices", dueFor(-3)), state("consolestore/UA/details", dueFor(-2)), state("consolestore/US/prices", dueFor(0)),
			},
			want: []string{"now 3 US/prices", "+2m 5 UA/details", "+3m 1 UA/prices"},
		}, {
			name: "overdue moves up a class, but never to the first",
			sweeps: []sweep.State{
				state("consolestore/UA/editions", dueFor(20), sweptFor(26)), state("consolestore/UA/prices", dueFor(1), sweptFor(6)),
				state("consolestore/US/details", dueFor(20), sweptFor(26)), state("consolestore/DE/prices", dueFor(20), sweptFor(25)),
				state("consolestore/DE/editions", dueFor(20), sweptFor(24)),
			},
			want: []string{"now 1 UA/prices", "now 2 UA/editions overdue", "now 3 DE/prices", "now 4 US/details overdue", "now 4 DE/editions"},
		}, {
			name:        "never swept is overdue from the day collection began",
			sweeps:      []sweep.State{state("consolestore/US/details", never), state("consolestore/US/titles", never)},
			collections: console(func(c *sweep.Collection) { c.Since = since(26) }),
			want:        []string{"now 4 US/details overdue", "now 4 US/titles overdue"},
		}, {
			name: "running ones first, unless their lease has expired",
			sweeps: []sweep.State{
				state("consolestore/UA/prices", dueFor(2)),
				state("consolestore/UA/details", dueFor(2), func(s *sweep.State) { s.RunBy, s.RunUntil = "a", noon()+1 }),
				state("consolestore/UA/editions", dueFor(2), func(s *sweep.State) { s.RunBy, s.RunUntil = "b", noon() }),
			},
			want: []string{"running 5 UA/details", "now 1 UA/prices", "now 2 UA/editions"},
		}, {
			name:        "a stopped store",
			sweeps:      []sweep.State{state("consolestore/UA/prices", dueFor(2)), state("consolestore/US/prices", dueFor(-9))},
			collections: console(func(c *sweep.Collection) { c.StoppedUntil = noon() + 7*minute }),
			want:        []string{"+7m 1 UA/prices", "+9m 3 US/prices"},
		}, {
			name:   "a platform without collection",
			sweeps: []sweep.State{state("pcstore/UA/prices", dueFor(2)), state("consolestore/US/prices", dueFor(2))},
			want:   []string{"now 3 US/prices"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.collections == nil {
				tt.collections = console()
			}
			var got []string
			for _, p := range collect.Plan(tt.sweeps, tt.collections, noon()) {
				got = append(got, planLine(p))
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func planLine(p collect.Planned) string {
	when := "now"
	switch {
	case p.Running:
		when = "running"
	case p.At != noon():
		when = fmt.Sprintf("+%dm", (p.At-noon())/minute)
	}
	_, name, _ := strings.Cut(p.State.Scope.String(), "/")
	line := fmt.Sprintf("%s %d %s", when, p.Class, name)
	if p.Overdue {
		line += " overdue"
	}
	return line
}

func TestPlanReasons(t *testing.T) {
	stopped := func(c *sweep.Collection) { c.StoppedUntil, c.StopReason = noon()+minute, "a challenge page" }
	tests := []struct {
		name string
		s    sweep.State
		c    []sweep.Collection
		want string
	}{
		{"waits", state("consolestore/UA/prices"), console(), "swept 1m ago, every 5m"},
		{"never", state("consolestore/UA/prices", never), console(func(c *sweep.Collection) { c.Since = noon() }), "never swept"},
		{"goes on", state("consolestore/UA/prices", func(s *sweep.State) { s.Began = since(2) }), console(),
			"sweep began 2026-05-01 11:58:00"},
		{"items left", state("consolestore/UA/editions", func(s *sweep.State) { s.Began, s.Pending = since(2), 812 }), console(),
			"sweep began 2026-05-01 11:58:00, items left: 812"},
		{"many items due", state("consolestore/UA/editions", func(s *sweep.State) { s.Pending = sweep.ManyItems }), console(), "items due: 10000 or more"},
		{"items due", state("consolestore/UA/editions", func(s *sweep.State) { s.Pending = 17 }), console(), "items due: 17"},
		{"failed", state("consolestore/UA/prices", func(s *sweep.State) { s.Attempts, s.LastError = 3, "500" }), console(),
			"failed 3 times in a row: swept 1m ago, every 5m"},
		{"failed once", state("consolestore/UA/prices", func(s *sweep.State) { s.Attempts, s.LastError = 1, "500" }), console(),
			"failed once: swept 1m ago, every 5m"},
		{"held back", state("consolestore/UA/prices", func(s *sweep.State) { s.Failed, s.HeldBack = true, 114 }), console(),
			"held back, 114 would be withdrawn or lose their price at once: swept 1m ago, every 5m"},
		{"overdue", state("consolestore/UA/prices", sweptFor(60), dueFor(1)), console(), "swept 1h ago, every 5m, overdue"},
		{"stopped", state("consolestore/UA/prices", dueFor(1)), console(stopped), "no requests to the store before 2026-05-01 12:01:00: a challenge page"},
		{"not due even after the stop", state("consolestore/UA/prices"), console(stopped), "swept 1m ago, every 5m"},
		{"running", state("consolestore/UA/prices", func(s *sweep.State) { s.RunBy, s.RunUntil, s.Began = "node-1", noon()+1, since(1) }), console(),
			"running: sweep began 2026-05-01 11:59:00"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			plan := collect.Plan([]sweep.State{tt.s}, tt.c, noon())
			if len(plan) != 1 || plan[0].Why != tt.want {
				t.Errorf("got %q, want %q", plan[0].Why, tt.want)
			}
		})
	}
}

func TestSpan(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 45*time.Second + 300*time.Millisecond: "45s", 90 * time.Second: "1m30s", 10 * time.Minute: "10m",
		time.Hour - time.Millisecond: "1h", 74*time.Hour + 50*time.Minute + 19*time.Second: "74h50m", 336*time.Hour + 9*time.Second: "336h",
	} {
		if got := collect.Span(d); got != want {
			t.Errorf("%v: %q, want %q", d, got, want)
		}
	}
}

// TestPlanInvariants checks that, whatever the states, every scope is planned
// once, nothing is planned before its time, and due scopes are in order of
// urgency.
func TestPlanInvariants(t *testing.T) {
	names := []string{"UA/prices", "UA/editions", "UA/addons", "UA/details", "US/prices", "US/titles", "US/addons", "DE/prices"}
	rapid.Check(t, func(rt *rapid.T) {
		drawTime := rapid.Custom(func(rt *rapid.T) catalog.Millis {
			return rapid.SampledFrom([]catalog.Millis{0, noon() + rapid.Custom(func(rt *rapid.T) catalog.Millis {
				return catalog.Millis(rapid.IntRange(-100, 100).Draw(rt, "m")) * minute
			}).Draw(rt, "near")}).Draw(rt, "at")
		})
		var sweeps []sweep.State
		for _, name := range names {
			sweeps = append(sweeps, state("consolestore/"+name, func(s *sweep.State) {
				s.Completed, s.DueAt, s.Began, s.RunUntil = drawTime.Draw(rt, "completed"), drawTime.Draw(rt, "due"), drawTime.Draw(rt, "began"), drawTime.Draw(rt, "until")
				s.RunBy = rapid.SampledFrom([]string{"", "a"}).Draw(rt, "by")
			}))
		}
		c := console(func(c *sweep.Collection) {
			c.Since, c.StoppedUntil = drawTime.Draw(rt, "since"), drawTime.Draw(rt, "stopped")
		})
		plan := collect.Plan(sweeps, c, noon())
		seen := map[sweep.Scope]bool{}
		for i, p := range plan {
			seen[p.State.Scope] = true
			if !p.Running && p.At < max(p.State.DueAt, c[0].StoppedUntil, noon()) {
				rt.Errorf("%s is planned before its time", planLine(p))
			}
			if (p.Class == 1) != (p.State.Active && p.State.Scope.Kind == sweep.Prices) || p.Why == "" {
				rt.Errorf("%s: wrong class or reason", planLine(p))
			}
			if i == 0 {
				continue
			}
			before := plan[i-1]
			if p.Running && !before.Running || before.Running == p.Running && (before.At > p.At || before.At == p.At && before.Class > p.Class) {
				rt.Errorf("%s after %s", planLine(p), planLine(before))
			}
		}
		if len(plan) != len(names) || len(seen) != len(names) {
			rt.Errorf("%d of %d scopes planned", len(seen), len(names))
		}
		again := collect.Plan(slices.Clone(sweeps), c, noon())
		if diff := cmp.Diff(plan, again); diff != "" {
			rt.Errorf("a second plan differs:\n%s", diff)
		}
	})
}
