package harness_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"gamedex/bench/harness"
)

func newRun(t *testing.T) *harness.Run {
	t.Helper()
	r, err := harness.NewRun(t.TempDir(), "../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// self is this process, in place of a server's.
var self = &harness.Process{Name: "test", PID: os.Getpid()}

func TestWrkSendsEveryRequestAsPrepared(t *testing.T) {
	var seen [3]atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		for i := range seen {
			if r.Method == "POST" && r.URL.Path == fmt.Sprint("/", i) && r.Header.Get("X-Is") == "here" && string(body) == strings.Repeat("\n1", 1000*i) {
				seen[i].Add(1)
				return
			}
		}
		http.Error(w, "not as prepared", http.StatusBadRequest)
	}))
	defer server.Close()
	load := harness.Load{URL: server.URL, Connections: 2, Server: self}
	for i := range seen {
		load.Requests = append(load.Requests, harness.Request{Method: "POST", Path: fmt.Sprint("/", i), Header: []string{"X-Is: here"}, Body: strings.Repeat("\n1", 1000*i)})
	}
	c := newRun(t).Wrk(t.Context(), "test", load)
	v, err := c.Round(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []harness.Metric{harness.CPU, harness.Rate, harness.P50, harness.P99, harness.Bytes} {
		if v[m] <= 0 {
			t.Errorf("%s is %v", m, v[m])
		}
	}
	for i := range seen {
		if seen[i].Load() == 0 {
			t.Errorf("request %d was never sent", i)
		}
	}
}

func TestFailedRequestFailsTheRound(t *testing.T) {
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 5 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	c := newRun(t).Wrk(t.Context(), "test", harness.Load{
		URL: server.URL, Connections: 1, Requests: []harness.Request{{Method: "GET", Path: "/"}}, Server: self,
	})
	if v, err := c.Round(t.Context()); err == nil {
		t.Errorf("one request was refused, and the round returned %v", v)
	}
}

func TestPeersShareTheLoad(t *testing.T) {
	var seen [2]atomic.Int64
	load := harness.Load{Connections: 4, Threads: 2, Requests: []harness.Request{{Method: "GET", Path: "/"}}}
	for i := range seen {
		server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { seen[i].Add(1) }))
		defer server.Close()
		if i == 0 {
			load.URL, load.Server = server.URL, self
		} else {
			load.Peers = append(load.Peers, harness.Peer{URL: server.URL, Server: self})
		}
	}
	r := newRun(t)
	c := r.Wrk(t.Context(), "test", load)
	if _, err := c.Round(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i := range seen {
		if seen[i].Load() == 0 {
			t.Errorf("server %d got no request", i)
		}
	}
	load.Threads = 3
	if _, err := r.Wrk(t.Context(), "test", load).Round(t.Context()); err == nil {
		t.Error("two servers are to share three threads, and there is no error")
	}
}

func TestProcesses(t *testing.T) {
	r := newRun(t)
	p, err := r.Start("sleep", exec.Command("sleep", "1000"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stopped, but: %v", err)
	}
	frozen, err := r.Start("frozen", exec.Command("sleep", "1000"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(frozen.Freeze(), frozen.Stop()); err != nil {
		t.Errorf("frozen and stopped, but: %v", err)
	}
	broken, err := r.Start("broken", exec.Command("sh", "-c", "echo the reason >&2; exit 3"))
	if err != nil {
		t.Fatal(err)
	}
	err = broken.Await(t.Context(), harness.StartTimeout, func() bool { return false })
	if err == nil || !strings.Contains(err.Error(), "the reason") {
		t.Errorf("error is %v", err)
	}
	if err := r.Close(); err == nil {
		t.Error("a process failed, but Close returned no error")
	}
}
