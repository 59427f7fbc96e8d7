package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is the real program, built once for all black-box tests.
var binary = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "gamedex-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "gamedex")
	out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("build gamedex: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	status := m.Run()
	shared.close()
	if path, err := binary(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.Exit(status)
}

// command prepares one run of the program in a data folder.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(path, append([]string{"--data-dir", dir}, args...)...)
	// No test reaches out of this machine.
	cmd.Env = append(os.Environ(), "GAMEDEX_LOG_LEVEL=warn", "GAMEDEX_RATES=off")
	return cmd
}

// result is what a finished command said.
type result struct {
	stdout, stderr string
	status         int
}

// run runs a command to its end, with stdin if it is not empty.
func run(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	cmd := command(t, dir, args...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &stdout, &stderr
	if err := cmd.Start(); err != nil {
		t.Fatalf("run gamedex %v: %v", args, err)
	}
	tooLong := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	defer tooLong.Stop()
	err := cmd.Wait()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatalf("run gamedex %v: %v", args, err)
	}
	return result{stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()}
}

// must runs a command that has to succeed and returns its standard output.
func must(t *testing.T, dir, stdin string, args ...string) string {
	t.Helper()
	r := run(t, dir, stdin, args...)
	if r.status != 0 {
		t.Fatalf("gamedex %v: status %d\n%s%s", args, r.status, r.stdout, r.stderr)
	}
	return r.stdout
}

// createKey makes a key and returns its id and token.
func newKey(t *testing.T, dir string, args ...string) (id, token string) {
	t.Helper()
	var made struct{ KeyID, Key string }
	out := must(t, dir, "", append([]string{"key", "create", "--json", "--name", "test"}, args...)...)
	if err := json.Unmarshal([]byte(out), &made); err != nil {
		t.Fatalf("key create printed %q: %v", out, err)
	}
	return made.KeyID, made.Key
}

// server is a running `gamedex serve`.
type server struct {
	t      *testing.T
	cmd    *exec.Cmd
	api    string // http://127.0.0.1:PORT
	ops    string
	stderr *lockedBuffer
	stdout *lockedBuffer
	exited chan struct{}
}

// start starts the service on free ports and waits until it listens. It is
// killed at the end of the test.
func start(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	s, err := launch(t, dir, args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

// launch is start for whoever ends the service himself.
func launch(t *testing.T, dir string, args ...string) (*server, error) {
	t.Helper()
	cmd := command(t, dir, append([]string{"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"}, args...)...)
	s := &server{t: t, cmd: cmd, stderr: &lockedBuffer{}, stdout: &lockedBuffer{}, exited: make(chan struct{})}
	cmd.Stderr = s.stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	addresses := make(chan [2]string, 1)
	go s.follow(pipe, addresses)
	select {
	case found := <-addresses:
		s.api, s.ops = found[0], found[1]
		return s, nil
	case <-s.exited:
		return nil, fmt.Errorf("serve ended at once: %s", s.stderr)
	case <-time.After(30 * time.Second):
		s.kill()
		return nil, fmt.Errorf("serve does not listen: %s", s.stderr)
	}
}

// follow reads the output to its end, then waits for the process.
func (s *server) follow(pipe io.Reader, addresses chan<- [2]string) {
	var found [2]string
	lines := bufio.NewScanner(pipe)
	for lines.Scan() {
		fmt.Fprintln(s.stdout, lines.Text())
		if v, ok := strings.CutPrefix(lines.Text(), "API"); ok {
			found[0] = strings.TrimSuffix(strings.TrimSpace(v), "/api/v1")
		}
		if v, ok := strings.CutPrefix(lines.Text(), "operations"); ok {
			found[1] = strings.TrimSpace(v)
			addresses <- found
		}
	}
	s.cmd.Wait()
	close(s.exited)
}

// kill ends the process as a power cut would.
func (s *server) kill() {
	s.cmd.Process.Kill()
	<-s.exited
}

// stop asks the process to end and returns its exit status.
func (s *server) stop() int {
	s.t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		s.t.Fatal(err)
	}
	select {
	case <-s.exited:
	case <-time.After(30 * time.Second):
		s.t.Fatal("serve does not stop")
	}
	return s.cmd.ProcessState.ExitCode()
}

// get asks the API with a key ("" for none) and returns status and body.
func (s *server) get(token, path string) (int, string) {
	s.t.Helper()
	req, err := http.NewRequest("GET", s.api+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

// waitFor asks until the answer satisfies ok, for ten seconds at most.
func (s *server) waitFor(token, path string, ok func(status int, body string) bool) string {
	s.t.Helper()
	var status int
	var body string
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if status, body = s.get(token, path); ok(status, body) {
			return body
		}
	}
	s.t.Fatalf("GET %s: not in ten seconds; last answer %d %s\n%s", path, status, body, s.stderr)
	return ""
}

// lockedBuffer collects output that another goroutine reads.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *lockedBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
