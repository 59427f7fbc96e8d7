package main

import (
	"net"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

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
