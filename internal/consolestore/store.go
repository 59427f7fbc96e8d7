package consolestore

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
	"gamedex/internal/upstream"
)

// Config configures a Store. All fields except Texts and Images are required.
type Config struct {
	Profile Profile
	Client  Client
	Texts   bool // keep descriptions
	Images  bool // keep links to pictures
	Now     func() time.Time
	Log     *slog.Logger
}

// Store reads the console store. It may be used from any goroutine.
type Store struct{ cfg Config }

// Client asks a store; [upstream.Client] is one.
type Client interface {
	Ask(ctx context.Context, q upstream.Persisted) (upstream.Reply, error)
}

// New returns a Store for a checked profile.
func New(cfg Config) *Store { return &Store{cfg} }

// Platform returns the console store.
func (s *Store) Platform() catalog.Platform { return catalog.ConsoleStore }

// Host returns the host of all requests.
func (s *Store) Host() string {
	u, _ := url.Parse(s.cfg.Profile.GraphQL) // is checked
	return u.Host
}

// Jobs returns the jobs by region and kind: prices, editions, add-ons and details of each
// region, and titles if the region has other locales.
func (s *Store) Jobs() []sweep.Job {
	var jobs []sweep.Job
	for _, r := range s.cfg.Profile.Regions {
		kinds := []sweep.Kind{sweep.Prices, sweep.Editions, sweep.AddOns, sweep.Details}
		if len(r.Titles) > 0 {
			kinds = append(kinds, sweep.Titles)
		}
		for _, kind := range kinds {
			scope := sweep.Scope{Platform: catalog.ConsoleStore, Region: r.Region, Kind: kind}
			jobs = append(jobs, sweep.Job{Scope: scope, Regions: []catalog.Region{r.Region}})
		}
	}
	slices.SortFunc(jobs, func(a, b sweep.Job) int {
		return cmp.Or(a.Scope.Region.Compare(b.Scope.Region), cmp.Compare(a.Scope.Kind, b.Scope.Kind))
	})
	return jobs
}

// Read fetches one page of prices or titles, or one item. from is the cursor that the page
// before returned, "" for the first page; for an item it is the id of the game (editions
// and add-ons) or of the product (details). All parts have the time at which their answer
// arrived.
func (s *Store) Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error) {
	regions := s.cfg.Profile.Regions
	i := slices.IndexFunc(regions, func(r Region) bool { return r.Region == job.Scope.Region })
	if i < 0 || job.Scope.Platform != catalog.ConsoleStore {
		return sweep.Page{}, fmt.Errorf("read %s: the profile has no such region", job.Scope)
	}
	region := regions[i]
	var page sweep.Page
	var err error
	switch job.Scope.Kind {
	case sweep.Prices:
		page, err = s.readPrices(ctx, region, from)
	case sweep.Titles:
		page, err = s.readTitles(ctx, region, from)
	case sweep.Editions:
		page, err = s.readEditions(ctx, region, from)
	case sweep.AddOns:
		page, err = s.readAddOns(ctx, region, from)
	case sweep.Details:
		page, err = s.readDetails(ctx, region, from)
	default:
		err = fmt.Errorf("the console store has no jobs of kind %q", job.Scope.Kind)
	}
	if err != nil {
		return sweep.Page{}, fmt.Errorf("read %s from %q: %w", job.Scope, from, err)
	}
	if page.Interrupted {
		s.cfg.Log.Debug("interrupted page", "scope", job.Scope.String(), "from", from)
	}
	return page, nil
}

// answer is an interpreted reply: its data and its errors.
type answer struct {
	data        map[string]json.RawMessage
	gone        bool   // the item is not sold in this region
	interrupted bool   // the answer is partial
	fault       string // the first error, in the words of the store
}

// query sends one query in a locale. An error means that there is no answer; a partial
// answer is interrupted.
func (s *Store) query(ctx context.Context, locale, operation, hash string, variables any) (answer, error) {
	header := http.Header{}
	header.Set("X-Psn-Store-Locale-Override", locale)
	if s.cfg.Profile.Origin != "" {
		header.Set("Origin", s.cfg.Profile.Origin)
	}
	reply, err := s.cfg.Client.Ask(ctx, upstream.Persisted{
		URL: s.cfg.Profile.GraphQL, Operation: operation, Hash: hash, Variables: variables, Header: header,
	})
	if err != nil {
		return answer{}, err
	}
	var a answer
	if len(reply.Data) > 0 {
		if err := json.Unmarshal(reply.Data, &a.data); err != nil {
			return answer{}, s.broken(fmt.Errorf("%s: data is not an object: %w", operation, err))
		}
	}
	for _, e := range reply.Errors {
		// Not sold here: the store does not know it, or no storefront has it.
		gone := e.Code == "3166081" || e.Code == "3162368" ||
			e.Reason == "data_not_found" || e.Reason == "failed_storefront_requirement"
		a.gone = a.gone || gone
		a.interrupted = a.interrupted || !gone
		a.fault = cmp.Or(a.fault, clip(e.Message, maxQuoted))
	}
	return a, nil
}

const maxQuoted = 200 // bytes of an answer in an error

// object decodes one object of the answer. A missing object is an error, unless the store
// does not sell it: then gone is true.
func (s *Store) object(a answer, name string, to any) (gone bool, err error) {
	raw := a.data[name]
	if isNull(raw) && a.gone {
		return true, nil
	} else if isNull(raw) {
		return false, s.lacks(a, name)
	}
	if err := json.Unmarshal(raw, to); err != nil {
		return false, s.broken(fmt.Errorf("%s: %w", name, err))
	}
	return false, nil
}

func (s *Store) lacks(a answer, what string) error {
	if a.fault != "" {
		return s.broken(fmt.Errorf("the answer has no %s: %q", what, a.fault))
	}
	return s.broken(fmt.Errorf("the answer has no %s", what))
}

// broken returns the error of an unexpected answer.
func (s *Store) broken(err error) error {
	return upstream.NewError(upstream.Broken, s.cfg.Profile.GraphQL, err)
}

func (s *Store) foreign(region Region) error {
	return s.broken(fmt.Errorf("the prices of %s are not in %s: the store answers for another region", region.Region, region.Currency))
}

func (s *Store) another(asked, answered string) error {
	return s.broken(fmt.Errorf("the request is about %s, but the answer about %.40q", asked, answered))
}
