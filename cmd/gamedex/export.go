package main

import (
	"bufio"
	"context"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/database"
	"gamedex/internal/feed"
	"gamedex/internal/sqldb/listings"
)

type exportCommand struct {
	Platform string `placeholder:"P" help:"Only this platform: consolestore or pcstore."`
	Region   string `placeholder:"R" help:"Only this region: a country code."`
}

// Run writes the listings, withdrawn ones included; `import` of it gives the
// same catalog.
func (e *exportCommand) Run(ctx context.Context, p *program, c *commands) error {
	filter, err := e.filter()
	if err != nil {
		return err
	}
	return c.with(ctx, false, func(db *database.DB) error {
		out := bufio.NewWriterSize(p.Stdout, 1<<16)
		w := feed.NewWriter(out)
		if err := db.Listings.Export(ctx, filter, w.Write); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("write export: %w", err)
		}
		return nil
	})
}

func (e *exportCommand) filter() (f listings.Filter, err error) {
	if e.Platform != "" {
		if f.Platform, err = catalog.ParsePlatform(e.Platform); err != nil {
			return f, fmt.Errorf("--platform: %w", err)
		}
	}
	if e.Region != "" {
		if f.Region, err = catalog.ParseRegion(e.Region); err != nil {
			return f, fmt.Errorf("--region: %w", err)
		}
	}
	return f, nil
}
