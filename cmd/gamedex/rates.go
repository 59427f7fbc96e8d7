package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"

	"gamedex/internal/database"
	"gamedex/internal/money"
	"gamedex/internal/node"
)

type ratesCommand struct {
	Refresh ratesRefresh `cmd:"" help:"Fetch the rates now; replaces an imported table."`
	Import  ratesImport  `cmd:"" help:"Import a table of rates: {\"base\":\"USD\",\"rates\":{\"UAH\":41.2},\"updatedAt\":\"…\"}."`
}

type ratesImport struct {
	File string `arg:"" help:"JSON file in the shape of the data of /catalog/exchange-rates; - is standard input."`
}

// maxRatesFile bounds the size of a file; a table of all currencies has 10 KiB.
const maxRatesFile = 1 << 20

// Run stores the table. It stays in force until the next import or refresh.
func (r *ratesImport) Run(ctx context.Context, p *program, c *commands) error {
	in := p.Stdin
	if r.File != "-" {
		f, err := os.Open(r.File)
		if err != nil {
			return fmt.Errorf("read rates: %w", err)
		}
		defer f.Close()
		in = f
	}
	body, err := io.ReadAll(io.LimitReader(in, maxRatesFile+1))
	if err != nil {
		return fmt.Errorf("read rates: %w", err)
	}
	if len(body) > maxRatesFile {
		return fmt.Errorf("rates %s: more than %d bytes", r.File, maxRatesFile)
	}
	rates, err := money.ParseRates(body)
	if err != nil {
		return fmt.Errorf("rates %s: %w", r.File, err)
	}
	return c.withDatabase(ctx, false, func(db *database.DB) error {
		if err := node.SaveRates(ctx, db, rates, "import"); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.Stdout, "rates of %d currencies to %s, updated %s\n",
			len(rates.Currencies()), rates.Base(), stamp(rates.UpdatedAt()))
		return err
	})
}

type ratesRefresh struct {
	ratesFlags
	ActiveRegions string `placeholder:"UA,TR,PL,IN" help:"Active regions, the same as for serve: the table must have their currencies."`
}

// Run fetches the rates now and prints what changed.
func (r *ratesRefresh) Run(ctx context.Context, p *program, c *commands) error {
	active, err := parseRegions(r.ActiveRegions)
	if err != nil {
		return err
	}
	return c.withDatabase(ctx, false, func(db *database.DB) error {
		in := node.Environment{DB: db, Version: version, ActiveRegions: active, Now: p.Now, Log: slog.New(slog.NewTextHandler(p.Stderr,
			&slog.HandlerOptions{Level: slog.LevelWarn}))}
		loop, err := r.sources().Open(in)
		if err != nil {
			return err
		}
		result, err := loop.Refresh(ctx)
		if err != nil {
			return err
		}
		what := "unchanged"
		if result.Changed {
			what = "stored"
		}
		fmt.Fprintf(p.Stdout, "%s: rates of %d currencies to %s, updated %s: %s\n", result.Provider,
			len(result.Rates.Currencies()), result.Rates.Base(), stamp(result.Rates.UpdatedAt()), what)
		if result.Most.Currency != "" {
			fmt.Fprintf(p.Stdout, "largest change: %s\n", result.Most)
		}
		if result.Warning != "" {
			fmt.Fprintf(p.Stderr, "warning: %s\n", result.Warning)
		}
		return nil
	})
}
