package harness

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"errors"
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
)

// Request is one request of a load.
type Request struct {
	Method string
	Path   string   // with the query
	Header []string // "Name: value"
	Body   string
}

// WithHeader returns a copy of the request with another header.
func (r Request) WithHeader(header string) Request {
	r.Header = append(slices.Clone(r.Header), header)
	return r
}

// wire returns the request as it is sent to a host.
func (r Request) wire(host string) []byte {
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

// Fetch sends the request once, over a new connection, and returns the body of the
// answer, not decoded. Any status but 200 is an error.
func (r Request) Fetch(ctx context.Context, base string) ([]byte, http.Header, error) {
	return r.FetchBy(ctx, &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}, base)
}

// FetchBy is Fetch over the connections of a client.
func (r Request) FetchBy(ctx context.Context, client *http.Client, base string) ([]byte, http.Header, error) {
	req, err := http.NewRequestWithContext(ctx, r.Method, base+r.Path, strings.NewReader(r.Body))
	if err != nil {
		return nil, nil, err
	}
	for _, h := range r.Header {
		name, value, _ := strings.Cut(h, ": ")
		req.Header.Set(name, value)
	}
	res, err := client.Do(req)
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

// Load is a list of requests that several connections send to a server in turn.
type Load struct {
	URL         string // without a path
	Server      *Process
	Requests    []Request
	Connections int
	Threads     int    // of wrk; 0: one for each core
	Peers       []Peer // each gets as many of the connections as the server does
	Idle        []Peer // get no request; the CPU that they use counts too
}

// Peer is a further server of a load.
type Peer struct {
	URL    string // without a path
	Server *Process
}

// cpuTime returns the CPU time that all servers of the load have used.
func (l Load) cpuTime() (time.Duration, error) {
	total, err := CPUTime(l.Server.PID)
	for _, peer := range slices.Concat(l.Peers, l.Idle) {
		used, peerErr := CPUTime(peer.Server.PID)
		total, err = total+used, errors.Join(err, peerErr)
	}
	return total, err
}

// addresses returns the addresses of all servers of the load, as the script reads them.
func (l Load) addresses() string {
	list := strings.TrimPrefix(l.URL, "http://")
	for _, peer := range l.Peers {
		list += " " + strings.TrimPrefix(peer.URL, "http://")
	}
	return list
}

//go:embed wrk.lua
var wrkScript []byte

// Wrk returns a candidate that drives a load with wrk. It measures [CPU], [Rate],
// [P50], [P99] and [Bytes] of an answer with its headers. A failed request fails
// the round, and so does a load that cannot be prepared.
func (r *Run) Wrk(ctx context.Context, name string, load Load) Candidate {
	w, err := r.prepare(ctx, load)
	return Candidate{Name: name, Round: func(ctx context.Context) (Values, error) {
		if err != nil {
			return nil, fmt.Errorf("prepare the load: %w", err)
		}
		return w.round(ctx)
	}}
}

// prepare writes the files that wrk reads.
func (r *Run) prepare(ctx context.Context, load Load) (w wrk, err error) {
	tool, err := r.Tool(ctx, "wrk", "-v")
	if err != nil {
		return wrk{}, err
	}
	if threads := load.Threads; threads%(1+len(load.Peers)) != 0 || threads > 0 && load.Connections%threads != 0 {
		return wrk{}, fmt.Errorf("%d connections of %d threads cannot be shared evenly by %d servers", load.Connections, threads, 1+len(load.Peers))
	}
	w = wrk{load: load, tool: tool, seconds: Pick(r, 1, 2)}
	if w.dir, err = os.MkdirTemp(r.Dir, "wrk-"); err == nil {
		err = w.writeFiles()
	}
	return w, err
}

type wrk struct {
	load      Load
	tool, dir string
	seconds   int
}

func (w wrk) writeFiles() error {
	u, err := url.Parse(w.load.URL)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, r := range w.load.Requests {
		text := r.wire(u.Host)
		fmt.Fprintf(&b, "%d\n", len(text))
		b.Write(text)
	}
	if err := os.WriteFile(filepath.Join(w.dir, "wrk.lua"), wrkScript, 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(w.dir, "requests"), b.Bytes(), 0o644)
}

func (w wrk) round(ctx context.Context) (Values, error) {
	threads := cmp.Or(w.load.Threads, min(runtime.NumCPU(), w.load.Connections))
	cmd := exec.CommandContext(ctx, w.tool, "-t", fmt.Sprint(threads), "-c", fmt.Sprint(w.load.Connections),
		"-d", fmt.Sprintf("%ds", w.seconds), "--timeout", "30s", "-s", filepath.Join(w.dir, "wrk.lua"), w.load.URL)
	cmd.Env = append(os.Environ(), "WRK_REQUESTS="+filepath.Join(w.dir, "requests"), "WRK_ADDRESSES="+w.load.addresses())
	before, err := w.load.cpuTime()
	if err != nil {
		return nil, err
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	after, err := w.load.cpuTime()
	if err != nil {
		return nil, err
	}
	return parseWrk(string(out), after-before)
}

// parseWrk parses the line that the script prints.
func parseWrk(out string, cpu time.Duration) (Values, error) {
	_, line, ok := strings.Cut(out, "measured ")
	if !ok {
		return nil, fmt.Errorf("wrk printed no result: %s", out)
	}
	var requests, micros, received, p50, p99 float64
	failed := make([]int, 5)
	if _, err := fmt.Sscan(line, &requests, &micros, &received, &p50, &p99, &failed[0], &failed[1], &failed[2], &failed[3], &failed[4]); err != nil {
		return nil, fmt.Errorf("wrk's result: %w: %s", err, out)
	}
	if requests == 0 || slices.Max(failed) > 0 {
		return nil, fmt.Errorf("%v requests, failed ones (connect, read, write, status, timeout): %v", requests, failed)
	}
	return Values{
		CPU: float64(cpu.Microseconds()) / requests, Rate: requests / micros * 1e6,
		P50: p50, P99: p99, Bytes: received / requests,
	}, nil
}
