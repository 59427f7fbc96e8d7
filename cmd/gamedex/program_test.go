package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// asProgram makes a process of this test binary run as the program.
const asProgram = "GAMEDEX_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		go exitWithTheTests()
		main()
	}
	var err error
	if lifeline.read, lifeline.write, err = os.Pipe(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(statusFailed)
	}
	if onServers() {
		os.Setenv("AWS_ACCESS_KEY_ID", enginetest.S3AccessKey)
		os.Setenv("AWS_SECRET_ACCESS_KEY", enginetest.S3SecretKey)
	}
	status := m.Run()
	shared.close()
	sharedDemo.close()
	os.Exit(status)
}

// lifeline is a pipe from which every started program reads. Nothing is written
// to it. It closes when this process ends for any reason.
var lifeline struct{ read, write *os.File }

// exitWithTheTests ends the program when the test process is gone: a run that
// is killed or times out leaves no server behind.
func exitWithTheTests() {
	_, _ = os.NewFile(3, "lifeline").Read(make([]byte, 1)) // the first of ExtraFiles
	os.Exit(statusFailed)
}

// command prepares one run of the program in a data folder.
func command(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	private(t, dir)
	cmd := exec.Command(path, append([]string{"--data-dir", dir}, args...)...)
	cmd.Args[0] = "gamedex" // in hints
	cmd.ExtraFiles = []*os.File{lifeline.read}
	// No test reaches out of this machine, and none has a load balancer to wait for.
	cmd.Env = append(os.Environ(), asProgram+"=1", "GAMEDEX_LOG_LEVEL=warn", "GAMEDEX_RATES=off", "GAMEDEX_DRAIN=0s")
	cmd.Env = append(cmd.Env, enginesOf(t, dir).environment(t)...)
	return cmd
}

// private makes a folder of the tests private, which the program would do and say.
func private(t *testing.T, dir string) {
	t.Helper()
	if err := os.Chmod(dir, 0o700); err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
}

// result is the output and exit status of a finished command.
type result struct {
	stdout, stderr string
	status         int
}

// run runs a command to its end, with stdin if it is not empty. It runs inside the test, but as a
// process if it serves, or if its snapshots are in an S3 service.
func run(t *testing.T, dir, stdin string, args ...string) result {
	t.Helper()
	return runWhile(t, await.Nothing, dir, stdin, args...)
}

// runWhile is run for a command that may print nothing for long while progress
// shows that it works.
func runWhile(t *testing.T, progress func() any, dir, stdin string, args ...string) result {
	t.Helper()
	in := &countingReader{Reader: strings.NewReader(stdin)}
	var stdout, stderr await.Text
	begin := beginInside
	inS3 := enginesOf(t, dir).bucket != "" || slices.ContainsFunc(args, func(arg string) bool { return strings.Contains(arg, "s3://") })
	if inS3 || slices.Contains(args, "serve") {
		begin = beginProcess
	}
	end, ended := begin(t, dir, in, &stdout, &stderr, args)
	defer end()
	status := 0
	if !await.Progress(func() bool {
		select {
		case status = <-ended:
			return true
		default:
			return false
		}
	}, func() any { return [...]any{in.read.Load(), len(stdout.String()), len(stderr.String()), progress()} }) {
		t.Fatalf("gamedex %v: nothing has moved for %v:\n%s%s", args, await.Patience, &stdout, &stderr)
	}
	return result{stdout.String(), stderr.String(), status}
}

// beginInside begins a command inside the test, which takes half the time of a process.
func beginInside(t *testing.T, dir string, stdin io.Reader, stdout, stderr io.Writer, args []string) (end func(), ended chan int) {
	t.Helper()
	private(t, dir)
	type exit int
	p := &program{Stdin: stdin, Stdout: stdout, Stderr: stderr, Now: time.Now, Exit: func(status int) { panic(exit(status)) }}
	ctx, end := context.WithCancel(context.Background())
	ended = make(chan int, 1)
	line := append(databaseFlags(t, dir), args...)
	go func() {
		defer func() {
			switch stopped := recover().(type) {
			case nil:
			case exit:
				ended <- int(stopped)
			default:
				panic(stopped)
			}
		}()
		ended <- p.run(ctx, line)
	}()
	return end, ended
}

// beginProcess begins a command as a process.
func beginProcess(t *testing.T, dir string, stdin io.Reader, stdout, stderr io.Writer, args []string) (end func(), ended chan int) {
	t.Helper()
	cmd := command(t, dir, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, stdout, stderr
	if err := cmd.Start(); err != nil {
		t.Fatalf("run gamedex %v: %v", args, err)
	}
	ended = make(chan int, 1)
	go func() { cmd.Wait(); ended <- cmd.ProcessState.ExitCode() }()
	return func() { cmd.Process.Kill() }, ended
}

// countingReader counts the bytes that were read.
type countingReader struct {
	io.Reader
	read atomic.Int64
}

// Read implements io.Reader.
func (r *countingReader) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.read.Add(int64(n))
	return n, err
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

// newKey creates a key and returns its id and token.
func newKey(t *testing.T, dir string, args ...string) (id, token string) {
	t.Helper()
	return printedKey(t, must(t, dir, "", append([]string{"key", "create", "--json", "--name", "test"}, args...)...))
}

// printedKey returns what key create has printed.
func printedKey(t *testing.T, out string) (id, token string) {
	t.Helper()
	made := decoded[struct{ KeyID, Key string }](t, out)
	return made.KeyID, made.Key
}

// server is a running `gamedex serve`.
type server struct {
	t         *testing.T
	process   *os.Process  // nil: it runs inside the test
	interrupt func() error // stops it
	api       string       // http://127.0.0.1:PORT
	ops       string
	stderr    *await.Text
	stdout    *await.Text
	exited    chan struct{}
	status    int // once it has exited
}

// start starts the service on free ports and waits until it listens. It is
// killed at the end of the test.
func start(t *testing.T, dir string, args ...string) *server {
	t.Helper()
	return startCommand(t, command(t, dir, append(serveAnywhere, args...)...))
}

// startCommand is start for a prepared command. The server has its standard output,
// and its standard error if the command does not redirect that.
func startCommand(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s, err := launchCommand(t, cmd)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
	return s
}

// launch is start for a test that ends the service itself.
func launch(t *testing.T, dir string, args ...string) (*server, error) {
	t.Helper()
	return launchCommand(t, command(t, dir, append(serveAnywhere, args...)...))
}

func launchCommand(t *testing.T, cmd *exec.Cmd) (*server, error) {
	t.Helper()
	s := newServer(t)
	cmd.Stdout = s.stdout
	if cmd.Stderr == nil {
		cmd.Stderr = s.stderr
	}
	if err := s.begin(cmd); err != nil {
		return nil, err
	}
	if err := s.listens(); err != nil {
		s.kill()
		return nil, err
	}
	return s, nil
}

// begin starts the service as a process.
func (s *server) begin(cmd *exec.Cmd) error {
	if err := cmd.Start(); err != nil {
		return err
	}
	s.process = cmd.Process
	s.interrupt = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	go func() {
		cmd.Wait()
		s.status = cmd.ProcessState.ExitCode()
		close(s.exited)
	}()
	return nil
}

// serveAnywhere starts the service on free ports.
var serveAnywhere = []string{"serve", "--addr", "127.0.0.1:0", "--ops-addr", "127.0.0.1:0"}

func newServer(t *testing.T) *server {
	return &server{t: t, stdout: &await.Text{}, stderr: &await.Text{}, exited: make(chan struct{})}
}

var printedAddress = regexp.MustCompile(`(?m)^(API|operations) +(\S+?)(?:/api/v1)?\n`)

// listens waits until the service has printed its addresses.
func (s *server) listens() error {
	if !await.Progress(func() bool {
		for _, found := range printedAddress.FindAllStringSubmatch(s.stdout.String(), -1) {
			if found[1] == "API" {
				s.api = found[2]
			} else {
				s.ops = found[2]
			}
		}
		return s.ops != "" || s.ended()
	}, func() any { return len(s.stdout.String()) + len(s.stderr.String()) }) {
		return fmt.Errorf("serve does not listen: %s", s.stderr)
	}
	if s.ops == "" {
		return fmt.Errorf("serve ended at once: %s", s.stderr)
	}
	return nil
}

// prints waits until the service prints what a pattern matches.
func (s *server) prints(pattern string) []string {
	s.t.Helper()
	return s.writes(s.stdout, pattern)
}

// logs waits until the service logs a text.
func (s *server) logs(text string) {
	s.t.Helper()
	s.writes(s.stderr, regexp.QuoteMeta(text))
}

func (s *server) writes(out *await.Text, pattern string) []string {
	s.t.Helper()
	re := regexp.MustCompile(pattern)
	var found []string
	if !await.Progress(func() bool { found = re.FindStringSubmatch(out.String()); return found != nil }, func() any { return len(out.String()) }) {
		s.t.Fatalf("serve never wrote %s:\n%s\n%s", pattern, s.stdout, s.stderr)
	}
	return found
}

// ended reports whether the service has exited.
func (s *server) ended() bool {
	select {
	case <-s.exited:
		return true
	default:
		return false
	}
}

// kill ends the process without warning, like a power cut.
func (s *server) kill() {
	s.process.Kill()
	<-s.exited
}

// stop stops the service and returns its exit status.
func (s *server) stop() int {
	s.t.Helper()
	if err := s.interrupt(); err != nil {
		s.t.Fatal(err)
	}
	return s.exit()
}

// stopInOrder stops the service, which has to end with status 0.
func (s *server) stopInOrder() {
	s.t.Helper()
	if status := s.stop(); status != 0 {
		s.t.Errorf("serve ends with %d: %s", status, s.stderr)
	}
}

// exit waits until the service has exited and returns its exit status.
func (s *server) exit() int {
	s.t.Helper()
	await.That(s.t, "serve to stop", s.ended)
	return s.status
}

// get sends a GET with a key ("" for none) and returns status and body.
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
	text := bodyOf(s.t, res, err)
	return res.StatusCode, text
}

// waitFor repeats a request until the answer satisfies ok.
func (s *server) waitFor(token, path string, ok func(status int, body string) bool) string {
	s.t.Helper()
	var status int
	var body string
	if !await.Progress(func() bool {
		status, body = s.get(token, path)
		return ok(status, body)
	}, func() any { return status }) {
		s.t.Fatalf("GET %s: last answer %d %.2000s\n%s", path, status, body, s.stderr)
	}
	return body
}
