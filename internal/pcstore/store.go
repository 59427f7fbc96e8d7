package pcstore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"slices"
	"strings"
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
	s := &Store{cfg: cfg, homes: &homes{known: make(map[string]home)}}
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
	regions := s.cfg.Profile.PriceRegions
	i := slices.IndexFunc(regions, func(r PriceRegion) bool { return r.Countries[0] == job.Scope.Region })
	if i < 0 || job.Scope.Platform != catalog.PCStore {
		return sweep.Page{}, fmt.Errorf("read %s: the profile has no such price region", job.Scope)
	}
	r := reading{Store: s, region: regions[i], now: catalog.MillisOf(s.cfg.Now())}
	var err error
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

type reading struct {
	*Store
	region PriceRegion
	now    catalog.Millis
	page   sweep.Page
	game   *product // whose details are read; nil in a search
}

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

// broken is an answer that is not what was asked for.
func (s *Store) broken(err error) error {
	return upstream.NewError(upstream.Broken, s.cfg.Profile.GraphQL, err)
}

// noData judges an answer that lacks what was asked for.
func (r *reading) noData(operation string, failures []upstream.GraphError) error {
	reason := errors.New("no data and no errors")
	for i, f := range failures {
		if isError(f, invalidCountry) {
			return upstream.NewError(upstream.Refused, r.cfg.Profile.GraphQL,
				fmt.Errorf("%s: the store does not know the country %s: take it out of the profile's regions", operation, r.region.Countries[0]))
		}
		if i == 0 {
			reason = fmt.Errorf("no data: %.200s", f.Message)
		}
	}
	return r.broken(fmt.Errorf("%s: %w", operation, reason))
}

// interrupted reports whether errors beside data mean that something is missing. An
// offer without its own page, or a namespace without one, is reported
// like an error and is none.
func interrupted(failures []upstream.GraphError) bool {
	for _, f := range failures {
		field := any("")
		if len(f.Path) > 0 {
			field = f.Path[len(f.Path)-1]
		}
		if !isError(f, notFound) || field != "mappings" && field != "offerMappings" {
			return true
		}
	}
	return false
}

// The numbers of errors that mean something to the package.
const (
	notFound       = "1004"
	invalidCountry = "5222"
)

var errorNames = map[string]string{notFound: ".not_found", invalidCountry: ".invalid_country_code"}

// isError recognizes an error by its number, or by the end of its name.
func isError(f upstream.GraphError, number string) bool {
	name := errorNames[number]
	return f.Code == number || strings.HasSuffix(f.Code, name) || strings.HasSuffix(f.Reason, name)
}
