package openindex

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
	"gamedex/bench/report"
	"gamedex/internal/index"
)

const (
	ours    = "open both blobs, all checked"
	reading = "the same, and reading both files first"
	theirs  = "gob of the same columns"
)

// Subject compares and counts.
func Subject() lab.Subject { return lab.Subject{Name: "open", Measure: run} }

func run(ctx context.Context, l *lab.Lab) (report.Section, error) {
	c, err := l.Catalog(ctx, lab.Pick(l, 2_000, 100_000), 60)
	if err != nil {
		return report.Section{}, err
	}
	b, err := c.Blobs(ctx)
	if err != nil {
		return report.Section{}, err
	}
	packed := gather(c.View.Snapshot)
	encoded, err := packed.encode()
	if err != nil {
		return report.Section{}, err
	}
	if err := same(packed, encoded); err != nil {
		return report.Section{}, err
	}
	rows := len(packed.Region)
	packed = nil
	runtime.GC()
	runs, err := l.Rounds(ctx,
		measure.Once(ours, func() error { _, err := index.Open(b.Catalog, b.Prices); return err }),
		measure.Once(reading, func() error {
			again, err := c.Blobs(ctx)
			if err != nil {
				return err
			}
			_, err = index.Open(again.Catalog, again.Prices)
			return err
		}),
		measure.Once(theirs, func() error { _, err := decode(encoded); return err }),
	)
	if err != nil {
		return report.Section{}, err
	}
	sizes, perRow, err := sizes(b, rows)
	if err != nil {
		return report.Section{}, err
	}
	return section(l, runs, sizes, perRow, c.View.Len(), rows, len(encoded)), nil
}

// same compares what gob gives back with what a snapshot holds: both sides
// must carry the same.
func same(packed *columns, encoded []byte) error {
	back, err := decode(encoded)
	if err != nil {
		return err
	}
	if len(back.Region) != len(packed.Region) || len(back.CardID) != len(packed.CardID) {
		return errors.New("gob gives back another number of rows or cards")
	}
	for i := range packed.Region {
		if back.Current[i] != packed.Current[i] || back.Texts[back.CurrentText[i]] != packed.Texts[packed.CurrentText[i]] {
			return fmt.Errorf("row %d comes back different from gob", i)
		}
	}
	return nil
}

func section(l *lab.Lab, runs measure.Runs, sizes report.Table, perRow float64, cards, rows, gobBytes int) report.Section {
	return report.Section{
		Title: "Open a snapshot",
		Intro: fmt.Sprintf("%d cards, %d region prices, in one process and from memory (the page cache is warm). "+
			"Ours opens more than gob decodes: the search index, the tables that find ids, links between cards. gob makes Go values that answer nothing yet; "+
			"ours answers when it is open, and checks while doing so every checksum and every bound, which gob's columns have none of.", cards, rows),
		Goals: []report.Goal{
			{What: "time of gob / time of ours", Limit: 5, Stretch: 10, Unit: "x", Figure: runs.Ratio(measure.Time, theirs, ours)},
			{What: "bytes of a region price: the prices blob but its strings", AtMost: true, Limit: 40, Stretch: 32,
				Figure: measure.Figure{Median: perRow, Low: perRow, High: perRow}},
		},
		Tables: []report.Table{
			report.Compare("", runs, theirs, measure.Time),
			sizes,
		},
		Notes: []string{fmt.Sprintf("gob takes %d bytes; a node keeps the two blobs as they are and nothing beside them.", gobBytes)},
	}
}
