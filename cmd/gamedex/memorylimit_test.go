package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// TestMemoryLimit runs the service in a container's limit of 256 MiB, with many slow readers of
// many users, and others that request as much as they can. The service must survive, and answer
// other users.
func TestMemoryLimit(t *testing.T) {
	procs := memoryGroup(t, 256<<20)
	t.Parallel()
	dir, token, k := largeStock(t)
	s := startCommand(t, enter(procs, command(t, dir, append(serveAnywhere, "--log-level", "info")...)))
	s.waitForVersion(token, k, 0)
	var tokens []string
	for range 12 {
		_, other := newKey(t, dir, unlimited...)
		tokens = append(tokens, other)
	}
	times := 2
	if fullWorld() {
		times = 5
	}
	for _, readers := range []int{100, 300} {
		conns, refused := startSlowReaders(t, s, largeRequest(tokens...), readers)
		answered := s.requestAtOnce(token, 20, times)
		c := clients(t)
		for range 20 {
			if status := s.ask(c, tokens[0], "GET", "/api/v1/catalog/search?q=game&limit=5", ""); status != http.StatusOK {
				t.Errorf("beside %d slow readers, another user's search: status %d", readers, status)
			}
		}
		t.Logf("%d slow readers, %d refused; bulk answers by status: %v; peak %d MiB", readers, refused, answered, peakMemory(t, s)>>20)
		if answered[http.StatusOK] == 0 {
			t.Error("no bulk request was answered")
		}
		for _, conn := range conns {
			conn.Close()
		}
	}
	s.stopInOrder()
	if chosen := regexp.MustCompile(`memory is limited.*`).FindString(s.stderr.String()); !strings.Contains(chosen, "limit=256MiB") {
		t.Errorf("the log does not say what was chosen: %q", s.stderr)
	}
}

// TestMemoryLimitOfOperators checks that what an operator sets has precedence over the control group.
func TestMemoryLimitOfOperators(t *testing.T) {
	procs := memoryGroup(t, 100<<20)
	t.Parallel()
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	cmd := enter(procs, command(t, dir, append(serveAnywhere, "--log-level", "info", "--answer-cache", "3")...))
	cmd.Env = append(cmd.Env, "GOMEMLIMIT=80MiB")
	s := startCommand(t, cmd)
	s.stop()
	for _, want := range []string{"limit=100MiB go=80MiB answers=20MiB answer_cache=3MiB\n", "so low that the process may be killed"} {
		if !strings.Contains(s.stderr.String(), want) {
			t.Errorf("no %q in the log: %s", want, s.stderr)
		}
	}
}

// enter makes a command run in a control group.
func enter(procs string, cmd *exec.Cmd) *exec.Cmd {
	cmd.Args = append([]string{"sh", "-c", `echo $$ >"$0" && exec "$@"`, procs, cmd.Path}, cmd.Args[1:]...)
	cmd.Path = "/bin/sh"
	return cmd
}

// requestAtOnce sends a large bulk request on each of several connections at once, times times,
// and counts the answers by status.
func (s *server) requestAtOnce(token string, connections, times int) map[int]int {
	s.t.Helper()
	var mu sync.Mutex
	answered := map[int]int{}
	var all sync.WaitGroup
	for range connections {
		c := clients(s.t)
		all.Go(func() {
			for range times {
				r, err := s.try(c, http.MethodPost, token, "/api/v1/catalog/prices", bulkBody(newStock(1000).slugs(1)))
				if err != nil || r.status != http.StatusOK && (r.status != http.StatusServiceUnavailable || r.header.Get("Retry-After") == "") {
					s.t.Errorf("a bulk request: status %d, %v", r.status, err)
				}
				mu.Lock()
				answered[r.status]++
				mu.Unlock()
			}
		})
	}
	all.Wait()
	return answered
}

// memoryGroup makes a control group with a limit of memory, and returns the file to which a
// process writes its id to enter it. Where GAMEDEX_MACHINE is "required", root cannot do without.
func memoryGroup(t *testing.T, limit int) (procs string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("not run: only root can limit the memory of a process")
	}
	for root, file := range map[string]string{"/sys/fs/cgroup": "memory.max", "/sys/fs/cgroup/memory": "memory.limit_in_bytes"} {
		group, err := os.MkdirTemp(root, "gamedex-test-")
		if err != nil {
			continue
		}
		t.Cleanup(func() { _ = exec.Command("rmdir", group).Run() })
		f, err := os.OpenFile(filepath.Join(group, file), os.O_WRONLY, 0)
		if err != nil {
			continue
		}
		_, err = f.WriteString(strconv.Itoa(limit))
		if f.Close() == nil && err == nil {
			return filepath.Join(group, "cgroup.procs")
		}
	}
	const missing = "not run: there is no control group in which the memory of a process can be limited"
	if os.Getenv("GAMEDEX_MACHINE") == "required" {
		t.Fatal(missing)
	}
	t.Skip(missing)
	return ""
}
