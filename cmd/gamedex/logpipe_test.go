package main

import (
	"context"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gamedex/internal/testing/await"
)

// TestBlockedLog starts the service with its log on a pipe that nobody reads: it
// answers, says that log lines are dropped, and stops.
func TestBlockedLog(t *testing.T) {
	t.Parallel()
	from := copyOfShared(t)
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := command(t, from.dir, append(serveAnywhere, "--log-level", "debug")...)
	cmd.Stderr = write
	s := startCommand(t, cmd)
	write.Close()
	client := &http.Client{Timeout: await.Patience}
	long := strings.Repeat("x", 128)
	dropped := func() bool {
		res, err := client.Get(s.ops + "/readyz")
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		text := make([]byte, 1000)
		n, _ := res.Body.Read(text)
		return res.StatusCode == 200 && strings.Contains(string(text[:n]), "log lines are dropped")
	}
	for i := 0; i < 20_000 && (i%1000 > 0 || !dropped()); i++ {
		r, _ := http.NewRequest("GET", s.api+"/api/v1/health", nil)
		r.Header.Set("X-Request-Id", long)
		res, err := client.Do(r)
		if err != nil {
			t.Fatalf("request %d: %v", i, err)
		}
		res.Body.Close()
		if res.StatusCode != 200 {
			t.Fatalf("request %d: status %d", i, res.StatusCode)
		}
	}
	if !dropped() {
		t.Error("/readyz does not say that log lines are dropped")
	}
	if _, metrics := fetch(t, "GET", s.ops+"/metrics"); !hasLine(metrics, "gamedex_log_lines_dropped_total") || hasLine(metrics, "gamedex_log_lines_dropped_total 0") {
		t.Error("the metrics do not count the dropped lines")
	}
	s.stopInOrder()
}

// TestStopHasADeadline checks that the process ends although a part of it does
// not.
func TestStopHasADeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithTimeout(t.Context(), time.Hour)
		defer stop()
		stuck, late := make(chan struct{}), time.Time{}
		began := time.Now()
		drain := func() time.Duration { return time.Minute }
		_ = stopInTime(ctx, drain, func() error { <-stuck; return nil }, func() { late = time.Now(); close(stuck) })
		if took := late.Sub(began); took != time.Hour+drain()+stopTime {
			t.Errorf("given up after %v, want the drain and %v after the signal", took, stopTime)
		}
		_ = stopInTime(ctx, drain, func() error { time.Sleep(drain() + stopTime/2); return nil }, func() { t.Error("ended in time, but given up") })
	})
}
