package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"
)

// PgBouncer is a pooler in front of a PostgreSQL server. It gives a session of the
// server to a client for one transaction.
type PgBouncer struct {
	*Process
	Port int
}

// pooling is pgbouncer.ini. Few sessions serve many clients, so that each client
// gets those of others.
const pooling = `[databases]
* = host=127.0.0.1 port=%d user=` + owner + `
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
auth_type = any
pool_mode = transaction
default_pool_size = 3
unix_socket_dir =
`

// NewPgBouncer starts a pooler in front of the server until the test ends. See [Need]
// for what happens where it is missing.
func (s *Postgres) NewPgBouncer(t testing.TB) *PgBouncer {
	t.Helper()
	Need(t, "pgbouncer")
	return forTest(t, "", func(dir string) (*PgBouncer, error) { return startPgBouncer(dir, s.Port) })
}

func startPgBouncer(dir string, server int) (*PgBouncer, error) {
	program, port, err := findWithPort("pgbouncer")
	if err != nil {
		return nil, err
	}
	config := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(config, fmt.Appendf(nil, pooling, server, port), 0o644); err != nil {
		return nil, err
	}
	b := &PgBouncer{Port: port}
	b.Process, err = startReady(dir, Command{Program: program, Args: []string{config}}, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, b.OwnDSN("postgres"))
		if err != nil {
			return err
		}
		return conn.Close(ctx)
	})
	return b, err
}

// OwnDSN returns the DSN of a database for its owner, through the pooler.
func (b *PgBouncer) OwnDSN(database string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s", owner, b.Port, database)
}
