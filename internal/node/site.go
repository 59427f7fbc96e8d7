package node

import (
	"net/http"
	"strings"

	"gamedex/internal/api"
	"gamedex/internal/demo"
	"gamedex/internal/serve"
)

// site passes requests to the API, its OpenAPI document, the sample covers or, for
// all other paths, the dashboard. The API receives paths as the client sent them: a mux
// would answer doubled slashes with redirects.
type site struct {
	api, document, dashboard http.Handler
	samples                  *demo.Catalog
}

// ServeHTTP passes the request to the handler that owns the path.
func (s site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	record := serve.RecordFrom(r.Context())
	switch {
	case isAPIPath(path):
		s.api.ServeHTTP(w, r)
	case path == api.DocumentPath:
		record.Route = api.DocumentPath
		s.document.ServeHTTP(w, r)
	case strings.HasPrefix(path, demo.CoverPath):
		record.Route, record.Quiet = demo.CoverPath, true
		s.serveCover(w, r, strings.TrimPrefix(path, demo.CoverPath))
	default:
		s.dashboard.ServeHTTP(w, r)
	}
}

func isAPIPath(path string) bool { return path == "/api" || strings.HasPrefix(path, "/api/") }

// serveCover draws the placeholder cover of a sample game.
func (s site) serveCover(w http.ResponseWriter, r *http.Request, name string) {
	svg, ok := s.samples.Cover(name)
	if !ok {
		http.Error(w, "no such cover", http.StatusNotFound)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "image/svg+xml")
	h.Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "public, max-age=86400")
	if r.Method != http.MethodHead {
		_, _ = w.Write(svg) // the client may be gone
	}
}
