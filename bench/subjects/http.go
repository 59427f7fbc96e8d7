package subjects

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"

	"gamedex/bench/harness"
	"gamedex/bench/report"
)

const (
	httpOursPlain  = "gamedex, POST"
	httpAgainPlain = "gamedex, POST, items from the cache"
	httpAgainGzip  = "gamedex, gzip, items from the cache"
	httpNginxPlain = "nginx, static file, POST"
	httpOursGzip   = "gamedex, gzip"
	httpNginxGzip  = "nginx, gzip 1 on the fly"
	httpKlauspost1 = "gamedex, gzip 1 of klauspost/compress"
	httpKlauspost3 = "gamedex, gzip 3 of klauspost/compress"
)

// httpSide is a row of a comparison.
type httpSide struct {
	name        string
	connections int
	server      string // "gamedex", "nginx", or a level of klauspost/compress
	encoding    string
	method      string // for nginx
	location    string // of nginx
	sets        int    // of ids; 0: all
}

var (
	httpPlainSides = []httpSide{
		{httpOursPlain, 8, "gamedex", "identity", "", "", 0},
		{httpAgainPlain, 8, "gamedex", "identity", "", "", again},
		{httpNginxPlain, 8, "nginx", "identity", "POST", "plain", 0},
		{"nginx, static file, GET", 8, "nginx", "identity", "GET", "plain", 0},
		{"nginx, static file, GET, sendfile", 8, "nginx", "identity", "GET", "sendfile", 0},
		{"gamedex, POST, one connection", 1, "gamedex", "identity", "", "", 0},
		{"nginx, static file, POST, one connection", 1, "nginx", "identity", "POST", "plain", 0},
	}
	httpGzipSides = []httpSide{
		{httpOursGzip, 8, "gamedex", "gzip", "", "", 0},
		{httpNginxGzip, 8, "nginx", "gzip", "POST", "gzip", 0},
		{httpKlauspost1, 8, "1", "gzip", "", "", 0},
		{httpKlauspost3, 8, "3", "gzip", "", "", 0},
		{"gamedex, zstd", 8, "gamedex", "zstd", "", "", 0},
		{"nginx, gzip_static, level 6 made before", 8, "nginx", "gzip", "POST", "static", 0},
		{"gamedex, gzip, one connection", 1, "gamedex", "gzip", "", "", 0},
		{"nginx, gzip 1 on the fly, one connection", 1, "nginx", "gzip", "POST", "gzip", 0},
		{httpAgainGzip, 8, "gamedex", "gzip", "", "", again},
	}
	httpDistinctSides = httpGzipSides[:4]
)

func measureHTTPPlain(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := r.SampleCatalog(ctx)
	if err != nil {
		return report.Section{}, err
	}
	s, results, err := measureHTTP(ctx, r, c, httpPlainSides)
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title:  "Bulk prices over HTTP, plain",
		Intro:  s.intro(),
		Goals:  append(plainGoals(results, "", httpOursPlain), plainGoals(results, ", from the cache", httpAgainPlain)...),
		Tried:  "Encoding (see the first entry) takes three quarters of the CPU, and sending a fifth. nginx sends finished bytes, as gamedex does from the cache.",
		Tables: []report.Table{s.table(results, httpNginxPlain)},
		Notes:  []string{oneConnection(results, "gamedex, POST, one connection", "nginx, static file, POST, one connection")},
	}, nil
}

func measureHTTPGzip(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := r.SampleCatalog(ctx)
	if err != nil {
		return report.Section{}, err
	}
	s, results, err := measureHTTP(ctx, r, c, httpGzipSides)
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title: "Bulk prices over HTTP, gzip",
		Intro: s.intro(),
		Goals: append([]report.Goal{
			{What: "bytes against nginx", AtMost: true, Limit: 1, Unit: "x", Figure: harness.Exactly(s.bytes[httpOursGzip] / s.bytes[httpNginxGzip])},
		}, slices.Concat(gzipGoals(results, "", httpOursGzip), gzipGoals(results, ", from the cache", httpAgainGzip), s.klauspostGoals(results))...),
		Tried:  "See the first entry. Compressing cards once and joining them makes the answer twice as long, because no match crosses cards.",
		Tables: []report.Table{s.table(results, httpNginxGzip), s.bytesTable(httpGzipSides[:6])},
		Notes:  []string{oneConnection(results, "gamedex, gzip, one connection", "nginx, gzip 1 on the fly, one connection")},
	}, nil
}

func plainGoals(results *harness.Results, kind, ours string) []report.Goal {
	return []report.Goal{
		{What: "requests/s against nginx" + kind, Limit: 0.42, Stretch: 0.5, Unit: "x", Figure: results.Ratio(harness.Rate, ours, httpNginxPlain)},
		{What: "CPU against nginx" + kind, AtMost: true, Limit: 3.3, Stretch: 2.6, Unit: "x", Figure: results.Ratio(harness.CPU, ours, httpNginxPlain)},
	}
}

func gzipGoals(results *harness.Results, kind, ours string) []report.Goal {
	return []report.Goal{
		{What: "requests/s against nginx" + kind, Limit: 2.5, Stretch: 4, Unit: "x", Figure: results.Ratio(harness.Rate, ours, httpNginxGzip)},
		{What: "CPU against nginx" + kind, AtMost: true, Limit: 0.38, Unit: "x", Figure: results.Ratio(harness.CPU, ours, httpNginxGzip)},
	}
}

// measureHTTPGzipDistinct measures gzip where prices repeat as little as they can.
func measureHTTPGzipDistinct(ctx context.Context, r *harness.Run) (report.Section, error) {
	c, err := r.Catalog(ctx, harness.Shape{Cards: harness.Pick(r, 20_000, 100_000), Regions: 4, DistinctPrices: true})
	if err != nil {
		return report.Section{}, err
	}
	defer r.Drop(c) // no other subject needs it
	s, results, err := measureHTTP(ctx, r, c, httpDistinctSides)
	if err != nil {
		return report.Section{}, err
	}
	return report.Section{
		Title:  "Bulk prices over HTTP, gzip, every price distinct",
		Intro:  s.intro() + " Every regular price occurs once in this catalog.",
		Goals:  s.klauspostGoals(results),
		Tried:  "See the entry above. Prices that do not repeat give fewer matches.",
		Tables: []report.Table{s.table(results, httpNginxGzip), s.bytesTable(httpDistinctSides)},
	}, nil
}

// httpServers are the program and the others, ready to give the same answers.
type httpServers struct {
	cards     int
	ours      *harness.Service
	nginx     *harness.Nginx
	klauspost map[string]*harness.Server // by level
	requests  []harness.Request
	plain     [][]byte           // the plain answers
	bytes     map[string]float64 // of all bodies, by side
}

// nginxLocations serve the answers in all ways that are compared. A file cannot be
// posted to: nginx answers such a request as a GET.
const nginxLocations = `
    location /plain/ { alias FILES/; error_page 405 =200 $uri; }
    location /sendfile/ { alias FILES/; error_page 405 =200 $uri; sendfile on; tcp_nopush on; }
    location /gzip/ { alias FILES/; error_page 405 =200 $uri;
      gzip on; gzip_comp_level 1; gzip_types application/json; gzip_buffers 64 32k; }
    location /static/ { alias FILES/; error_page 405 =200 $uri; gzip_static on; }
`

func measureHTTP(ctx context.Context, r *harness.Run, c *harness.Catalog, sides []httpSide) (*httpServers, *harness.Results, error) {
	s := &httpServers{cards: c.View.Len(), klauspost: map[string]*harness.Server{}, bytes: map[string]float64{}}
	defer s.stop()
	if err := s.start(ctx, r, c, sides); err != nil {
		return nil, nil, err
	}
	var candidates []harness.Candidate
	for _, side := range sides {
		load := s.load(side)
		for n, request := range load.Requests {
			if err := s.check(ctx, side, load.URL, request, s.plain[n]); err != nil {
				return nil, nil, fmt.Errorf("%s, request %d: %w", side.name, n, err)
			}
		}
		candidates = append(candidates, r.Wrk(ctx, side.name, load))
	}
	results, err := r.Rounds(ctx, candidates...)
	return s, results, err
}

// start starts the servers that the sides need, and writes the program's answers to
// files for nginx.
func (s *httpServers) start(ctx context.Context, r *harness.Run, c *harness.Catalog, sides []httpSide) (err error) {
	if s.ours, err = r.Serve(ctx, c); err != nil {
		return err
	}
	for _, ids := range c.RandomIDs(r.Rng(11), harness.Pick(r, 16, 64), bulkIDs) {
		s.requests = append(s.requests, pricesRequest(harness.PricesBody(ids, nil)))
	}
	dir, err := os.MkdirTemp(r.Dir, "answers-")
	if err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil { // for nginx
		return err
	}
	if err := s.writeAnswers(ctx, dir); err != nil {
		return err
	}
	if s.nginx, err = r.Nginx(ctx, strings.ReplaceAll(nginxLocations, "FILES", dir)); err != nil {
		return err
	}
	for _, side := range sides {
		if side.server == "gamedex" || side.server == "nginx" {
			continue
		}
		if s.klauspost[side.server], err = r.StartServer("stack", c.Snapshots(), side.server); err != nil {
			return err
		}
	}
	return nil
}

func (s *httpServers) stop() {
	for _, level := range s.klauspost {
		level.Stop()
	}
	if s.nginx != nil {
		s.nginx.Stop()
	}
	if s.ours != nil {
		s.ours.Stop()
	}
}

// writeAnswers writes the plain answers to files, and next to them the same with
// gzip level 6.
func (s *httpServers) writeAnswers(ctx context.Context, dir string) error {
	for n, request := range s.requests {
		body, _, err := request.WithHeader("Authorization: Bearer "+s.ours.Keys[0]).Fetch(ctx, s.ours.URL)
		if err != nil {
			return err
		}
		if !bytes.Contains(body, fmt.Appendf(nil, `"resolved":%d,`, bulkIDs)) {
			return fmt.Errorf("request %d: not all of %d ids were found", n, bulkIDs)
		}
		s.plain = append(s.plain, body)
		s.bytes["plain"] += float64(len(body))
		file := filepath.Join(dir, fmt.Sprintf("%d.json", n))
		if err := os.WriteFile(file, body, 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(file+".gz", gzip6(body), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func gzip6(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // to memory
	_ = z.Close()
	return b.Bytes()
}

// load returns the load of a side. All sides get the same requests, in the same
// order, with their own keys.
func (s *httpServers) load(side httpSide) harness.Load {
	load := harness.Load{URL: s.ours.URL, Connections: side.connections, Server: s.ours.Process}
	keys := s.ours.Keys
	if side.server == "nginx" {
		load.URL, load.Server = s.nginx.URL, s.nginx.Process
	} else if level := s.klauspost[side.server]; level != nil {
		load.URL, load.Server, keys = level.URL, level.Process, level.Keys
	}
	for n, request := range s.requests[:cmp.Or(side.sets, len(s.requests))] {
		if side.server == "nginx" {
			request.Method, request.Path = side.method, fmt.Sprintf("/%s/%d.json", side.location, n)
			if side.method == "GET" {
				request.Body = ""
			}
		}
		request = request.WithHeader("Authorization: Bearer " + keys[n%len(keys)])
		load.Requests = append(load.Requests, request.WithHeader("Accept-Encoding: "+side.encoding))
	}
	return load
}

// check compares an answer with the plain one and counts its bytes.
func (s *httpServers) check(ctx context.Context, side httpSide, url string, request harness.Request, plain []byte) error {
	body, header, err := request.Fetch(ctx, url)
	if err != nil {
		return err
	}
	if got := header.Get("Content-Encoding"); got != side.encoding && (side.encoding != "identity" || got != "") {
		return fmt.Errorf("content encoding %q, want %s", got, side.encoding)
	}
	s.bytes[side.name] += float64(len(body))
	decoded, err := decode(body, side.encoding)
	if err != nil {
		return err
	}
	return compareAnswers(decoded, plain)
}

func decode(body []byte, encoding string) ([]byte, error) {
	switch encoding {
	case "gzip":
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return nil, err
		}
		return io.ReadAll(z)
	case "zstd":
		z, err := zstd.NewReader(nil)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		return z.DecodeAll(body, nil)
	}
	return body, nil
}

// compareAnswers compares two answers without the meta object at their end, which
// has the request's id, its time and the state of its limits.
func compareAnswers(got, want []byte) error {
	withoutMeta := func(body []byte) []byte { return body[:max(0, bytes.LastIndex(body, []byte(`,"meta":{`)))] }
	if !json.Valid(got) || len(withoutMeta(got)) == 0 {
		return errors.New("the answer is incomplete")
	}
	if !bytes.Equal(withoutMeta(got), withoutMeta(want)) {
		return errors.New("the answer differs from the plain one")
	}
	return nil
}

func (s *httpServers) intro() string {
	text := fmt.Sprintf("POST of %d random ids, 4 regions, %d different sets, %d cards; answers of %.0f bytes on average. "+
		"nginx serves the program's answers from open files, with a worker for each core and 256 KB buffers; it reads no ids and computes nothing.",
		bulkIDs, len(s.requests), s.cards, s.bytes["plain"]/float64(len(s.requests)))
	if len(s.klauspost) > 0 {
		text += " The rows with klauspost/compress are the same handlers with that gzip in place of our own."
	}
	return text
}

func (s *httpServers) table(results *harness.Results, base string) report.Table {
	return report.Compare("8 connections unless a row says one. Ratios are to "+base+".", results, base, harness.CPU, harness.Rate, harness.P50, harness.P99)
}

// klauspostGoals returns the goals that justify a gzip of our own: with it the whole
// request must be cheaper, and the answer no longer.
func (s *httpServers) klauspostGoals(results *harness.Results) []report.Goal {
	var goals []report.Goal
	for _, other := range []string{httpKlauspost1, httpKlauspost3} {
		goals = append(goals,
			report.Goal{What: "CPU of " + other + " / ours", Limit: 1.5, Unit: "x", Figure: results.Ratio(harness.CPU, other, httpOursGzip)},
			report.Goal{What: "our bytes / those of " + other, AtMost: true, Limit: 1, Unit: "x", Figure: harness.Exactly(s.bytes[httpOursGzip] / s.bytes[other])})
	}
	return goals
}

func (s *httpServers) bytesTable(sides []httpSide) report.Table {
	t := report.Table{Caption: "Bytes of a body, on average:", Head: []string{"", "bytes", "of plain", "of nginx gzip 1"}}
	names := []string{"plain"}
	for _, side := range sides {
		names = append(names, side.name)
	}
	for _, name := range names {
		n := s.bytes[name]
		t.Rows = append(t.Rows, []string{name, report.Number(n / float64(len(s.requests))),
			report.Number(n / s.bytes["plain"]), report.Number(n / s.bytes[httpNginxGzip])})
	}
	return t
}

func oneConnection(results *harness.Results, ours, nginx string) string {
	return fmt.Sprintf("With one connection gamedex answers %s times as many requests/s as nginx, with %s times its CPU.",
		report.Figure(results.Ratio(harness.Rate, ours, nginx)), report.Figure(results.Ratio(harness.CPU, ours, nginx)))
}
