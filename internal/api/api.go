package api

import (
	"crypto/rand"
	"io"
	"net/http"
	"net/netip"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api/bulk"
	"gamedex/internal/api/overview"
	"gamedex/internal/api/pricehistory"
	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/api/wire"
	"gamedex/internal/index"
	"gamedex/internal/money"
	"gamedex/internal/quota"
	"gamedex/internal/serve"
	"gamedex/internal/webhook"
)

// Config is everything that the API needs from the program around it. Nothing in
// it may change after [New].
type Config struct {
	Version     string // of the running program, for /health and meta
	ConsoleName string // display names of the two platforms
	PCName      string
	// CORSOrigins are the origins whose pages may call the API, or "*"; without
	// any, answers have no CORS headers.
	CORSOrigins []string

	Limits       quota.Limits // of keys that have no limits of their own
	PersonLimits quota.Limits // of a signed-in person, see [API.Person]
	Clock        func() time.Time

	Live    *index.Live
	Past    pricehistory.Repository
	Keys    *account.Cache
	Counter quota.Counter // of keys
	// PersonCounter counts the requests of people; nil: this process alone, in memory.
	PersonCounter quota.Counter
	Usage         *quota.Usage

	// Webhooks has the subscriptions of keys; nil: webhooks are off. WebhookHosts are receivers that
	// may have private addresses.
	Webhooks     webhook.Repository
	WebhookHosts webhook.Hosts
	Rand         io.Reader // for ids and secrets; nil: crypto/rand

	// AnswerMemory is how many bytes the bodies and answers of all requests with a
	// key together may hold; 0 is 256 MiB. Those of people may hold a quarter as much in addition.
	AnswerMemory int64
	// AnswerCache is how many bytes the items of bulk prices and the lists of ids may take that are
	// kept for later answers, an eighth of them the lists; 0: none are kept.
	AnswerCache int64
	// Network returns the network of a client, which the memory counts against besides the
	// owner; nil: none is known.
	Network func(*http.Request) netip.Prefix
	// Failed, if not nil, is called with the request id and the error of each 5xx
	// answer, except for those that only lack an index or exchange rates.
	Failed func(requestID string, err error)
}

// API answers everything under /api; nothing is there but /api/v1. It is safe for concurrent use.
//
// Do not put it behind net/http's ServeMux, which redirects paths with doubled slashes: the
// interface has no redirects.
type API struct {
	cfg     Config
	started time.Time
	routes  []route
	// plainRoutes are the routes without a parameter, by path.
	plainRoutes map[string]*route
	keys        caller // of requests with a key
	people      caller // of people; person is empty

	requests     sync.Pool // of *request
	bulkRequests sync.Pool // of *bulkRequest

	items    *bulk.Cache      // nil: none are kept
	lists    *selection.Lists // nil: none are kept
	forms    money.Formatter  // of the currencies that prices were converted to
	overview atomic.Pointer[overview.Catalog]
}

// New returns the handler. Bodies show the request id that an outer handler has set as the
// X-Request-Id header of the response.
func New(cfg Config) *API {
	if cfg.AnswerMemory == 0 {
		cfg.AnswerMemory = 256 << 20
	}
	if cfg.Network == nil {
		cfg.Network = func(*http.Request) (none netip.Prefix) { return none }
	}
	if cfg.Rand == nil {
		cfg.Rand = rand.Reader
	}
	if cfg.PersonCounter == nil {
		cfg.PersonCounter = quota.NewMemory()
	}
	a := &API{
		cfg:     cfg,
		started: cfg.Clock(),
		routes:  routes(),
		items:   bulk.NewCache(cfg.AnswerCache / 8 * 7),
		lists:   selection.NewLists(cfg.AnswerCache / 8),
		keys:    caller{limits: cfg.Limits, counter: cfg.Counter, usage: cfg.Usage, pool: respond.NewPool(cfg.AnswerMemory, largestRequest)},
		people:  caller{limits: cfg.PersonLimits, counter: cfg.PersonCounter, pool: respond.NewPool(cfg.AnswerMemory/4, largestRequest)},
	}
	a.plainRoutes = make(map[string]*route, len(a.routes))
	for i := range a.routes {
		a.plainRoutes[a.routes[i].path] = &a.routes[i]
	}
	a.requests.New = func() any { return &request{tag: make(respond.Tag, 0, tagSize)} }
	a.bulkRequests.New = newBulkRequest
	return a
}

// ItemCounts returns how many items of bulk prices were in the cache of items, and how many were
// not.
func (a *API) ItemCounts() (hits, misses int64) { return a.items.Counts() }

// ServeHTTP answers a request that needs a key.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	a.answer(w, r, a.keys, serve.RecordFrom(r.Context()))
}

func (a *API) answer(w http.ResponseWriter, r *http.Request, c caller, record *serve.Record) {
	rq := a.requests.Get().(*request)
	rq.api, rq.w, rq.r, rq.caller, rq.record = a, w, r, c, record
	if err := rq.serve(); err != nil {
		rq.sendError(err)
	}
	// Not deferred: after a panic the request may still be in use.
	rq.release()
	a.requests.Put(rq)
}

// InternalError writes the answer to a request whose handler panicked. Headers
// that are set already, the rate limits among them, stay.
func (a *API) InternalError(w http.ResponseWriter, _ *http.Request) {
	writeError(w, &problem{code: codeInternal})
}

// health answers GET /health: healthy while there is an index. It needs no key
// and reads no parameter.
func (rq *request) health() error {
	status, word := http.StatusOK, "healthy"
	if rq.api.cfg.Live.View() == nil {
		status, word = http.StatusServiceUnavailable, "starting"
		rq.w.Header().Set("Retry-After", strconv.Itoa(retryUnavailable))
	}
	uptime := max(0, time.UnixMilli(rq.now).Sub(rq.api.started))
	return rq.send(0, status, func(b *respond.Body) {
		dst := append(b.Buf, `{"ok":`...)
		dst = strconv.AppendBool(dst, status == http.StatusOK)
		dst = wire.AppendString(append(dst, `,"status":`...), word)
		dst = wire.AppendString(append(dst, `,"version":`...), rq.api.cfg.Version)
		dst = wire.AppendInt(append(dst, `,"uptime":`...), int64(uptime/time.Second))
		b.Buf = append(dst, '}')
	})
}
