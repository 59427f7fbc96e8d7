package instead

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"path/filepath"

	"github.com/valkey-io/valkey-go"

	"gamedex/bench/lab"
	"gamedex/bench/plain"
)

// documents is Redis with one ready document for each game.
type documents struct {
	client valkey.Client
	out    []byte
}

func startRedis(ctx context.Context, l *lab.Lab, items []plain.Item) (side, error) {
	program, err := l.Tool(ctx, "redis-server", "--version")
	if err != nil {
		return nil, err
	}
	socket, err := filepath.Abs(filepath.Join(l.Dir, "redis.sock"))
	if err != nil {
		return nil, err
	}
	p, err := l.Start("redis", exec.Command(program, "--port", "0", "--unixsocket", socket, "--save", "", "--appendonly", "no", "--dir", l.Dir))
	if err != nil {
		return nil, err
	}
	ready := func() bool {
		c, err := net.Dial("unix", socket)
		if err == nil {
			c.Close()
		}
		return err == nil
	}
	if err := p.Await(ctx, ready); err != nil {
		return nil, err
	}
	client, err := valkey.NewClient(valkey.ClientOption{
		InitAddress: []string{socket}, DisableCache: true, ForceSingleClient: true,
		DialCtxFn: func(ctx context.Context, _ string, d *net.Dialer, _ *tls.Config) (net.Conn, error) {
			return d.DialContext(ctx, "unix", socket)
		},
	})
	if err != nil {
		return nil, err
	}
	l.AtEnd(func() error { client.Close(); return nil })
	return &documents{client: client}, fill(ctx, client, items)
}

func fill(ctx context.Context, client valkey.Client, items []plain.Item) error {
	for _, item := range items {
		text, err := json.Marshal(item)
		if err != nil {
			return err
		}
		if err := client.Do(ctx, client.B().Set().Key(item.ID).Value(string(text)).Build()).Error(); err != nil {
			return err
		}
	}
	return nil
}

func (d *documents) items(ctx context.Context, ids []string) ([]byte, error) {
	list, err := d.client.Do(ctx, d.client.B().Mget().Key(ids...).Build()).ToArray()
	if err != nil {
		return nil, err
	}
	d.out = append(d.out[:0], '[')
	for i := range list {
		text, err := list[i].ToString()
		if err != nil {
			return nil, fmt.Errorf("document %s: %w", ids[i], err)
		}
		if i > 0 {
			d.out = append(d.out, ',')
		}
		d.out = append(d.out, text...)
	}
	return append(d.out, ']'), nil
}
