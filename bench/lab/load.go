package lab

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"gamedex/bench/measure"
)

// Request is one request of a load.
type Request struct {
	Method string
	Path   string   // with the query
	Header []string // "Name: value"
	Body   string
}

// bytes is the request as it goes over the wire.
func (r Request) bytes(host string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", r.Method, r.Path, host)
	for _, h := range r.Header {
		b.WriteString(h + "\r\n")
	}
	if r.Body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(r.Body))
	}
	b.WriteString("\r\n" + r.Body)
	return b.Bytes()
}

// Fetch sends the request once and gives the answer as it came, still coded.
// What is not 200 is an error.
func (r Request) Fetch(ctx context.Context, base string) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, base+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return nil, nil, err
	}
	for _, h := range r.Header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	transport := &http.Transport{DisableCompression: true, DisableKeepAlives: true}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s %s: %s: %.300s", r.Method, r.Path, res.Status, body)
	}
	return body, res.Header, err
}

// Load is what a server is asked for by how many at once.
type Load struct {
	URL         string // without a path
	Requests    []Request
	Connections int
	Servers     []*Process // whose CPU time counts
}

//go:embed wrk.lua
var script []byte

// Wrk makes a candidate of a load that is driven by wrk: [measure.CPU],
// [measure.Rate], [measure.P50], [measure.P99] and [measure.Bytes], headers
// included, of an answer. An answer that is not good fails the round.
func (l *Lab) Wrk(ctx context.Context, name string, load Load) (measure.Candidate, error) {
	tool, err := l.Tool(ctx, "wrk", "-v")
	if err != nil {
		return measure.Candidate{}, err
	}
	dir, err := os.MkdirTemp(l.Dir, "wrk-")
	if err != nil {
		return measure.Candidate{}, fmt.Errorf("prepare load: %w", err)
	}
	w := wrk{load: load, tool: tool, script: filepath.Join(dir, "wrk.lua"), requests: filepath.Join(dir, "requests")}
	if w.seconds = Pick(l, 1, 2); load.Connections < 1 {
		return measure.Candidate{}, fmt.Errorf("load %s has no connections", name)
	}
	return measure.Candidate{Name: name, Round: w.round}, w.write()
}

type wrk struct {
	load                   Load
	tool, script, requests string
	seconds                int
}

func (w wrk) write() error {
	u, err := url.Parse(w.load.URL)
	if err != nil {
		return fmt.Errorf("prepare load: %w", err)
	}
	var b bytes.Buffer
	for _, r := range w.load.Requests {
		text := r.bytes(u.Host)
		fmt.Fprintf(&b, "%d\n", len(text))
		b.Write(text)
	}
	if err := os.WriteFile(w.script, script, 0o644); err != nil {
		return fmt.Errorf("prepare load: %w", err)
	}
	if err := os.WriteFile(w.requests, b.Bytes(), 0o644); err != nil {
		return fmt.Errorf("prepare load: %w", err)
	}
	return nil
}

func (w wrk) round(ctx context.Context) (measure.Sample, error) {
	threads := min(runtime.NumCPU(), w.load.Connections)
	cmd := exec.CommandContext(ctx, w.tool, "-t", fmt.Sprint(threads), "-c", fmt.Sprint(w.load.Connections),
		"-d", fmt.Sprintf("%ds", w.seconds), "--timeout", "30s", "-s", w.script, w.load.URL)
	cmd.Env = append(os.Environ(), "WRK_REQUESTS="+w.requests)
	before, err := CPU(w.load.Servers...)
	if err != nil {
		return nil, err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	after, err := CPU(w.load.Servers...)
	if err != nil {
		return nil, err
	}
	return readWrk(string(out), after-before)
}

// readWrk reads the line that the script printed.
func readWrk(out string, cpu time.Duration) (measure.Sample, error) {
	at := strings.LastIndex(out, "measured ")
	if at < 0 {
		return nil, fmt.Errorf("wrk printed no result: %s", out)
	}
	v := make([]float64, 10)
	into := make([]any, len(v))
	for i := range v {
		into[i] = &v[i]
	}
	if _, err := fmt.Sscan(out[at+len("measured "):], into...); err != nil {
		return nil, fmt.Errorf("wrk's result: %w: %s", err, out)
	}
	requests, micros, received := v[0], v[1], v[2]
	if failed := v[5:]; requests == 0 || slices.Max(failed) > 0 {
		return nil, fmt.Errorf("%v requests; not answered well (connect, read, write, status, timeout): %v", requests, failed)
	}
	return measure.Sample{
		measure.CPU:  float64(cpu.Microseconds()) / requests,
		measure.Rate: requests / micros * 1e6,
		measure.P50:  v[3], measure.P99: v[4],
		measure.Bytes: received / requests,
	}, nil
}
