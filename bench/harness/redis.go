package harness

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/valkey-io/valkey-go"
)

// Redis is a Redis server that writes nothing to disk, with a client on a Unix
// socket. The client pipelines concurrent commands.
type Redis struct {
	*Process
	Addr   string // for clients over TCP
	Client valkey.Client
}

// Redis starts a Redis server.
func (r *Run) Redis(ctx context.Context) (*Redis, error) {
	program, err := r.Tool(ctx, "redis-server", "--version")
	if err != nil {
		return nil, err
	}
	// A socket's path may have about a hundred bytes, too few for some work folders.
	dir, err := os.MkdirTemp("", "bench-redis-")
	if err != nil {
		return nil, fmt.Errorf("start redis: %w", err)
	}
	r.AtEnd(func() error { return os.RemoveAll(dir) })
	socket := filepath.Join(dir, "redis.sock")
	addr, err := FreePort()
	if err != nil {
		return nil, err
	}
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	p, err := r.Start("redis", exec.Command(program, "--bind", "127.0.0.1", "--port", port, "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir))
	if err != nil {
		return nil, err
	}
	if err := p.Await(ctx, StartTimeout, func() bool { return accepts("unix", socket) }); err != nil {
		return nil, err
	}
	client, err := valkey.NewClient(valkey.ClientOption{
		InitAddress: []string{socket}, DisableCache: true, ForceSingleClient: true,
		DialCtxFn: func(ctx context.Context, _ string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return d.DialContext(ctx, "unix", socket)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("connect to redis: %w", err)
	}
	r.AtEnd(func() error { client.Close(); return nil })
	return &Redis{p, addr, client}, nil
}
