package sqlite

import (
	"context"
	"database/sql"
)

// CreateVersion makes a database with the schema of a version, and runs text in
// it.
func CreateVersion(ctx context.Context, path string, version int64, text string) error {
	if err := create(ctx, path); err != nil {
		return err
	}
	return withPool(path, readWrite, false, func(pool *sql.DB) error {
		provider, err := newProvider(pool)
		if err != nil {
			return err
		}
		if _, err := provider.UpTo(ctx, version); err != nil {
			return err
		}
		_, err = pool.ExecContext(ctx, text)
		return err
	})
}
