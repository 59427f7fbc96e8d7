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

// Config configures a Store. All fields are required except Texts and Images.
type Config struct {
	Profile Profile
	Client  *upstream.Client
	Texts   bool // keep descriptions
	Images  bool // keep addresses of pictures
	Now     func() time.Time
	Log     *slog.Logger
}

// Store reads the store that a profile describes. It may be used from any
// goroutine.
type Store struct {
	cfg   Config
	homes homes
}

// New returns a Store for a profile of [ParseProfile].
func New(cfg Config) *Store {
	return &Store{cfg: cfg, homes: homes{known: make(map[string]home)}}
}

// Platform returns the platform of all jobs.
func (s *Store) Platform() catalog.Platform { return catalog.PCStore }

// Host returns the host of the queries.
func (s *Store) Host() string {
	u, _ := url.Parse(s.cfg.Profile.GraphQL) // is checked
	return u.Host
}

// Jobs returns the prices and details of every price region, by region and kind.
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

// Read fetches one page of prices or the details of one game. from is the cursor of the
// page or the slug of the game. Errors of the store are *upstream.Error.
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
		err = fmt.Errorf("the store has no jobs of kind %s", job.Scope.Kind)
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

// get fetches from the platform service; kind and id form the path.
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

// broken returns the error of an unexpected answer.
func (s *Store) broken(err error) error {
	return upstream.NewError(upstream.Broken, s.cfg.Profile.GraphQL, err)
}

// noData returns the error of an answer without the requested data.
func (r *reading) noData(operation string, failures []upstream.GraphError) error {
	reason := errors.New("no data and no errors")
	for i, f := range failures {
		if isError(f, invalidCountry) {
			return upstream.NewError(upstream.Refused, r.cfg.Profile.GraphQL,
				fmt.Errorf("%s: the store does not know the country %s; remove it from the profile's regions", operation, r.region.Countries[0]))
		}
		if i == 0 {
			reason = fmt.Errorf("no data: %.200s", f.Message)
		}
	}
	return r.broken(fmt.Errorf("%s: %w", operation, reason))
}

// interrupted reports whether errors in an answer with data mean that data are missing. An
// offer or a namespace without a page is not an error, although it is reported as one.
func interrupted(failures []upstream.GraphError) bool {
	return slices.ContainsFunc(failures, func(f upstream.GraphError) bool {
		field := any("")
		if len(f.Path) > 0 {
			field = f.Path[len(f.Path)-1]
		}
		return !isError(f, notFound) || field != "mappings" && field != "offerMappings"
	})
}

// The error numbers that the package interprets.
const (
	notFound       = "1004"
	invalidCountry = "5222"
)

var errorNames = map[string]string{notFound: ".not_found", invalidCountry: ".invalid_country_code"}

// isError reports whether f has the number of an error, or ends with its name.
func isError(f upstream.GraphError, number string) bool {
	name := errorNames[number]
	return f.Code == number || strings.HasSuffix(f.Code, name) || strings.HasSuffix(f.Reason, name)
}
