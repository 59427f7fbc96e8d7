package main

import (
	"errors"
	"io"
	"strings"

	"gamedex/internal/catalog/merge"
	"gamedex/internal/collect"
	"gamedex/internal/feed/importer"
)

// importShown is the answer of import --json.
type importShown struct {
	DryRun     bool           `json:"dryRun"` // nothing is stored
	Read       int            `json:"read"`
	Stored     int            `json:"stored"`
	New        int            `json:"new"`
	Changed    int            `json:"changed"`
	Unchanged  int            `json:"unchanged"`
	Older      int            `json:"older"`
	Rejected   int            `json:"rejected"`
	Repeated   int            `json:"repeated"`
	Withdrawn  int            `json:"withdrawn"`
	Decoded    int            `json:"decoded"`
	Unknown    map[string]int `json:"unknown"`
	Notes      []noteShown    `json:"notes"`      // of tables
	Understood []string       `json:"understood"` // the first rows of a table
	Regions    *string        `json:"regions"`    // which of them are not served, and the way out
}

type noteShown struct {
	Input string `json:"input"`
	Text  string `json:"text"`
}

// writeSummaryJSON prints what writeSummary and about print as one object.
func (i *importCommand) writeSummaryJSON(w io.Writer, s importer.Summary, about func(io.Writer) error) error {
	var regions strings.Builder
	err := about(&regions)
	return errors.Join(writeJSON(w, i.showImport(s, regions.String())), err)
}

func (i *importCommand) showImport(s importer.Summary, regions string) importShown {
	shown := importShown{DryRun: i.DryRun, Read: s.Read, Stored: s.Stored(), New: s.Saved.New, Changed: s.Saved.Changed,
		Unchanged: s.Saved.Unchanged, Older: s.Saved.Older, Rejected: s.Rejected, Repeated: s.Repeated, Withdrawn: s.Withdrawn,
		Decoded: s.Decoded, Unknown: s.Unknown, Notes: make([]noteShown, len(s.Notes)), Understood: []string{},
		Regions: optionalText(strings.TrimSpace(regions))}
	for n, note := range s.Notes {
		shown.Notes[n] = noteShown(note)
	}
	for _, l := range i.firstRows(s) {
		shown.Understood = append(shown.Understood, understood(&l))
	}
	return shown
}

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
