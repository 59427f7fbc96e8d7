package report

import (
	"slices"
	"strings"

	"gamedex/bench/harness"
)

// Goal is a limit for a figure.
type Goal struct {
	What    string // "requests/s of ours / nginx"
	AtMost  bool   // Limit is an upper limit, not a lower one
	Limit   float64
	Stretch float64 // 0: none
	Unit    string  // "x", "bytes", ""
	Figure  harness.Figure
	Missing string // why there is no figure, or ""
	Or      *Goal  // an alternative: meeting either is enough
	// All makes it a goal of several parts, which must all be met. Such a goal has no
	// other fields but What.
	All []Goal
}

// Met reports whether the median is within the limit, or the alternative goal is
// met.
func (g Goal) Met() bool {
	if len(g.All) > 0 {
		return everyPart(g.All, Goal.Met)
	}
	return g.Missing == "" && g.within(g.Limit) || g.Or != nil && g.Or.Met()
}

// Stretched reports whether the goal is met with its stretch. Parts without a
// stretch only have to be met.
func (g Goal) Stretched() bool {
	if len(g.All) > 0 {
		return g.Met() && g.hasStretch() && everyPart(g.All, func(part Goal) bool { return part.Stretch == 0 || part.Stretched() })
	}
	return g.Missing == "" && g.Stretch != 0 && g.within(g.Stretch)
}

// hasStretch reports whether the goal or one of its parts has a stretch.
func (g Goal) hasStretch() bool {
	return g.Stretch != 0 || slices.ContainsFunc(g.All, func(part Goal) bool { return part.Stretch != 0 })
}

func everyPart(parts []Goal, ok func(Goal) bool) bool {
	return !slices.ContainsFunc(parts, func(part Goal) bool { return !ok(part) })
}

func (g Goal) within(limit float64) bool {
	if g.AtMost {
		return g.Figure.Median <= limit
	}
	return g.Figure.Median >= limit
}

// Verdict returns "met", "met, stretch too", "not met" with the parts that are not or with
// "except in some rounds", or why there is no figure.
func (g Goal) Verdict() string {
	switch {
	case g.Stretched():
		return "met, stretch too"
	case g.Met():
		return "met"
	case g.Missing != "":
		return "not measured: " + g.Missing
	}
	return "**not met**" + g.unmet()
}

// unmet lists the parts that are not met, or says that some rounds met the goal.
func (g Goal) unmet() string {
	if len(g.All) == 0 && g.Or == nil && g.Figure.Low <= g.Limit && g.Limit <= g.Figure.High {
		return ", except in some rounds"
	}
	var parts []string
	for _, part := range g.All {
		switch {
		case part.Met():
		case part.Missing != "":
			parts = append(parts, part.What+" (not measured: "+part.Missing+")")
		default:
			parts = append(parts, part.What)
		}
	}
	if parts == nil {
		return ""
	}
	return ": " + strings.Join(parts, ", ")
}

// row returns the cells What, figure, limit, stretch and verdict.
func (g Goal) row() []string { return append(g.values(), g.Verdict()) }

// values returns the cells of row without the verdict.
func (g Goal) values() []string {
	if len(g.All) > 0 {
		return g.partsValues()
	}
	row := []string{g.What, "", g.bound(g.Limit), ""}
	if g.Missing == "" {
		row[1] = Number(g.Figure.Median) + g.Unit + spread(g.Figure)
	}
	if g.Stretch != 0 {
		row[3] = g.bound(g.Stretch)
	}
	if g.Or != nil {
		joinCells(row, g.Or.values(), ", or ")
	}
	return row
}

// partsValues returns the same cells, with the name of each part before its values.
func (g Goal) partsValues() []string {
	row := []string{g.What, "", "", ""}
	for _, part := range g.All {
		cells := part.values()
		for i := 1; i < len(cells); i++ {
			if cells[i] != "" {
				cells[i] = part.What + " " + cells[i]
			}
		}
		cells[0] = ""
		joinCells(row, cells, ", ")
	}
	return row
}

// joinCells appends the cells of another row to those of row.
func joinCells(row, other []string, by string) {
	for i, cell := range other {
		switch {
		case row[i] == "":
			row[i] = cell
		case cell != "":
			row[i] += by + cell
		}
	}
}

func (g Goal) bound(v float64) string {
	sign := "≥ "
	if g.AtMost {
		sign = "≤ "
	}
	return sign + Number(v) + g.Unit
}
