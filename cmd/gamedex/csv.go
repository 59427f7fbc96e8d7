package main

import (
	"context"
	"io"
	"maps"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

// exportTable writes the selected listings as a table.
func exportTable(ctx context.Context, db *sqldb.DB, out io.Writer, f listings.Filter) error {
	locales := map[string]bool{} // of further titles
	err := db.Listings.Read(ctx, func(r *listings.Reading) error {
		return r.NewFacts(0, func(_ int64, facts *catalog.Facts) error {
			for _, t := range facts.Titles {
				locales[t.Locale] = true
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	w, err := feed.NewTableWriter(out, slices.Sorted(maps.Keys(locales)))
	if err != nil {
		return err
	}
	if err := db.Listings.Export(ctx, f, w.Write); err != nil {
		return err
	}
	return w.Flush()
}
