package main

import (
	"bufio"
	"context"
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
)

type exportCommand struct {
	Platform string `placeholder:"P" help:"Only this platform: consolestore or pcstore."`
	Region   string `placeholder:"R" help:"Only this region: a country code."`
}

// Run writes the listings, withdrawn ones included. Importing its output results
// in the same catalog.
func (e *exportCommand) Run(ctx context.Context, p *program, c *commands) error {
	platform, region, err := parseFilter(e.Platform, e.Region)
	if err != nil {
		return err
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		out := bufio.NewWriterSize(p.Stdout, 1<<16)
		w := feed.NewWriter(out)
		if err := db.Listings.Export(ctx, listings.Filter{Platform: platform, Region: region}, w.Write); err != nil {
			return err
		}
		if err := out.Flush(); err != nil {
			return fmt.Errorf("write export: %w", err)
		}
		return nil
	})
}

// parseFilter parses --platform and --region; an empty one selects all.
func parseFilter(platform, region string) (p catalog.Platform, r catalog.Region, err error) {
	if platform != "" {
		if p, err = catalog.ParsePlatform(platform); err != nil {
			return p, r, fmt.Errorf("--platform: %w", err)
		}
	}
	if region != "" {
		if r, err = catalog.ParseRegion(region); err != nil {
			return p, r, fmt.Errorf("--region: %w", err)
		}
	}
	return p, r, nil
}
