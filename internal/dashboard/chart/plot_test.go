package chart_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"text/scanner"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/dashboard/chart"
	"gamedex/internal/money"
)

const hour = 3_600_000

func TestLine(t *testing.T) {
	for _, tt := range []struct {
		name  string
		steps []chart.Step
		want  string
	}{
		{"nothing", nil, ""},
		{"one price", []chart.Step{{0, 500}}, "M0 500H1000"},
		{"down", []chart.Step{{0, 1000}, {hour, 500}}, "M0 0H500V500H1000"},
		{"the same price", []chart.Step{{0, 1000}, {hour, 1000}}, "M0 0H500H1000"},
		{"gap", []chart.Step{{0, 1000}, {hour, money.None}, {3 * hour / 2, 1000}}, "M0 0H500M750 0H1000"},
		{"a gap at the end", []chart.Step{{0, 1000}, {hour, money.None}}, "M0 0H500"},
		{"free", []chart.Step{{0, 0}}, "M0 1000H1000"},
		{"never for sale", []chart.Step{{0, money.None}}, ""},
		{"before the period", []chart.Step{{-hour, 1000}, {hour, 500}}, "M0 0H500V500H1000"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, chart.NewPlot(0, 2*hour, 1000).Line(tt.steps)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestLevelsAndBoxes(t *testing.T) {
	p := chart.NewPlot(1000, 2000, 400)
	for _, tt := range []struct{ name, got, want string }{
		{"a level", p.Level(1250, 2000, 100), "M250 750H1000"},
		{"from before", p.Level(0, 1500, 400), "M0 0H500"},
		{"too high", p.Level(1000, 2000, 401), ""},
		{"no amount", p.Level(1000, 2000, money.None), ""},
		{"over by then", p.Level(0, 1000, 100), ""},
		{"a box", p.Box(1250, 1500, 100, 300), "M250 250H500V750H250Z"},
		{"a box of another time", p.Box(2000, 2500, 100, 300), ""},
	} {
		if tt.got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, tt.got, tt.want)
		}
	}
}

func TestLevelsAreRound(t *testing.T) {
	for _, tt := range []struct{ highest, unit, top money.Amount }{
		{0, 1, 1}, {1, 1, 1}, {99, 25, 100}, {6999, 2000, 8000}, {8001, 2500, 10000}, {90000, 25000, 100000}, {219900, 100000, 300000},
	} {
		levels := chart.NewPlot(0, hour, tt.highest).Levels()
		if len(levels) < 2 || levels[1].Amount != tt.unit || levels[len(levels)-1].Amount != tt.top {
			t.Errorf("levels up to %d: %v, want every %d up to %d", tt.highest, levels, tt.unit, tt.top)
		}
	}
}

// TestPlotStaysInItsBox checks that nothing is drawn outside of the box, and that time
// never runs backwards, whatever the numbers are.
func TestPlotStaysInItsBox(t *testing.T) {
	amounts := rapid.OneOf(rapid.Just(money.None), rapid.Map(rapid.Int64Range(0, 1_000_000), someAmount), rapid.Map(rapid.Int64Min(0), someAmount))
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64().Draw(t, "first")
		p := chart.NewPlot(at, rapid.Int64().Draw(t, "until"), amounts.Draw(t, "highest"))
		var steps []chart.Step
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			steps = append(steps, chart.Step{At: at, Amount: amounts.Draw(t, "amount")})
			if pause := rapid.Int64Range(0, math.MaxInt64/64).Draw(t, "pause"); at < math.MaxInt64-pause {
				at += pause
			}
		}
		walk(t, p.Line(steps))
		levels := p.Levels()
		if n := len(levels); n < 2 || n > 5 || levels[0].Y != "100.00%" || levels[n-1].Y != "0.00%" {
			t.Fatalf("levels %v", levels)
		}
		if ticks := p.TimeTicks(); len(ticks) > 9 || !slices.IsSortedFunc(ticks, func(a, b chart.TimeTick) int { return int(a.At/1000 - b.At/1000) }) {
			t.Fatalf("ticks %v", ticks)
		}
	})
}

func someAmount(n int64) money.Amount { return money.Amount(n) }

// walk follows a line.
func walk(t *rapid.T, line string) {
	var s scanner.Scanner
	s.Init(strings.NewReader(line))
	s.Mode = scanner.ScanInts | scanner.ScanChars
	x, letter := 0, ""
	number := func() int {
		if s.Scan() != scanner.Int {
			t.Fatalf("%s is followed by %q in %s", letter, s.TokenText(), line)
		}
		n := 0
		fmt.Sscan(s.TokenText(), &n)
		return n
	}
	for s.Scan() != scanner.EOF {
		letter = s.TokenText()
		to, y := x, 0
		switch letter {
		case "M":
			to, y = number(), number()
		case "H":
			to = number()
		case "V":
			y = number()
		default:
			t.Fatalf("command %q in %s", letter, line)
		}
		if to < x || to > 1000 || y > 1000 {
			t.Fatalf("%s leads from %d to %d, %d in %s", letter, x, to, y, line)
		}
		x = to
	}
}

func TestTimeTicks(t *testing.T) {
	at := func(text string) int64 {
		parsed, err := time.Parse("2006-01-02 15:04", text)
		if err != nil {
			t.Fatal(err)
		}
		return parsed.UnixMilli()
	}
	for _, tt := range []struct {
		from, until string
		unit        chart.Unit
		want        string
	}{
		{"2026-11-25 09:00", "2026-11-25 11:30", chart.Hour, "2026-11-25T09 2026-11-25T10 2026-11-25T11"},
		{"2026-11-20 09:00", "2026-11-25 09:00", chart.Day, "2026-11-21T00 2026-11-22T00 2026-11-23T00 2026-11-24T00 2026-11-25T00"},
		{"2026-10-25 00:00", "2026-11-25 09:00", chart.Day, "2026-10-26T00 2026-11-02T00 2026-11-09T00 2026-11-16T00 2026-11-23T00"},
		{"2026-05-25 00:00", "2026-11-25 09:00", chart.Month, "2026-06-01T00 2026-07-01T00 2026-08-01T00 2026-09-01T00 2026-10-01T00 2026-11-01T00"},
		{"2025-11-25 00:00", "2026-11-25 09:00", chart.Month, "2026-01-01T00 2026-03-01T00 2026-05-01T00 2026-07-01T00 2026-09-01T00 2026-11-01T00"},
		{"2019-11-25 00:00", "2026-11-25 09:00", chart.Year, "2020-01-01T00 2021-01-01T00 2022-01-01T00 2023-01-01T00 2024-01-01T00 2025-01-01T00 2026-01-01T00"},
	} {
		var got []string
		for _, m := range chart.NewPlot(at(tt.from), at(tt.until), 100).TimeTicks() {
			got = append(got, time.UnixMilli(m.At).UTC().Format("2006-01-02T15"))
			if m.Unit != tt.unit {
				t.Errorf("from %s: unit %d, want %d", tt.from, m.Unit, tt.unit)
			}
		}
		if diff := cmp.Diff(tt.want, strings.Join(got, " ")); diff != "" {
			t.Errorf("from %s until %s: (-want +got)\n%s", tt.from, tt.until, diff)
		}
	}
}

// TestThinKeepsLows checks that a thinned series is a part of the whole one, short
// enough, has the same low, which lasts as long, and ends with the same step.
func TestThinKeepsLows(t *testing.T) {
	amount := func(s chart.Step) money.Amount { return s.Amount }
	rapid.Check(t, func(t *rapid.T) {
		var steps []chart.Step
		for i := range rapid.IntRange(0, 400).Draw(t, "steps") {
			steps = append(steps, chart.Step{At: int64(i), Amount: money.Amount(rapid.Int64Range(-1, 50).Draw(t, "amount"))})
		}
		most := rapid.IntRange(4, 60).Draw(t, "most")
		kept := chart.Thin(steps, most, amount)
		if len(kept) > most || len(steps) <= most && len(kept) != len(steps) {
			t.Fatalf("%d steps of %d, at most %d", len(kept), len(steps), most)
		}
		if len(steps) == 0 {
			return
		}
		if kept[0] != steps[0] || kept[len(kept)-1] != steps[len(steps)-1] {
			t.Fatalf("from %v to %v, want %v to %v", kept[0], kept[len(kept)-1], steps[0], steps[len(steps)-1])
		}
		lowest := money.None
		at := -1
		for i, s := range steps {
			if s.Amount.Known() && (at < 0 || s.Amount < lowest) {
				lowest, at = s.Amount, i
			}
		}
		last := int64(-1)
		for i, s := range kept {
			if s.At <= last || steps[s.At] != s {
				t.Fatalf("%v after %d", s, last)
			}
			last = s.At
			if int(s.At) == at && i+1 < len(kept) && kept[i+1].At != s.At+1 {
				t.Fatalf("the low at %d lasts until %d", at, kept[i+1].At)
			}
		}
		if at >= 0 && !slices.Contains(kept, steps[at]) {
			t.Fatalf("the low at %d is not kept", at)
		}
	})
}
