package lab

import (
	"context"

	"gamedex/bench/report"
)

// Subject is one comparison.
type Subject struct {
	Name    string // for -only
	Measure func(context.Context, *Lab) (report.Section, error)
}
