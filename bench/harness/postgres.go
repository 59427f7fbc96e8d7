package harness

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/jackc/pgx/v5"

	"gamedex/internal/testing/enginetest"
)

// Postgres is a PostgreSQL server. Its files are in the run's folder.
type Postgres struct{ *enginetest.Postgres }

// Postgres starts a PostgreSQL server with the settings of one that has a machine for
// itself, and with further settings such as "fsync=off".
func (r *Run) Postgres(ctx context.Context, settings ...string) (Postgres, error) {
	s, err := enginetest.StartPostgres(r.Dir, append([]string{"shared_buffers=2GB", "effective_cache_size=2GB", "random_page_cost=1.1", "jit=off",
		"fsync=on", "full_page_writes=on", "dynamic_shared_memory_type=posix"}, settings...)...)
	if err != nil {
		return Postgres{}, fmt.Errorf("start PostgreSQL in %s: %w", r.Dir, err)
	}
	r.AtEnd(s.Close)
	r.addVersion(ctx, s.Program, "--version")
	return Postgres{s}, nil
}

// NewDatabase makes an empty database, and returns its DSN. Texts are in the order of
// their bytes.
func (p Postgres) NewDatabase(ctx context.Context, name string) (dsn string, err error) {
	conn, err := pgx.Connect(ctx, p.DSN("postgres"))
	if err != nil {
		return "", err
	}
	_, err = conn.Exec(ctx, "CREATE DATABASE "+name+" TEMPLATE template0 LOCALE_PROVIDER libc LOCALE 'C'")
	return p.DSN(name), errors.Join(err, conn.Close(ctx))
}

// DSN returns the DSN of a database for a superuser, over the server's Unix socket.
func (p Postgres) DSN(database string) string {
	return fmt.Sprintf("postgres://postgres@/%s?host=%s&port=%d", database, url.QueryEscape(p.Dir), p.Port)
}
