package main

import (
	"gamedex/internal/catalog/merge"
	"gamedex/internal/collect"
)

// explainedShown is the answer of explain --json.
type explainedShown struct {
	Cards []cardShown `json:"cards"`
}

type cardShown struct {
	ID       string         `json:"id"`
	Platform string         `json:"platform"`
	Class    string         `json:"class"`
	Family   string         `json:"family"`
	Served   bool           `json:"served"`
	Products []productShown `json:"products"`
	Text     string         `json:"text"`
}

type productShown struct {
	SKU         string   `json:"sku"`
	FirstSeenAt string   `json:"firstSeenAt"`
	Regions     []string `json:"regions"`
	Withdrawn   []string `json:"withdrawn"`
}

func showExplained(cards []merge.Explained) explainedShown {
	shown := explainedShown{Cards: make([]cardShown, len(cards))}
	for i, x := range cards {
		c := cardShown{ID: x.ID, Platform: x.Platform.String(), Class: x.Class.String(), Family: x.Family, Served: x.Served, Text: x.Text}
		for _, p := range x.Products {
			c.Products = append(c.Products, productShown{SKU: p.ID, FirstSeenAt: stamp(int64(p.FirstSeen)),
				Regions: append([]string{}, p.Regions...), Withdrawn: append([]string{}, p.Withdrawn...)})
		}
		shown.Cards[i] = c
	}
	return shown
}

// planShown is the answer of collect plan --json.
type planShown struct {
	Scheduled bool         `json:"scheduled"` // false: only collect once has read the stores
	Sweeps    []sweepShown `json:"sweeps"`
}

type sweepShown struct {
	Sweep       string  `json:"sweep"`
	Platform    string  `json:"platform"`
	Alpha2      string  `json:"alpha2"`
	At          string  `json:"at"`
	Running     bool    `json:"running"`
	Overdue     bool    `json:"overdue"`
	Why         string  `json:"why"`
	CompletedAt *string `json:"completedAt"`
	Pending     int     `json:"pending"` // 10000: that many or more
	Withdrawn   int     `json:"withdrawn"`
	Doubtful    int     `json:"doubtful"`
	LastError   *string `json:"lastError"`
}

func showPlan(scheduled bool, plan []collect.Planned) planShown {
	shown := planShown{Scheduled: scheduled, Sweeps: make([]sweepShown, len(plan))}
	for i, p := range plan {
		s := &p.State
		shown.Sweeps[i] = sweepShown{Sweep: s.Scope.String(), Platform: s.Scope.Platform.String(), Alpha2: s.Scope.Region.String(),
			At: stamp(int64(p.At)), Running: p.Running, Overdue: p.Overdue, Why: p.Why, CompletedAt: optionalStamp(int64(s.Completed)),
			Pending: s.Pending, Withdrawn: s.Withdrawn, Doubtful: s.Doubtful, LastError: optionalText(s.LastError)}
	}
	return shown
}

func optionalText(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
