package api

import (
	"context"
	"net/http"
	"sync"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/api/bulk"
	"gamedex/internal/api/respond"
	"gamedex/internal/index"
	"gamedex/internal/quota"
)

// KeyFinder gives the record of the key behind a token. [account.Cache] is
// one; its errors decide between 401 and 503.
type KeyFinder interface {
	Find(ctx context.Context, token string) (account.Key, error)
}

// Usage counts what was answered and remembers it by the hour. [quota.Usage]
// is one.
type Usage interface {
	Add(keyID, route string, outcome quota.Outcome, now int64)
	History(ctx context.Context, keyID string, now int64) (quota.History, error)
}

// Config is everything the API needs of the program around it. Nothing in it
// may change after [New].
type Config struct {
	Version     string // of the running program, for /health and meta
	ConsoleName string // display names of the two platforms
	PCName      string
	CORSOrigin  string // value of Access-Control-Allow-Origin; "": no CORS headers

	Limits quota.Limits // of keys that have no limits of their own
	Clock  func() time.Time

	Live    *index.Live
	Keys    KeyFinder
	Counter quota.Counter
	Usage   Usage

	// NoListings is what a client is told before there is an index: the
	// sentence that names the way out.
	NoListings string
	// AnswerMemory bounds the bytes of all answers in work; 0 is 256 MiB.
	AnswerMemory int64
	// Failed hears of every error that became a 5xx answer, with the request
	// id that the client was given; nil: nobody does. What is only not there
	// yet, an index or a table of rates, is no error.
	Failed func(requestID string, err error)
}

// API answers everything under /api/v1. It is safe for concurrent use.
//
// It must be reached with the path as the client sent it: net/http's ServeMux
// answers doubled slashes with redirects, which the interface does not have.
type API struct {
	cfg     Config
	started time.Time
	routes  []route
	// plainRoutes are those without a parameter, by their path.
	plainRoutes map[string]*route
	pool        *respond.Pool
	templates   bulk.Templates

	requests     sync.Pool // of *request
	bulkRequests sync.Pool // of *bulkRequest
}

// New makes the handler. The request id that it repeats in bodies is the
// X-Request-Id header which an outer handler has set on the response.
func New(cfg Config) *API {
	if cfg.AnswerMemory == 0 {
		cfg.AnswerMemory = 256 << 20
	}
	a := &API{
		cfg:     cfg,
		started: cfg.Clock(),
		routes:  routes(),
		pool:    respond.NewPool(cfg.AnswerMemory),
	}
	a.plainRoutes = make(map[string]*route, len(a.routes))
	for i := range a.routes {
		a.plainRoutes[a.routes[i].path] = &a.routes[i]
	}
	a.requests.New = newRequest
	a.bulkRequests.New = newBulkRequest
	return a
}

// ServeHTTP finds the route and hands over to it. Path and method come before
// the key, and are not counted.
func (a *API) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rq := a.requests.Get().(*request)
	rq.begin(a, w, r)
	if err := rq.serve(); err != nil {
		rq.fail(err)
	}
	// After a panic nobody knows who still holds the request: it is not kept.
	rq.end()
	a.requests.Put(rq)
}

// InternalError writes the answer to a request whose handler panicked. Headers
// that are set already, the rate limits among them, stay.
func (a *API) InternalError(w http.ResponseWriter, _ *http.Request) {
	writeError(w, &problem{code: codeInternal})
}
