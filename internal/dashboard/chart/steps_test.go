package chart_test

import (
	"math"
	"strings"
	"testing"
	"text/scanner"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/dashboard/chart"
	"gamedex/internal/money"
)

func TestSteps(t *testing.T) {
	const hour = 3_600_000
	for _, tt := range []struct {
		name  string
		steps []chart.Step
		until int64
		want  string
	}{
		{"nothing", nil, hour, ""},
		{"one price", []chart.Step{{0, 500, ""}}, hour, "M10 10H990"},
		{"down", []chart.Step{{0, 1000, ""}, {hour / 2, 500, ""}}, hour, "M10 10H500V150H990"},
		{"gap", []chart.Step{{0, 1000, ""}, {hour / 2, money.None, ""}, {3 * hour / 4, 1000, ""}}, hour, "M10 10H500M745 10H990"},
		{"a gap at the end", []chart.Step{{0, 1000, ""}, {hour / 2, money.None, ""}}, hour, "M10 10H500"},
		{"free", []chart.Step{{0, 0, ""}}, hour, "M10 290H990"},
		{"never for sale", []chart.Step{{0, money.None, ""}}, hour, ""},
		{"no time has passed", []chart.Step{{hour, 100, ""}}, hour, "M10 10H990"},
		{"the clock is behind", []chart.Step{{hour, 100, ""}, {2 * hour, 50, ""}}, 0, "M10 10H990V150H990"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, chart.DrawSteps(tt.steps, tt.until).Line); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestStepsStayInTheirBox checks that nothing is drawn outside of the box, that
// time never runs backwards, and that every price has its point.
func TestStepsStayInTheirBox(t *testing.T) {
	amounts := rapid.OneOf(rapid.Just(money.None), rapid.Map(rapid.Int64Range(0, 1_000_000), someAmount), rapid.Map(rapid.Int64Min(0), someAmount))
	rapid.Check(t, func(t *rapid.T) {
		at := rapid.Int64Range(0, math.MaxInt64/4).Draw(t, "first")
		var steps []chart.Step
		priced := 0
		for range rapid.IntRange(0, 30).Draw(t, "steps") {
			s := chart.Step{At: at, Amount: amounts.Draw(t, "amount")}
			if s.Amount.Known() {
				priced++
			}
			steps = append(steps, s)
			at += rapid.Int64Range(0, math.MaxInt64/64).Draw(t, "pause")
		}
		c := chart.DrawSteps(steps, rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "until"))
		walk(t, c)
		last := 0
		for _, p := range c.Points {
			if p.X < last || p.X > c.Width || p.Y < 0 || p.Y > c.Height {
				t.Fatalf("point %+v after %d", p, last)
			}
			last = p.X
		}
		if len(c.Points) != priced {
			t.Fatalf("%d points for %d prices", len(c.Points), priced)
		}
		for _, s := range steps {
			if s.Amount > c.Levels[0] {
				t.Fatalf("%d is above the highest level %d", s.Amount, c.Levels[0])
			}
		}
	})
}

func someAmount(n int64) money.Amount { return money.Amount(n) }

// walk follows the line.
func walk(t *rapid.T, c chart.Steps) {
	var s scanner.Scanner
	s.Init(strings.NewReader(c.Line))
	s.Mode = scanner.ScanInts | scanner.ScanChars
	x, letter := 0, ""
	number := func() int {
		if s.Scan() != scanner.Int {
			t.Fatalf("%s is followed by %q in %s", letter, s.TokenText(), c.Line)
		}
		n := 0
		for _, digit := range s.TokenText() {
			n = n*10 + int(digit-'0')
		}
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
			t.Fatalf("command %q in %s", letter, c.Line)
		}
		if to < x || to > c.Width || y > c.Height {
			t.Fatalf("%s leads from %d to %d, %d in %s", letter, x, to, y, c.Line)
		}
		x = to
	}
}

// TestHighestLevel checks that the highest level is round, and so is half of
// it.
func TestHighestLevel(t *testing.T) {
	for _, tt := range []struct{ amount, want money.Amount }{
		{0, 100}, {1, 100}, {100, 100}, {101, 200}, {6999, 8000}, {8001, 10000}, {219900, 300000}, {math.MaxInt64, math.MaxInt64},
	} {
		if got := chart.DrawSteps([]chart.Step{{Amount: tt.amount}}, 0).Levels; got[0] != tt.want || got[1] != tt.want/2 {
			t.Errorf("levels above %d: %v, want %d", tt.amount, got, tt.want)
		}
	}
}
