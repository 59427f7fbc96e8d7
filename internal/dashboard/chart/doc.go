// Package chart calculates the positions of the parts of a chart.
//
//	counts of several kinds ─► DrawColumns ─► Columns: stacked parts, ticks, labels
//	a period, amounts ───────► NewPlot ─────► Plot: lines of steps, levels, ticks
//	many steps ──────────────► Thin ────────► fewer steps with the same lows
//
// It turns numbers into positions; the caller writes the SVG around them. Nothing
// is drawn outside of its box, whatever the numbers are.
//
// The package does not know colours, languages or HTML. It passes titles and
// labels through.
package chart
