package pcstore

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// Config is what a Store works with. All fields are required but Texts and
// Images.
type Config struct {
	Profile Profile
	Client  *upstream.Client
	Texts   bool // descriptions are passed on
	Images  bool // addresses of pictures are passed on
	Now     func() time.Time
	Log     *slog.Logger
}

// Store reads the store that a profile describes. It may be used from any
// goroutine.
type Store struct {
	cfg   Config
	host  string
	homes *homes
}

// New makes a store that has read nothing yet. The profile is one that
// [ParseProfile] gave.
func New(cfg Config) *Store {
	s := &Store{cfg: cfg, homes: newHomes()}
	if u, err := url.Parse(cfg.Profile.GraphQL); err == nil {
		s.host = u.Host
	}
	return s
}

// Platform is the platform of all its jobs.
func (s *Store) Platform() catalog.Platform { return catalog.PCStore }

// Host is the host of the queries.
func (s *Store) Host() string { return s.host }

// Jobs are prices and details of every price region, sorted by region, then
// kind.
func (s *Store) Jobs() []sweep.Job {
	var jobs []sweep.Job
	for _, r := range s.cfg.Profile.PriceRegions {
		for _, kind := range [...]sweep.Kind{sweep.Prices, sweep.Details} {
			scope := sweep.Scope{Platform: catalog.PCStore, Region: r.Countries[0], Kind: kind}
			jobs = append(jobs, sweep.Job{Scope: scope, Regions: slices.Clone(r.Countries)})
		}
	}
	slices.SortStableFunc(jobs, func(a, b sweep.Job) int { return a.Scope.Region.Compare(b.Scope.Region) })
	return jobs
}

// Read fetches one page of prices (from: the cursor of the page before) or the
// details of one game (from: its slug). Errors of the store are
// *upstream.Error.
func (s *Store) Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error) {
	r := reading{Store: s, now: catalog.MillisOf(s.cfg.Now())}
	var err error
	if r.region, err = s.priceRegion(job.Scope); err != nil {
		return sweep.Page{}, err
	}
	switch job.Scope.Kind {
	case sweep.Prices:
		err = r.search(ctx, from)
	case sweep.Details:
		err = r.details(ctx, from)
	default:
		err = fmt.Errorf("there are prices and details, no %s", job.Scope.Kind)
	}
	if err != nil {
		return sweep.Page{}, fmt.Errorf("read %s from %.200q: %w", job.Scope, from, err)
	}
	return r.page, nil
}

func (s *Store) priceRegion(scope sweep.Scope) (PriceRegion, error) {
	for _, r := range s.cfg.Profile.PriceRegions {
		if scope.Platform == catalog.PCStore && scope.Region == r.Countries[0] {
			return r, nil
		}
	}
	return PriceRegion{}, fmt.Errorf("read %s: the profile has no such price region", scope)
}

// reading is one read at work.
type reading struct {
	*Store
	region PriceRegion
	now    catalog.Millis
	page   sweep.Page
	game   *product // whose details are read; nil in a search
}

// ask asks a persisted query.
func (r *reading) ask(ctx context.Context, operation, hash string, variables any) (upstream.Reply, error) {
	r.page.Requests++
	return r.cfg.Client.Ask(ctx, upstream.Persisted{
		URL: r.cfg.Profile.GraphQL, Operation: operation, Hash: hash, Variables: variables,
	})
}

// get asks the platform service; kind and id make the path.
func (r *reading) get(ctx context.Context, kind, id string, into any) error {
	r.page.Requests++
	query := url.Values{
		"country": {r.region.Countries[0].String()},
		"locale":  {r.region.Locale},
		"store":   {r.cfg.Profile.Store},
	}
	address := r.cfg.Profile.Platform + "/" + kind + "/" + url.PathEscape(id)
	answer, err := r.cfg.Client.Get(ctx, upstream.Request{
		URL: address + "?" + query.Encode(), Accept: []string{"application/json"},
	})
	if err != nil {
		return err
	}
	if err := json.Unmarshal(answer.Body, into); err != nil {
		return upstream.NewError(upstream.Broken, address, err)
	}
	return nil
}
