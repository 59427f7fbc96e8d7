package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"gamedex/internal/node"
	"gamedex/internal/node/overrides"
	"gamedex/internal/sqldb"
)

type overridesCommand struct {
	Import overridesImport `cmd:"" help:"Replace all overrides with those in a file; running servers use them within seconds."`
	Export overridesExport `cmd:"" help:"Write the overrides to standard output, as they were imported."`
}

type overridesImport struct {
	File string `arg:"" help:"File with the overrides (doc/feed.md)."`
}

// Run checks the whole file and replaces all overrides in one transaction.
func (o *overridesImport) Run(ctx context.Context, p *program, c *commands) error {
	file, err := os.Open(o.File)
	if err != nil {
		return fmt.Errorf("overrides: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, overrides.MaxFile+1))
	if err != nil {
		return fmt.Errorf("overrides %s: %w", o.File, err)
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		rules, err := c.overrides(db).Import(ctx, o.File, text, node.ByCommand(p.Now()))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stdout, "overrides of %d products\n", rules)
		return err
	})
}

type overridesExport struct{}

// Run prints the file that was imported last.
func (overridesExport) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		text, err := c.overrides(db).Export(ctx)
		if err == nil {
			_, err = p.Stdout.Write(text)
		}
		return err
	})
}
