package main

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/porttest"
)

const guideSamples = "../../internal/dashboard/reference/samples"

// sampleLanguage is a language of the samples and the program that runs them.
type sampleLanguage struct{ file, program, usage string }

// TestGuideSamples runs the samples of the guides against the demo, with an id in it that
// has moved. The service is killed under them and comes back behind proxies with faults,
// and is restarted. Samples that try a limited number of times each have an address, at which
// a proxy listens after the first try has failed. A slow start of the service uses up no tries.
// Samples of a language that is not installed are skipped, and those of Node.js and Go, which
// take most of the CPU time, unless GAMEDEX_CLIENTS=required.
func TestGuideSamples(t *testing.T) {
	t.Parallel()
	var languages []sampleLanguage
	required := os.Getenv("GAMEDEX_CLIENTS") == "required"
	for i, l := range []sampleLanguage{{".sh", "curl", "x-ratelimit-remaining-day"}, {".py", "python3", " left today"}, {".mjs", "node", " left today"}, {".go", "go", " left today"}} {
		if i > 1 && !required {
			continue
		}
		if _, err := exec.LookPath(l.program); err == nil {
			languages = append(languages, l)
		} else if required {
			t.Fatal(err)
		} else {
			t.Log("not run: the samples that need ", l.program)
		}
	}
	addr := porttest.Addr(t)
	demo := sharedDemo.another(t, "--addr", addr)
	old, successor := moveCeleste(t, demo.dir, demo.user(t))
	ofTheDemo, another := func() string { return addr }, func() string { return porttest.Addr(t) }
	prepare := func(guide string, address func() string, wants ...string) (runs []*sampleRun) {
		for _, l := range languages {
			_, token := newKey(t, demo.dir, "--limit-minute", "1000")
			at := address()
			text := strings.NewReplacer("https://games.example", "http://"+at, "ABCD0000", old).Replace(read(t, filepath.Join(guideSamples, guide+l.file)))
			file := filepath.Join(t.TempDir(), guide+l.file)
			writeFile(t, file, text)
			want := wants
			if guide == "limits" {
				want = []string{l.usage}
			}
			r := newSampleRun(l.command(t, file), want, "GAMEDEX_KEY="+token, "POLL_SECONDS=1")
			r.service = at
			runs = append(runs, r)
		}
		return runs
	}
	begin := func(runs []*sampleRun) []*sampleRun {
		t.Helper()
		for _, r := range runs {
			r.begin(t)
		}
		return runs
	}
	for _, r := range begin(prepare("first-request", ofTheDemo, "elden ring")) {
		r.succeeds(t)
	}
	others := slices.Concat(prepare("limits", another), prepare("errors", another, "invalid_params", "minlength:2"), prepare("ids", another, successor, "elden-ring"))
	polls := begin(prepare("polling", ofTheDemo))
	pass := func(what string, runs []*sampleRun, printed func(*sampleRun) string) {
		t.Helper()
		for _, r := range runs {
			before := strings.Count(printed(r), "\n")
			await.That(t, r.name+what, func() bool { return r.ended() || strings.Count(printed(r), "\n") > before })
		}
	}
	pass(" to print prices", polls, (*sampleRun).prints)

	demo.kill()
	pass(" to miss the service", polls, (*sampleRun).warns)
	s := start(t, demo.dir)
	faults := &faultyFront{to: s.api, seen: map[string]int{}}
	faults.listen(t, addr)
	for _, r := range others {
		r.begin(t)
		await.That(t, r.name+" to miss the service", func() bool { return r.ended() || r.triesAgain() })
		faults.listen(t, r.service)
	}
	for _, r := range others {
		r.succeeds(t)
	}
	for _, r := range polls {
		await.That(t, r.name+" to see all faults", func() bool { return r.ended() || faults.passed(r.key()) })
	}
	pass(" to print prices after the faults", polls, (*sampleRun).prints)
	s.stop()
	pass(" to miss the stopped service", polls, (*sampleRun).warns)
	s = start(t, demo.dir)
	faults.move(s.api)
	pass(" to print prices after the restart", polls, (*sampleRun).prints)
	for _, r := range polls {
		if r.ended() {
			t.Errorf("%s has ended: %s%s", r.name, &r.stdout, &r.stderr)
		}
	}
}

// command returns the command that runs a sample.
func (l sampleLanguage) command(t *testing.T, file string) []string {
	t.Helper()
	switch l.file {
	case ".go":
		program := strings.TrimSuffix(file, ".go")
		tool(t, filepath.Dir(file), "go", "build", "-ldflags=-s -w", "-o", program, file)
		return []string{program}
	case ".sh":
		return []string{"sh", file}
	}
	return []string{l.program, file}
}

// moveCeleste gives the products of a console game another family, so that its id moves.
func moveCeleste(t *testing.T, dir string, u *apiUser) (old, successor string) {
	t.Helper()
	a := u.eventually("/catalog/search?q=celeste&platform=consolestore", func(a answer) bool { return a.status == 200 })
	old = a.text("data.results.0.id")
	changeListings(t, dir, "Celeste", func(listing map[string]any) { listing["family"] = "20009999" })
	a = u.eventually("/catalog/games/"+old, func(a answer) bool { return a.status == 404 })
	return old, a.text("error.details.successors.0")
}

// changeListings imports the listings of a console game again, with a change. filters choose
// some of them.
func changeListings(t *testing.T, dir, name string, change func(listing map[string]any), filters ...string) {
	t.Helper()
	var lines strings.Builder
	for line := range strings.Lines(must(t, dir, "", append([]string{"export", "--platform", "consolestore"}, filters...)...)) {
		if !strings.Contains(line, name) {
			continue
		}
		listing := decoded[map[string]any](t, line)
		if listing["invariantName"] != name {
			continue
		}
		change(listing)
		listing["observedAt"] = time.Now().UTC().Format(time.RFC3339)
		changed, err := json.Marshal(listing)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(changed, '\n'))
	}
	must(t, dir, lines.String(), "import", "-")
}

// sampleRun is a program of a reader of the guides that runs.
type sampleRun struct {
	name           string
	service        string // its address, where a test listens at it
	cmd            *exec.Cmd
	wants          []string // in lower case
	stdout, stderr await.Text
	exited         chan struct{}
}

// newSampleRun prepares a program, which runs in the folder of its last argument.
func newSampleRun(command, wants []string, environment ...string) *sampleRun {
	r := &sampleRun{name: filepath.Base(command[len(command)-1]), wants: wants, exited: make(chan struct{})}
	r.cmd = exec.Command(command[0], command[1:]...)
	r.cmd.Dir = filepath.Dir(command[len(command)-1])
	r.cmd.Env = append(append(os.Environ(), "PYTHONUNBUFFERED=1"), environment...)
	r.cmd.Stdout, r.cmd.Stderr, r.cmd.WaitDelay = &r.stdout, &r.stderr, time.Second
	r.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it has started ends with it
	return r
}

// begin starts the program. It is killed at the end of the test.
func (r *sampleRun) begin(t *testing.T) {
	t.Helper()
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { _ = r.cmd.Wait(); close(r.exited) }()
	t.Cleanup(func() { r.kill(); <-r.exited })
}

func (r *sampleRun) kill() { _ = syscall.Kill(-r.cmd.Process.Pid, syscall.SIGKILL) }

func (r *sampleRun) prints() string { return r.stdout.String() }

// warns returns what it says when it tries again, a line each time.
func (r *sampleRun) warns() string { return r.stderr.String() }

func (r *sampleRun) triesAgain() bool {
	return strings.Contains(r.warns(), "again in") || strings.Contains(r.warns(), "Will retry")
}

func (r *sampleRun) key() string {
	i := slices.IndexFunc(r.cmd.Env, func(v string) bool { return strings.HasPrefix(v, "GAMEDEX_KEY=") })
	return "Bearer " + strings.TrimPrefix(r.cmd.Env[i], "GAMEDEX_KEY=")
}

func (r *sampleRun) ended() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// succeeds waits until the program has ended, and checks what it has printed.
func (r *sampleRun) succeeds(t *testing.T) {
	t.Helper()
	await.That(t, r.name+" to end", r.ended)
	printed := strings.ToLower(r.stdout.String())
	if code := r.cmd.ProcessState.ExitCode(); code != 0 || slices.ContainsFunc(r.wants, func(want string) bool { return !strings.Contains(printed, strings.ToLower(want)) }) {
		t.Errorf("%s: status %d, prints %q, want %q in it; %s", r.name, code, &r.stdout, r.wants, &r.stderr)
	}
}

// faultyFront is a proxy before a service. The first requests of each key meet one fault each.
type faultyFront struct {
	mu   sync.Mutex
	to   string
	seen map[string]int // requests by key
}

// faultsOfAFront is the number of faults that each key meets.
const faultsOfAFront = 4

func (f *faultyFront) passed(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.seen[key] > faultsOfAFront
}

// forget lets each key meet the faults again.
func (f *faultyFront) forget() {
	f.mu.Lock()
	defer f.mu.Unlock()
	clear(f.seen)
}

func (f *faultyFront) move(to string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.to = to
}

// ServeHTTP implements http.Handler.
func (f *faultyFront) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	to, key := f.to, r.Header.Get("Authorization")
	n := f.seen[key]
	f.seen[key]++
	f.mu.Unlock()
	switch n {
	case 0:
		http.Error(w, "<h1>Bad Gateway</h1>", http.StatusBadGateway)
	case 1: // half of an answer
		w.Header().Set("Content-Length", "1000")
		io.WriteString(w, `{"ok":true,"data":{"items":[`)
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	case 2:
		w.Header().Set("Retry-After", "1")
		http.Error(w, "", http.StatusServiceUnavailable)
	case 3:
		w.Header().Set("Retry-After", time.Now().Add(2*time.Second).UTC().Format(http.TimeFormat))
		http.Error(w, "", http.StatusTooManyRequests)
	default:
		service, err := url.Parse(to)
		if err != nil {
			panic(err)
		}
		proxy := httputil.NewSingleHostReverseProxy(service)
		proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) }
		proxy.ServeHTTP(w, r)
	}
}

// listen serves the proxy at an address of porttest until the test ends.
func (f *faultyFront) listen(t *testing.T, addr string) {
	t.Helper()
	l, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewUnstartedServer(f)
	front.Listener.Close()
	front.Listener = l
	front.Start()
	t.Cleanup(front.Close)
}
