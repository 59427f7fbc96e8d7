package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/rates"
	"gamedex/internal/sqldb"
	"gamedex/internal/upstream"
)

// ratesFlags say who is asked for exchange rates; serve and rates refresh
// share them.
type ratesFlags struct {
	RatesFrom  string `placeholder:"URL|FILE" help:"Take exchange rates from this table, in the shape of /catalog/exchange-rates' data (default: European Central Bank and National Bank of Ukraine)."`
	OXRKey     string `name:"openexchangerates-key" placeholder:"KEY" help:"Take exchange rates from openexchangerates.org with your own app id. Its terms forbid resale: see whether you may answer others with them. Rather give it in the environment, where other users do not see it."`
	ECBURL     string `name:"ecb-url" placeholder:"URL" help:"Where the European Central Bank's daily table is (default: at the bank)."`
	NBUURL     string `name:"nbu-url" placeholder:"URL" help:"Where the National Bank of Ukraine's table is (default: at the bank)."`
	OXRAddress string `name:"openexchangerates-url" placeholder:"URL" help:"Where the table of openexchangerates.org is (default: there)."`
}

// open makes the loop that keeps the stored table fresh. The first provider
// gives the tables; the banks are the second opinion of any other.
func (f ratesFlags) open(on collectingOn) (*rates.Loop, error) {
	if f.RatesFrom != "" && f.OXRKey != "" {
		return nil, errors.New("--rates-from, --openexchangerates-key: only one of them can give the rates")
	}
	client, err := f.client(on)
	if err != nil {
		return nil, err
	}
	banks := rates.Banks{Client: client, ECB: f.ECBURL, NBU: f.NBUURL, Now: on.now}
	providers := []rates.Provider{banks}
	switch {
	case f.OXRKey != "":
		providers = []rates.Provider{rates.OpenExchangeRates{Client: client, URL: f.OXRAddress, Key: rates.Secret(f.OXRKey)}, banks}
	case isWebAddress(f.RatesFrom):
		providers = []rates.Provider{rates.Table{Client: client, URL: f.RatesFrom}, banks}
	case f.RatesFrom != "":
		providers = []rates.Provider{rates.Table{File: f.RatesFrom}, banks}
	}
	return &rates.Loop{
		Providers: providers, Store: ratesStore{on.db},
		Leases: lease.Holder{Store: on.db, ID: processID(), TTL: leaseTTL, Now: func() int64 { return on.now().UnixMilli() }},
		Active: func() []money.Currency { return currencies(on.active) },
		Now:    on.now, Rand: rand.Float64, Log: on.log,
	}, nil
}

func isWebAddress(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// client may ask the providers' hosts and no other. An address that the
// operator gives may be in a private network; the providers' own may not.
func (f ratesFlags) client(on collectingOn) (*upstream.Client, error) {
	var hosts []upstream.Host
	allow := func(address string, private bool) error {
		h, err := rates.HostOf(address)
		if err != nil {
			return err
		}
		h.PrivateAddresses = private
		for i := range hosts {
			if hosts[i].Name == h.Name {
				hosts[i].PrivateAddresses = hosts[i].PrivateAddresses || private
				return nil
			}
		}
		hosts = append(hosts, h)
		return nil
	}
	for _, one := range []struct{ flag, address, own string }{
		{"--ecb-url", f.ECBURL, rates.ECBURL}, {"--nbu-url", f.NBUURL, rates.NBUURL},
		{"--openexchangerates-url", f.OXRAddress, rates.OpenExchangeRatesURL},
	} {
		address := one.address
		if address == "" {
			address = one.own
		}
		if err := allow(address, one.address != ""); err != nil {
			return nil, fmt.Errorf("%s: %w", one.flag, err)
		}
	}
	if isWebAddress(f.RatesFrom) {
		if err := allow(f.RatesFrom, true); err != nil {
			return nil, fmt.Errorf("--rates-from: %w", err)
		}
	}
	return upstream.New(upstream.Config{UserAgent: "gamedex/" + version, Now: on.now, Rand: rand.Float64,
		Log: on.log, Observe: on.observe}, hosts)
}

// currencies are those of the regions.
func currencies(regions []catalog.Region) []money.Currency {
	var list []money.Currency
	for _, r := range regions {
		if c, ok := money.RegionCurrency(r.String()); ok {
			list = append(list, c)
		}
	}
	return list
}

// ratesStore gives the loop the database in its own words.
type ratesStore struct{ db *sqldb.DB }

// LoadRates implements rates.Store.
func (s ratesStore) LoadRates(ctx context.Context) (rates.Stored, bool, error) {
	stored, found, err := s.db.LoadRates(ctx)
	if err != nil || !found {
		return rates.Stored{}, false, err
	}
	table, err := parseStoredRates(stored)
	return rates.Stored{Rates: table, Imported: stored.Imported, Source: stored.Source}, err == nil, err
}

// SaveRates implements rates.Store.
func (s ratesStore) SaveRates(ctx context.Context, r rates.Stored, overImported bool) (bool, error) {
	return s.db.SaveRates(ctx, sqldb.Rates{
		Body: r.Rates.AppendJSON(nil), UpdatedAt: r.Rates.UpdatedAt(), Imported: r.Imported, Source: r.Source,
	}, overImported)
}

type ratesRefresh struct {
	ratesFlags
	ActiveRegions string `default:"UA,TR,PL,IN" help:"Regions whose currencies a table must have, as given to serve."`
}

// Run asks now and tells what came.
func (r *ratesRefresh) Run(ctx context.Context, p *program, c *commands) error {
	active, err := parseRegions(r.ActiveRegions)
	if err != nil {
		return err
	}
	return c.with(ctx, false, func(db *sqldb.DB) error {
		on := collectingOn{db: db, active: active, now: p.Now, log: slog.New(slog.NewTextHandler(p.Stderr,
			&slog.HandlerOptions{Level: slog.LevelWarn}))}
		loop, err := r.open(on)
		if err != nil {
			return err
		}
		result, err := loop.Refresh(ctx)
		if err != nil {
			return err
		}
		what := "unchanged"
		if result.Changed {
			what = "taken"
		}
		fmt.Fprintf(p.Stdout, "%s: rates of %d currencies to %s, updated %s: %s\n", result.Provider,
			len(result.Rates.Currencies()), result.Rates.Base(), stamp(result.Rates.UpdatedAt()), what)
		if result.Most.Currency != "" {
			fmt.Fprintf(p.Stdout, "moved most: %s\n", result.Most)
		}
		if result.Warning != "" {
			fmt.Fprintf(p.Stderr, "warning: %s\n", result.Warning)
		}
		return nil
	})
}
