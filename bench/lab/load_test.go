package lab_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"

	"gamedex/bench/lab"
	"gamedex/bench/measure"
)

func newLab(t *testing.T) *lab.Lab {
	t.Helper()
	l, err := lab.New(t.TempDir(), "../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

// self stands for a server's process: this one, which is running.
var self = &lab.Process{Name: "test", PID: os.Getpid()}

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
	load := lab.Load{URL: server.URL, Connections: 2, Servers: []*lab.Process{self}}
	for i := range seen {
		load.Requests = append(load.Requests, lab.Request{Method: "POST", Path: fmt.Sprint("/", i), Header: []string{"X-Is: here"}, Body: strings.Repeat("\n1", 1000*i)})
	}
	c, err := newLab(t).Wrk(t.Context(), "test", load)
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.Round(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []measure.Metric{measure.CPU, measure.Rate, measure.P50, measure.P99, measure.Bytes} {
		if s[m] <= 0 {
			t.Errorf("%s is %v", m, s[m])
		}
	}
	for i := range seen {
		if seen[i].Load() == 0 {
			t.Errorf("request %d was never sent", i)
		}
	}
}

func TestAnAnswerThatIsNotGoodFailsTheRound(t *testing.T) {
	var n atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if n.Add(1) == 5 {
			w.WriteHeader(http.StatusTooManyRequests)
		}
	}))
	defer server.Close()
	c, err := newLab(t).Wrk(t.Context(), "test", lab.Load{
		URL: server.URL, Connections: 1, Requests: []lab.Request{{Method: "GET", Path: "/"}}, Servers: []*lab.Process{self},
	})
	if err != nil {
		t.Fatal(err)
	}
	if s, err := c.Round(t.Context()); err == nil {
		t.Errorf("one of many was refused, and the round gave %v", s)
	}
}

func TestProcesses(t *testing.T) {
	l := newLab(t)
	p, err := l.Start("sleep", exec.Command("sleep", "1000"))
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Stop(); err != nil {
		t.Errorf("stopped, but: %v", err)
	}
	broken, err := l.Start("broken", exec.Command("sh", "-c", "echo the reason >&2; exit 3"))
	if err != nil {
		t.Fatal(err)
	}
	err = broken.Await(t.Context(), func() bool { return false })
	if err == nil || !strings.Contains(err.Error(), "the reason") {
		t.Errorf("error is %v", err)
	}
	if err := l.Close(); err == nil {
		t.Error("a process failed, and the lab closed without a word")
	}
}
