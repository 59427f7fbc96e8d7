package enginetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"testing"

	"gamedex/internal/testing/porttest"
)

// HAProxy is a load balancer.
type HAProxy struct {
	*Process
	Addr string
}

// NewHAProxy starts a load balancer until the test ends. Its configuration, of which
// config returns the text, lets it listen on an address. See [Need] for what happens
// where it is missing.
func NewHAProxy(t testing.TB, config func(addr string) string) *HAProxy {
	t.Helper()
	Need(t, "haproxy")
	return forTest(t, "", func(dir string) (*HAProxy, error) { return startHAProxy(dir, config) })
}

func startHAProxy(dir string, config func(addr string) string) (*HAProxy, error) {
	program, err := Find("haproxy")
	if err != nil {
		return nil, err
	}
	port, err := porttest.Reserve()
	if err != nil {
		return nil, err
	}
	h := &HAProxy{Addr: fmt.Sprint("127.0.0.1:", port)}
	file := filepath.Join(dir, "haproxy.cfg")
	if err := os.WriteFile(file, []byte(config(h.Addr)), 0o644); err != nil {
		return nil, err
	}
	if h.Process, err = Start(dir, Command{Program: program, Args: []string{"-db", "-f", file}}); err != nil {
		return nil, err
	}
	err = h.Await(func(ctx context.Context) error {
		var d net.Dialer
		conn, err := d.DialContext(ctx, "tcp", h.Addr)
		if err != nil {
			return err
		}
		return conn.Close()
	})
	if err != nil {
		return nil, errors.Join(err, h.Stop())
	}
	return h, nil
}
