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

// Config is what a store is made of. All fields but Log are needed.
type Config struct {
	Profile Profile
	Client  *upstream.Client
	Texts   bool // descriptions are taken
	Images  bool // links to pictures are taken
	Now     func() time.Time
	Log     *slog.Logger
}

// Store reads the console store. It may be used by many at once.
type Store struct {
	profile Profile
	client  asker
	host    string
	regions map[catalog.Region]Region
	texts   bool
	images  bool
	now     func() time.Time
	log     *slog.Logger
}

// asker is what of upstream the store needs.
type asker interface {
	Ask(ctx context.Context, q upstream.Persisted) (upstream.Reply, error)
}

// New makes a store of a checked profile.
func New(cfg Config) *Store {
	s := &Store{
		profile: cfg.Profile, client: cfg.Client, texts: cfg.Texts, images: cfg.Images,
		now: cfg.Now, log: cfg.Log, regions: make(map[catalog.Region]Region),
	}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	if u, err := url.Parse(cfg.Profile.GraphQL); err == nil {
		s.host = u.Host
	}
	for _, r := range cfg.Profile.Regions {
		s.regions[r.Region] = r
	}
	return s
}

// Platform is the console store.
func (s *Store) Platform() catalog.Platform { return catalog.ConsoleStore }

// Host is the one that every request goes to.
func (s *Store) Host() string { return s.host }

// Jobs lists what can be read, sorted by region and kind: of each region its
// prices, editions, add-ons and details; titles where it has further locales.
func (s *Store) Jobs() []sweep.Job {
	var jobs []sweep.Job
	for _, r := range s.regions {
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

// Read fetches one page of prices or titles (from is where the page before
// said to go on, "" at the start), or what one item says: the editions or
// add-ons of the game from, the details of the product from. Everything is
// stamped with the moment in which its answer had arrived.
func (s *Store) Read(ctx context.Context, job sweep.Job, from string) (sweep.Page, error) {
	region, known := s.regions[job.Scope.Region]
	if !known || job.Scope.Platform != catalog.ConsoleStore {
		return sweep.Page{}, fmt.Errorf("read %s: the profile has no such region", job.Scope)
	}
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
		err = fmt.Errorf("the console store has no %q", job.Scope.Kind)
	}
	if err != nil {
		return sweep.Page{}, fmt.Errorf("read %s from %q: %w", job.Scope, from, err)
	}
	if page.Interrupted {
		s.log.Debug("interrupted page", "scope", job.Scope.String(), "from", from)
	}
	return page, nil
}

// answer is a reply, looked at: what it holds and what it excuses itself for.
type answer struct {
	data        map[string]json.RawMessage
	gone        bool   // something is not sold in this region
	interrupted bool   // something could not be answered
	fault       string // the first error, as the store words it
}

// ask puts one question in a locale. An error means that there is no answer; a
// partial answer is one, and interrupted.
func (s *Store) ask(ctx context.Context, locale, operation, hash string, variables any) (answer, error) {
	header := http.Header{}
	header.Set("X-Psn-Store-Locale-Override", locale)
	if s.profile.Origin != "" {
		header.Set("Origin", s.profile.Origin)
	}
	reply, err := s.client.Ask(ctx, upstream.Persisted{
		URL: s.profile.GraphQL, Operation: operation, Hash: hash, Variables: variables, Header: header,
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
		// Not sold here: the store knows nothing of it, or no storefront has it.
		gone := e.Code == "3166081" || e.Code == "3162368" ||
			e.Reason == "data_not_found" || e.Reason == "failed_storefront_requirement"
		a.gone = a.gone || gone
		a.interrupted = a.interrupted || !gone
		a.fault = cmp.Or(a.fault, clip(e.Message, maxQuoted))
	}
	return a, nil
}

const maxQuoted = 200 // bytes of an answer that an error repeats

// object decodes one object of the answer. It is an error if that is missing,
// unless the store says that it does not sell it: then gone is true.
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
		return s.broken(fmt.Errorf("the answer lacks %s: %q", what, a.fault))
	}
	return s.broken(fmt.Errorf("the answer lacks %s", what))
}

// broken is the error of an answer that is not what was asked for.
func (s *Store) broken(err error) error {
	return upstream.NewError(upstream.Broken, s.profile.GraphQL, err)
}

func (s *Store) foreign(region Region) error {
	return s.broken(fmt.Errorf("the prices of %s are not in %s: the store answers for another region", region.Region, region.Currency))
}

func (s *Store) another(asked, answered string) error {
	return s.broken(fmt.Errorf("asked about %s, the answer is about %.40q", asked, answered))
}
