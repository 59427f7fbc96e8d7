package enginetest

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// WebProxy is a proxy for HTTP: HAProxy, nginx or Caddy.
type WebProxy struct {
	*Process
	Addr string
}

// webProxyArgs run a proxy in the foreground with the configuration in a file.
var webProxyArgs = map[string][]string{
	"haproxy": {"-db", "-f"},
	"nginx":   {"-e", "stderr", "-g", "daemon off;", "-c"},
	"caddy":   {"run", "--adapter", "caddyfile", "--config"},
}

// NewWebProxy starts haproxy, nginx or caddy until the test ends. Its configuration, of which
// config returns the text, lets it listen on an address; it may write into a folder. See [Need]
// for what happens where the program is missing.
func NewWebProxy(t testing.TB, program string, config func(addr, dir string) string) *WebProxy {
	t.Helper()
	Need(t, program)
	return forTest(t, "", func(dir string) (*WebProxy, error) { return startWebProxy(program, dir, config) })
}

func startWebProxy(name, dir string, config func(addr, dir string) string) (*WebProxy, error) {
	program, port, err := findWithPort(name)
	if err != nil {
		return nil, err
	}
	h := &WebProxy{Addr: fmt.Sprint("127.0.0.1:", port)}
	file := filepath.Join(dir, "config")
	if err := os.WriteFile(file, []byte(config(h.Addr, dir)), 0o644); err != nil {
		return nil, err
	}
	args := append(slices.Clone(webProxyArgs[name]), file)
	h.Process, err = startReady(dir, Command{Program: program, Args: args}, func(ctx context.Context) error {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", h.Addr)
		if err != nil {
			return err
		}
		return conn.Close()
	})
	return h, err
}
