package node

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"gamedex/internal/catalog"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/rates"
	"gamedex/internal/sqldb"
	"gamedex/internal/upstream"
)

// RateConfig configures where exchange rates come from. An empty URL means the
// provider's public one.
type RateConfig struct {
	RatesFrom      string // URL or file of a table; empty: the banks
	OXRKey         string // of openexchangerates.org
	ECBURL, NBUURL string
	OXRURL         string
}

// Open returns the loop that keeps the stored table fresh. Tables come from the
// first provider; the banks check those of any other.
func (f RateConfig) Open(in Environment) (*rates.Loop, error) {
	hosts, err := f.hosts()
	if err != nil {
		return nil, err
	}
	client, err := upstream.New(upstream.Config{UserAgent: "gamedex/" + in.Version, Now: in.Now, Rand: rand.Float64,
		Log: in.Log, Observe: in.ObserveRequest}, hosts)
	if err != nil {
		return nil, err
	}
	banks := rates.Banks{Client: client, ECB: f.ECBURL, NBU: f.NBUURL, Now: in.Now}
	providers := []rates.Provider{banks}
	switch {
	case f.OXRKey != "":
		providers = []rates.Provider{rates.OpenExchangeRates{Client: client, URL: f.OXRURL, Key: rates.Secret(f.OXRKey)}, banks}
	case isWebAddress(f.RatesFrom):
		providers = []rates.Provider{rates.Table{Client: client, URL: f.RatesFrom}, banks}
	case f.RatesFrom != "":
		providers = []rates.Provider{rates.Table{File: f.RatesFrom}, banks}
	}
	return &rates.Loop{
		Providers: providers, Repository: NewDatabase(in.DB, in.Now),
		Leases: lease.Holder{Repository: in.DB.Nodes, ID: ProcessID(), TTL: leaseTTL},
		Active: func(ctx context.Context) ([]money.Currency, error) {
			return ActiveCurrencies(ctx, in.DB, in.ActiveRegions)
		},
		Now: in.Now, Rand: rand.Float64, Log: in.Log,
	}, nil
}

// ActiveCurrencies returns the currencies of the active regions without repeats. Of a catalog
// with listings, only regions that have some count: others have no price to convert.
func ActiveCurrencies(ctx context.Context, db *sqldb.DB, chosen []catalog.Region) (list []money.Currency, err error) {
	listed, err := db.Listings.Regions(ctx)
	if err != nil {
		return nil, err
	}
	for _, r := range catalog.ActiveRegions(chosen, listed) {
		if len(listed) > 0 && !slices.Contains(listed, r) {
			continue
		}
		if c, ok := money.RegionCurrency(r.String()); ok && !slices.Contains(list, c) {
			list = append(list, c)
		}
	}
	return list, nil
}

func isWebAddress(s string) bool {
	return strings.HasPrefix(s, "http://") || strings.HasPrefix(s, "https://")
}

// Check returns what is wrong with the flags that configure the sources.
func (f RateConfig) Check() error {
	_, err := f.hosts()
	return err
}

// hosts returns the providers' hosts, which are the only ones to be asked. An address that
// the operator sets may be in a private network; the providers' own may not.
func (f RateConfig) hosts() (hosts []upstream.Host, err error) {
	switch {
	case f.RatesFrom != "" && f.OXRKey != "":
		return nil, errors.New("--rates-from, --openexchangerates-key: only one of them may be set")
	case strings.Contains(f.RatesFrom, "://") && !isWebAddress(f.RatesFrom):
		return nil, fmt.Errorf("--rates-from %s: must be a URL with http or https, or a file", f.RatesFrom)
	}
	allow := func(address string, private bool) error {
		h, err := rates.HostOf(address)
		if err != nil {
			return err
		}
		h.PrivateAddresses = private
		if i := slices.IndexFunc(hosts, func(other upstream.Host) bool { return other.Name == h.Name }); i >= 0 {
			hosts[i].PrivateAddresses = hosts[i].PrivateAddresses || private
		} else {
			hosts = append(hosts, h)
		}
		return nil
	}
	for _, one := range []struct{ flag, address, own string }{
		{"--ecb-url", f.ECBURL, rates.ECBURL}, {"--nbu-url", f.NBUURL, rates.NBUURL},
		{"--openexchangerates-url", f.OXRURL, rates.OpenExchangeRatesURL},
	} {
		if err := allow(cmp.Or(one.address, one.own), one.address != ""); err != nil {
			return nil, fmt.Errorf("%s: %w", one.flag, err)
		}
	}
	if isWebAddress(f.RatesFrom) {
		if err := allow(f.RatesFrom, true); err != nil {
			return nil, fmt.Errorf("--rates-from: %w", err)
		}
	}
	return hosts, nil
}
