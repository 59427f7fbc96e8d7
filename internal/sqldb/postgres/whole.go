package postgres

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"gamedex/internal/sqldb/engine"
)

// filling is a transaction that fills a database. One of its statements may take hours.
var filling = writer{"BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE; " +
	"SET LOCAL lock_timeout = '10s'; SET LOCAL statement_timeout = '24h'; SET LOCAL idle_in_transaction_session_timeout = '1h'",
	24 * time.Hour, time.Hour}

// tableColumns reads only the tables of migrations: the schema may have others.
const tableColumns = `SELECT c.relname::text, a.attname::text FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
	WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname = ANY($1)
	AND a.attnum > 0 AND NOT a.attisdropped ORDER BY c.relname COLLATE "C", a.attname COLLATE "C"`

// Tables implements engine.Whole. It refuses a newer schema, whose tables it does not know.
func (db *DB) Tables(ctx context.Context, q engine.Querier) ([]engine.Table, error) {
	var version int64
	err := q.Query(ctx, "SELECT COALESCE(max(version_id), 0) FROM "+schemaTable+" WHERE is_applied", nil,
		func(rows engine.Rows) error { return rows.Scan(&version) })
	if err == nil {
		err = engine.CheckVersion("database "+db.name, version, SchemaVersion(), 0)
	}
	if err != nil {
		return nil, err
	}
	return engine.ReadTables(ctx, q, tableColumns, relationNames())
}

// Fill implements engine.Whole. It locks all tables, and updates the statistics that plans
// depend on before it commits.
func (db *DB) Fill(ctx context.Context, fn func(engine.Loader) error) error {
	return db.writeOnce(ctx, filling, func(c *conn) error {
		tables, err := db.Tables(ctx, c)
		if err != nil {
			return err
		}
		names := make([]string, len(tables))
		for i, table := range tables {
			names[i] = quote(table.Name)
		}
		list := strings.Join(names, ", ")
		if _, err := c.tx.Exec(ctx, "LOCK TABLE "+list+" IN ACCESS EXCLUSIVE MODE"); err != nil {
			return err
		}
		if err := fn(loader{c}); err != nil {
			return err
		}
		_, err = c.tx.Exec(ctx, "ANALYZE "+list)
		return err
	})
}

// loader is a transaction that adds many rows.
type loader struct{ *conn }

// Load implements engine.Loader with the COPY protocol.
func (l loader) Load(ctx context.Context, table engine.Table, rows iter.Seq2[[]any, error]) (loaded int64, err error) {
	next, stop := iter.Pull2(rows)
	defer stop()
	var cause error // the driver reports it as the server's
	loaded, err = l.tx.CopyFrom(ctx, pgx.Identifier{table.Name}, table.Columns, pgx.CopyFromFunc(func() ([]any, error) {
		row, err, more := next()
		if !more || err != nil {
			cause = err
			return nil, err
		}
		for i, value := range row {
			if text, ok := value.(string); ok && !engine.IsPlain(text) {
				row[i] = engine.Plain(text)
			}
		}
		return row, nil
	}))
	if cause != nil {
		err = cause
	}
	if err != nil && ctx.Err() != nil {
		err = ctx.Err() // when ctx ends, the driver closes the connection, and may report that
	}
	return loaded, err
}
