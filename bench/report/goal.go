package report

import (
	"strings"

	"gamedex/bench/measure"
)

// Goal is one promise and what was measured of it.
type Goal struct {
	What    string // "requests/s of ours / nginx"
	AtMost  bool   // Limit is the most; otherwise the least
	Limit   float64
	Stretch float64 // 0: none
	Unit    string  // "x", "bytes", ""
	Figure  measure.Figure
	Missing string // why there is no figure
	Or      *Goal  // that is enough, too
	// All makes it a goal of several figures: it is met if each of them is, and
	// has nothing but What beside them.
	All []Goal
}

// Met says whether the median is within the limit, or within that of the other
// goal that would do.
func (g Goal) Met() bool {
	if len(g.All) > 0 {
		return !g.lacks(Goal.Met)
	}
	return g.Missing == "" && g.within(g.Limit) || g.Or != nil && g.Or.Met()
}

// Stretched says whether it is met with its stretch; a part without one has
// nothing to add.
func (g Goal) Stretched() bool {
	if len(g.All) > 0 {
		return g.Met() && g.stretches() && !g.lacks(func(part Goal) bool { return part.Stretch == 0 || part.Stretched() })
	}
	return g.Missing == "" && g.Stretch != 0 && g.within(g.Stretch)
}

// stretches says whether there is a stretch at all.
func (g Goal) stretches() bool {
	return g.Stretch != 0 || len(g.All) > 0 && g.lacks(func(part Goal) bool { return part.Stretch == 0 })
}

// lacks says whether a part is not as it should be.
func (g Goal) lacks(should func(Goal) bool) bool {
	for _, part := range g.All {
		if !should(part) {
			return true
		}
	}
	return false
}

func (g Goal) within(limit float64) bool {
	if g.AtMost {
		return g.Figure.Median <= limit
	}
	return g.Figure.Median >= limit
}

// Verdict is "met", "met, stretch too", "not met" with what is not, or why it
// is not known.
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

// unmet names the parts that are not met.
func (g Goal) unmet() string {
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

// misses tells by how much it is not met, or its parts that are not.
func (g Goal) misses() string {
	var parts []string
	for _, part := range g.All {
		if !part.Met() {
			parts = append(parts, part.misses())
		}
	}
	if parts != nil {
		return g.What + ", " + strings.Join(parts, ", ")
	}
	if g.Missing != "" {
		return g.What + " not measured: " + g.Missing
	}
	row := g.row()
	return row[0] + " " + row[3] + " instead of " + row[1]
}

func goalTable(goals []Goal) Table {
	t := Table{Head: []string{"goal", "limit", "stretch", "measured", ""}}
	for _, g := range goals {
		t.Rows = append(t.Rows, append(g.row(), g.Verdict()))
	}
	return t
}

// row is what, limit, stretch and figure.
func (g Goal) row() []string {
	if len(g.All) > 0 {
		return g.rowOfAll()
	}
	row := []string{g.What, g.bound(g.Limit), "", ""}
	if g.Stretch != 0 {
		row[2] = g.bound(g.Stretch)
	}
	if g.Missing == "" {
		row[3] = Number(g.Figure.Median) + g.Unit + spread(g.Figure)
	}
	if g.Or != nil {
		join(row, g.Or.row(), ", or ")
	}
	return row
}

// rowOfAll names each part before its limit and its figure.
func (g Goal) rowOfAll() []string {
	row := []string{g.What, "", "", ""}
	for _, part := range g.All {
		cells := part.row()
		for i := 1; i < len(cells); i++ {
			if cells[i] != "" {
				cells[i] = part.What + " " + cells[i]
			}
		}
		cells[0] = ""
		join(row, cells, ", ")
	}
	return row
}

// join adds the cells of another row to those of row.
func join(row, other []string, by string) {
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
