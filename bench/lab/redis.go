package lab

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

// Redis is a server that keeps nothing on disk, and a client of it over a Unix
// socket. The client puts what callers send at the same time into one write.
type Redis struct {
	*Process
	Client valkey.Client
}

// Redis starts a server of its own.
func (l *Lab) Redis(ctx context.Context) (*Redis, error) {
	program, err := l.Tool(ctx, "redis-server", "--version")
	if err != nil {
		return nil, err
	}
	// A socket's path may have about a hundred bytes: not every work folder fits.
	dir, err := os.MkdirTemp("", "bench-redis-")
	if err != nil {
		return nil, fmt.Errorf("start redis: %w", err)
	}
	l.AtEnd(func() error { return os.RemoveAll(dir) })
	socket := filepath.Join(dir, "redis.sock")
	p, err := l.Start("redis", exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", dir))
	if err != nil {
		return nil, err
	}
	dial := func(ctx context.Context, _ string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
		return d.DialContext(ctx, "unix", socket)
	}
	if err := p.Await(ctx, func() bool { return accepts("unix", socket) }); err != nil {
		return nil, err
	}
	client, err := valkey.NewClient(valkey.ClientOption{
		InitAddress: []string{socket}, DialCtxFn: dial, DisableCache: true, ForceSingleClient: true,
	})
	if err != nil {
		return nil, fmt.Errorf("connect to redis: %w", err)
	}
	l.AtEnd(func() error { client.Close(); return nil })
	return &Redis{p, client}, nil
}
