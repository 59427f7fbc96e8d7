package harness

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/testing/enginetest"
)

// Redis is a Redis server that writes nothing to disk, with a client on a Unix
// socket. The client pipelines concurrent commands.
type Redis struct {
	*enginetest.Redis
	Client valkey.Client
}

// Redis starts a Redis server.
func (r *Run) Redis(ctx context.Context) (*Redis, error) {
	s, err := enginetest.StartRedis("", "--unixsocket", "redis.sock")
	if err != nil {
		return nil, fmt.Errorf("start Redis: %w", err)
	}
	r.AtEnd(s.Close)
	r.addVersion(ctx, s.Program, "--version")
	socket := filepath.Join(s.Dir, "redis.sock")
	client, err := valkey.NewClient(valkey.ClientOption{
		InitAddress: []string{socket}, DisableCache: true, ForceSingleClient: true,
		DialCtxFn: func(ctx context.Context, _ string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return d.DialContext(ctx, "unix", socket)
		},
	})
	if err != nil {
		return nil, fmt.Errorf("connect to Redis: %w", err)
	}
	r.AtEnd(func() error { client.Close(); return nil })
	return &Redis{s, client}, nil
}
