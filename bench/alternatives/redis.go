package alternatives

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/valkey-io/valkey-go"

	"gamedex/bench/harness"
)

// RedisDocuments is Redis with a ready JSON document for each card.
type RedisDocuments struct {
	client valkey.Client
	out    []byte
}

// StartRedis starts Redis and stores the items.
func StartRedis(ctx context.Context, r *harness.Run, items []Item) (BulkPrices, error) {
	server, err := r.Redis(ctx)
	if err != nil {
		return nil, err
	}
	client := server.Client
	for batch := range slices.Chunk(items, 1000) {
		var sets valkey.Commands
		for i := range batch {
			text, err := json.Marshal(batch[i])
			if err != nil {
				return nil, err
			}
			sets = append(sets, client.B().Set().Key(batch[i].ID).Value(string(text)).Build())
		}
		for _, result := range client.DoMulti(ctx, sets...) {
			if err := result.Error(); err != nil {
				return nil, err
			}
		}
	}
	return &RedisDocuments{client: client}, nil
}

// Items implements [BulkPrices].
func (d *RedisDocuments) Items(ctx context.Context, ids []string) ([]byte, error) {
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
