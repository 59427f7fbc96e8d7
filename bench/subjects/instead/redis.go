package instead

import (
	"context"
	"encoding/json"
	"fmt"

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
	server, err := l.Redis(ctx)
	if err != nil {
		return nil, err
	}
	return &documents{client: server.Client}, fill(ctx, server.Client, items)
}

// fill sends documents a thousand at a time.
func fill(ctx context.Context, client valkey.Client, items []plain.Item) error {
	for len(items) > 0 {
		n := min(len(items), 1000)
		var sets valkey.Commands
		for i := range items[:n] {
			text, err := json.Marshal(items[i])
			if err != nil {
				return err
			}
			sets = append(sets, client.B().Set().Key(items[i].ID).Value(string(text)).Build())
		}
		for _, said := range client.DoMulti(ctx, sets...) {
			if err := said.Error(); err != nil {
				return err
			}
		}
		items = items[n:]
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
