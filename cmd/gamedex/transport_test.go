package main

import (
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

// limitHeaders are the six of the specification.
var limitHeaders = []string{
	"X-RateLimit-Limit-Minute", "X-RateLimit-Remaining-Minute", "X-RateLimit-Reset-Minute",
	"X-RateLimit-Limit-Day", "X-RateLimit-Remaining-Day", "X-RateLimit-Reset-Day",
}

func (a answer) hasLimits() answer {
	a.t.Helper()
	for _, name := range limitHeaders {
		if a.header.Get(name) == "" {
			a.t.Errorf("%s: %d lacks %s", a.request, a.status, name)
		}
	}
	return a
}

// TestPathsOutsideTheVersion opens paths of the API that have no version or another one: programs
// call them, so they get the error envelope and no page.
func TestPathsOutsideTheVersion(t *testing.T) {
	s := shared.open(t)
	const want = `{"ok":false,"error":{"code":"NOT_FOUND",`
	for _, method := range []string{"GET", "POST"} {
		for _, path := range []string{"/api", "/api/", "/api/health", "/api/v2/health", "/api/v1health", "/api//v1/health"} {
			res, body := fetch(t, method, s.api+path)
			if res.StatusCode != 404 || res.Header.Get("Content-Type") != "application/json; charset=utf-8" || !strings.HasPrefix(body, want) {
				t.Errorf("%s %s: %d %q %.100s", method, path, res.StatusCode, res.Header.Get("Content-Type"), body)
			}
		}
	}
}

func TestCORSOriginIsOptIn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := start(t, dir, "--cors-origin", "https://app.example")
	_, token := newKey(t, dir)
	a := newUser(t, s.api, token).get("/account/me").want(200).in("Access-Control-Allow-Origin", "https://app.example")
	for _, name := range append([]string{"ETag", "X-Request-Id", "Retry-After"}, limitHeaders...) {
		if !strings.Contains(a.header.Get("Access-Control-Expose-Headers"), name) {
			t.Errorf("a page cannot read %s", name)
		}
	}
}

// TestIdleConnectionsLeaveRoom starts the service with few file descriptors and
// opens more connections than that: other clients and the operators are answered.
func TestIdleConnectionsLeaveRoom(t *testing.T) {
	t.Parallel()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	from := copyOfShared(t)
	cmd := command(t, from.dir, serveAnywhere...)
	cmd.Args = append([]string{shell, "-c", `ulimit -n 400; exec "$@"`, "sh", cmd.Path}, cmd.Args[1:]...)
	cmd.Path = shell
	s := startCommand(t, cmd)
	for range 500 {
		s.dial()
	}
	elsewhere := &http.Client{Timeout: await.Patience, Transport: &http.Transport{
		DialContext: (&net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 0, 0, 2)}}).DialContext,
	}}
	for range 20 {
		res, err := elsewhere.Get(s.api + "/api/v1/health")
		if err != nil {
			t.Fatal(err)
		}
		res.Body.Close()
		elsewhere.CloseIdleConnections()
	}
	s.readyzSays("ready", "")
	if strings.Contains(s.stderr.String(), "too many open files") {
		t.Errorf("the connections take all files:\n%s", s.stderr)
	}
	s.stopInOrder()
}
