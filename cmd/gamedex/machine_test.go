package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/testing/await"
)

// Conditions outside the program: output that nothing reads, signals at random
// times, an interrupted start.

// TestServeSurvivesClosedLog covers `gamedex serve | head` and a log shipper that
// dies.
func TestServeSurvivesClosedLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	id, token := newKey(t, dir)
	cmd := command(t, dir, append(serveAnywhere, "--log-level", "debug")...)
	log, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	s := startCommand(t, cmd)
	log.Close()
	for range 3 { // each request is logged
		if status, body := s.get(token, "/api/v1/account/me"); status != 200 {
			t.Fatalf("status %d %s", status, body)
		}
	}
	s.stopInOrder()
	if again, body := start(t, dir).get(token, "/api/v1/account/usage"); again != 200 || !strings.Contains(body, `"used":4`) {
		t.Errorf("key %s after the restart: %d %s, want 4 used", id, again, body)
	}
}

// TestServersEndWithTheirTests checks that the servers end when a killed test
// run closes the pipe from which they read.
func TestServersEndWithTheirTests(t *testing.T) {
	t.Parallel()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	cmd := command(t, t.TempDir(), serveAnywhere...)
	cmd.ExtraFiles = []*os.File{read}
	s := startCommand(t, cmd)
	write.Close()
	await.That(t, "the server to end with its tests", s.ended)
}

// TestLostTokensAreReported checks that key create fails if it cannot print the
// token, and says which key to revoke.
func TestLostTokensAreReported(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	for _, args := range [][]string{{"key", "create", "--name", "lost"}, {"key", "create", "--name", "lost", "--json"}} {
		cmd := command(t, dir, args...)
		var stderr bytes.Buffer
		// A file that is open for reading only cannot be written to.
		readOnly, err := os.Open("testdata/feed.ndjson")
		if err != nil {
			t.Fatal(err)
		}
		cmd.Stdout, cmd.Stderr = readOnly, &stderr
		err = cmd.Run()
		readOnly.Close()
		if err == nil || !strings.Contains(withoutData(stderr.String()), "gamedex key revoke key_") {
			t.Errorf("gamedex %v: %v, said %q, want a failure that says what to do", args, err, &stderr)
		}
	}
}

// TestSignalsWhileStarting stops the program at random times during its first
// start, and checks that the next start finishes what was begun.
func TestSignalsWhileStarting(t *testing.T) {
	t.Parallel()
	chance := newCampaign(t)
	times := 2
	if fullWorld() {
		times = 12
	}
	for i := range times {
		signal := []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL}[i%2]
		after := chance.between(0, 250*time.Millisecond)
		t.Run(fmt.Sprint(signal, " after ", after), func(t *testing.T) {
			t.Parallel()
			stopAndStart(t, signal, after)
		})
	}
}

func stopAndStart(t *testing.T, signal syscall.Signal, after time.Duration) {
	dir := t.TempDir()
	cmd := command(t, dir, "serve", "--demo", "--demo-still", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0")
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-time.After(after)
	if err := cmd.Process.Signal(signal); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if signal == syscall.SIGTERM && !stoppedCleanly(err) {
		t.Errorf("stopped with %v: %s", err, &stderr)
	}
	s := start(t, dir, "--demo", "--demo-still")
	s.healthy()
	keys := must(t, dir, "", "key", "list")
	_, token := newKey(t, dir)
	_, rates := s.get(token, "/api/v1/catalog/exchange-rates")
	_, found := s.get(token, "/api/v1/catalog/search?q=witcher&platform=pcstore")
	if !strings.Contains(keys, "demo") || !strings.Contains(rates, `"UAH":`) || !strings.Contains(found, `"the-witcher-3-wild-hunt"`) {
		t.Errorf("the demo is incomplete:\n%s\n%s\n%.300s", keys, rates, found)
	}
}

// stoppedWell accepts exit status 0, and death by the signal before the program
// handles it.
func stoppedCleanly(err error) bool {
	exit, failed := err.(*exec.ExitError)
	return err == nil || failed && exit.Sys().(syscall.WaitStatus).Signaled()
}
