package subjects

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/report"
	"gamedex/internal/index"
	"gamedex/internal/snapshot"
)

const (
	openOurs    = "open both blobs, all checked"
	openReading = "the same, reading both files first"
	openGob     = "gob of the same columns"
)

// measureOpen measures how long a node needs from the bytes of a snapshot to an
// index that answers, and how much memory a regional price takes.
func measureOpen(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := largeCatalog(ctx, r)
	if err != nil {
		return report.Section{}, err
	}
	b, err := harness.ReadSnapshot(ctx, c.Snapshots())
	if err != nil {
		return report.Section{}, err
	}
	columns := alternatives.ColumnsOf(c.View.Snapshot)
	encoded, err := columns.Encode()
	if err != nil {
		return report.Section{}, err
	}
	if err := checkColumns(columns, encoded); err != nil {
		return report.Section{}, err
	}
	rows := len(columns.Region)
	columns = nil
	runtime.GC()
	results, err := r.Rounds(ctx,
		harness.Once(openOurs, func() error { _, err := index.Open(b.Catalog, b.Prices); return err }),
		harness.Once(openReading, func() error { _, err := harness.OpenView(ctx, c.Snapshots()); return err }),
		harness.Once(openGob, func() error { _, err := alternatives.DecodeColumns(encoded); return err }),
	)
	if err != nil {
		return report.Section{}, err
	}
	sizes, perRow, err := snapshotSizes(b, rows)
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Open a snapshot",
		Intro: fmt.Sprintf("%d cards, %d regional prices, in one process, with files in the page cache. "+
			"We open more than gob decodes: the search index, the tables that find ids, links between cards. gob makes Go values that cannot answer a request yet; "+
			"our index can, and opening it checks every checksum and bound. gob's columns have neither checksums nor bounds.", c.View.Len(), rows),
		Goals: []report.Goal{
			{What: "time of gob / ours", Limit: 5, Stretch: 10, Unit: "x", Figure: results.Ratio(harness.Time, openGob, openOurs)},
			{What: "bytes of a regional price: the prices blob without its strings", AtMost: true, Limit: 40, Stretch: 32, Figure: harness.Exactly(perRow)},
		},
		Tables: []report.Table{report.Compare("", results, openGob, harness.Time), sizes},
		Notes:  []string{fmt.Sprintf("gob takes %d bytes. A node holds the two blobs and nothing else.", len(encoded))},
	}, nil
}

// allRegions returns the shape of catalogs with all regions: 1.2 million region prices, which take two
// minutes to import, and twice that with their past prices.
func allRegions(r *harness.Run) harness.Shape {
	return harness.Shape{Cards: harness.Pick(r, 2_000, 20_000), Regions: 60}
}

// largeCatalog returns the catalog with all regions.
func largeCatalog(ctx context.Context, r *harness.Run) (*harness.Catalog, error) {
	return r.Catalog(ctx, allRegions(r))
}

// checkColumns checks that gob decodes to what was encoded.
func checkColumns(want *alternatives.Columns, encoded []byte) error {
	got, err := alternatives.DecodeColumns(encoded)
	if err != nil {
		return err
	}
	if len(got.Region) != len(want.Region) || len(got.CardID) != len(want.CardID) {
		return errors.New("gob decodes to another number of rows or cards")
	}
	for i := range want.Region {
		if got.Current[i] != want.Current[i] || got.Texts[got.CurrentText[i]] != want.Texts[want.CurrentText[i]] {
			return fmt.Errorf("gob decodes to another row %d", i)
		}
	}
	return nil
}

// snapshotSizes lists the sections of both blobs. It also returns the bytes of a
// regional price: the prices blob without its strings.
func snapshotSizes(b harness.Blobs, rows int) (report.Table, float64, error) {
	t := report.Table{Caption: "Bytes by section:", Head: []string{"blob", "section", "bytes", "per regional price"}}
	add := func(blob, section string, bytes int) {
		t.Rows = append(t.Rows, []string{blob, section, fmt.Sprint(bytes), fmt.Sprintf("%.2f", float64(bytes)/float64(rows))})
	}
	numbers := 0
	for _, blob := range []struct {
		kind string
		data []byte
	}{{"catalog", b.Catalog}, {"prices", b.Prices}} {
		f, err := snapshot.Open(blob.data, blob.kind, index.Formats())
		if err != nil {
			return t, 0, err
		}
		for _, name := range f.Names() {
			body, err := f.Section(name)
			if err != nil {
				return t, 0, err
			}
			if blob.kind == "prices" && !strings.Contains(name, "strings") {
				numbers += len(body)
			}
			add(blob.kind, name, len(body))
		}
	}
	add("both", "all", len(b.Catalog)+len(b.Prices))
	return t, float64(numbers) / float64(rows), nil
}
