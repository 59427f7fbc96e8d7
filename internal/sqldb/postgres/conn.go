package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5"
)

// conn is a transaction that writes.
type conn struct {
	querier
	tx pgx.Tx
}

// Exec runs a statement and returns how many rows it changed.
func (c *conn) Exec(ctx context.Context, text string, args ...any) (changed int64, err error) {
	if emptyList(args) {
		return 0, nil
	}
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	tag, err := c.tx.Exec(ctx, lookUpKeys(text, args), c.arguments(args)...)
	return tag.RowsAffected(), err
}

// Lock takes advisory locks that end with the transaction.
func (c *conn) Lock(ctx context.Context, names ...string) error {
	keys := make([]int64, len(names))
	for i, name := range names {
		keys[i] = lockKey(name)
	}
	slices.Sort(keys)
	_, err := c.tx.Exec(ctx, "SELECT pg_advisory_xact_lock(key) FROM unnest($1::int8[]) AS key", c.arguments([]any{slices.Compact(keys)})...)
	return err
}

// lockKey returns the number of a lock. Two names with the same number would only
// wait for each other.
func lockKey(name string) int64 {
	sum := sha256.Sum256([]byte("gamedex " + name))
	return int64(binary.BigEndian.Uint64(sum[:8]))
}

// Now returns the time of the server's clock in Unix milliseconds.
func (c *conn) Now(ctx context.Context) (millis int64, err error) {
	err = c.tx.QueryRow(ctx, "SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::int8").Scan(&millis)
	return millis, err
}
