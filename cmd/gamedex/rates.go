package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/node"
	"gamedex/internal/sqldb"
)

type ratesCommand struct {
	Refresh ratesRefresh `cmd:"" help:"Fetch the exchange rates now; they replace an imported table."`
	Import  ratesImport  `cmd:"" help:"Import a table of exchange rates: {\"base\":\"USD\",\"rates\":{\"UAH\":41.2},\"updatedAt\":\"…\"}."`
}

type ratesImport struct {
	Partial bool   `help:"Import the table even if it lacks currencies of active regions. Prices in these currencies have no usd, and cheapest ignores them."`
	File    string `arg:"" help:"JSON file with an answer of /catalog/exchange-rates or its data; - is standard input."`
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
	rates, err := money.ParseRates(tableOfAnswer(bytes.TrimPrefix(body, []byte("\ufeff"))))
	if err == nil && rates.UpdatedAt() > p.Now().Add(10*time.Minute).UnixMilli() {
		err = fmt.Errorf("updatedAt: %s is more than 10 minutes ahead of the clock", stamp(rates.UpdatedAt()))
	}
	if err != nil {
		return fmt.Errorf("rates %s: %w", r.File, err)
	}
	printSkipped(p, rates)
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		if err := r.checkComplete(ctx, c, db, rates); err != nil {
			return err
		}
		if err := node.SaveRates(ctx, db, rates, "import", p.Now()); err != nil {
			return err
		}
		fmt.Fprintln(p.Stdout, aboutRates(rates))
		return warnOfMissing(ctx, p, db, rates)
	})
}

// tableOfAnswer returns the table in an answer of /catalog/exchange-rates; any other
// text is returned as it is.
func tableOfAnswer(body []byte) []byte {
	var answer struct {
		Data json.RawMessage `json:"data"`
		Base json.RawMessage `json:"base"`
	}
	if err := json.Unmarshal(body, &answer); err != nil || answer.Data == nil || answer.Base != nil {
		return body
	}
	return answer.Data
}

// aboutRates returns what a table has: "rates of 31 currencies to USD, updated …".
func aboutRates(rates money.Rates) string {
	count := "1 currency"
	if n := len(rates.Currencies()); n != 1 {
		count = fmt.Sprintf("%d currencies", n)
	}
	return fmt.Sprintf("rates of %s to %s, updated %s", count, rates.Base(), stamp(rates.UpdatedAt()))
}

// printSkipped names the entries of a table that were skipped.
func printSkipped(p *program, rates money.Rates) {
	if skipped := rates.Skipped(); skipped != "" {
		fmt.Fprintf(p.Stderr, "skipped: %s\n", skipped)
	}
}

// checkComplete refuses a table that lacks currencies of active regions.
func (r *ratesImport) checkComplete(ctx context.Context, c *commands, db *sqldb.DB, rates money.Rates) error {
	server, err := c.serverFile().Read()
	if err != nil || r.Partial {
		return err
	}
	missing, err := missingRates(ctx, db, rates, server.ActiveRegions)
	if missing != "" {
		return fmt.Errorf("rates %s: no rate of %s, which active regions need; to import it anyway: --partial", r.File, missing)
	}
	return err
}

// warnOfMissing names the currencies of regions with listings that the table lacks,
// also of regions that are not active.
func warnOfMissing(ctx context.Context, p *program, db *sqldb.DB, rates money.Rates) error {
	listed, err := db.Listings.Regions(ctx)
	if err != nil {
		return err
	}
	missing, err := missingRates(ctx, db, rates, listed)
	if missing != "" {
		fmt.Fprintf(p.Stdout, "no rate of %s: prices in a currency without a rate have no usd\n", missing)
	}
	return err
}

// missingRates returns those of the currencies of active regions that the table lacks, "EUR, KZT".
func missingRates(ctx context.Context, db *sqldb.DB, rates money.Rates, active []catalog.Region) (string, error) {
	currencies, err := node.ActiveCurrencies(ctx, db, active)
	var missing []string
	for _, currency := range currencies {
		if rates.PerBase(currency) == nil {
			missing = append(missing, string(currency))
		}
	}
	return strings.Join(missing, ", "), err
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
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		in := node.Environment{DB: db, Version: version, ActiveRegions: active, Now: p.Now, Log: slog.New(slog.NewTextHandler(p.Stderr,
			&slog.HandlerOptions{Level: slog.LevelWarn}))}
		loop, err := node.RateConfig(r.ratesFlags).Open(in)
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
		fmt.Fprintf(p.Stdout, "%s: %s: %s\n", result.Provider, aboutRates(result.Rates), what)
		if result.Most.Currency != "" {
			fmt.Fprintf(p.Stdout, "largest change: %s\n", result.Most)
		}
		printSkipped(p, result.Rates)
		if result.Warning != "" {
			fmt.Fprintf(p.Stderr, "warning: %s\n", result.Warning)
		}
		return nil
	})
}
