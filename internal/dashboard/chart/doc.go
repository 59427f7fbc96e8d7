// Package chart works out where the parts of a chart go.
//
//	counts of several kinds ─► DrawColumns ─► Columns: stacked parts, ticks, labels
//	prices and their moments ─► DrawSteps ──► Steps: a line, its levels and moments
//
// Numbers go in, places come out: whoever asks writes the SVG around them.
// Whatever the numbers are, nothing is drawn outside of its box.
//
// The package refuses to know colours, languages and HTML. Titles and labels
// pass through it as they are.
package chart
