package enginetest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// template is a database whose copies are reset and used again: creating and dropping
// one takes a third of a second.
type template struct {
	shape string   // what shape returns
	reset string   // statements that give a copy the content of the template
	free  []string // copies that no test uses
}

// shape returns one line for everything but the rows that a test may have changed: tables,
// columns, constraints, functions, triggers, rights and settings. A table that the server
// has analyzed has another shape, because plans may differ. A sequence makes each copy
// different, so that it is not used again.
const shape = `
SELECT string_agg(line, E'\n' ORDER BY line) FROM (
	SELECT concat_ws(' ', c.relname, c.relkind, c.relacl, c.reloptions, c.relowner, c.reltuples) AS line
		FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind <> 'i'
	UNION ALL SELECT concat_ws(' ', c.relname, i.indisvalid, pg_get_indexdef(c.oid)) FROM pg_class c JOIN pg_index i ON i.indexrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace
	UNION ALL SELECT concat_ws(' ', c.relname, a.attname, a.atttypid, a.attnum, a.attnotnull, a.attcollation, a.attacl)
		FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid WHERE c.relnamespace = 'public'::regnamespace AND a.attnum > 0
	UNION ALL SELECT concat_ws(' ', conname, convalidated, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
	UNION ALL SELECT concat_ws(' ', tgname, tgenabled) FROM pg_trigger
	UNION ALL SELECT concat_ws(' ', nspname, nspowner, nspacl) FROM pg_namespace
	UNION ALL SELECT proname::text FROM pg_proc WHERE pronamespace = 'public'::regnamespace
	UNION ALL SELECT concat_ws(' ', datacl, datdba, datconnlimit) FROM pg_database WHERE datname = current_database()
	UNION ALL SELECT concat_ws(' ', 'setting', setrole, setconfig) FROM pg_db_role_setting WHERE setdatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
	UNION ALL SELECT concat_ws(' ', 'sequence', current_database()) FROM pg_class WHERE relkind = 'S'
) AS lines`

// maxUsed is the size in bytes of tables and indexes of a database that is used again. To
// read many deleted rows would take the next tests longer than a new copy.
const maxUsed = 4 << 20

// inspect reads the shape and the content of a database that is a template.
func (s *Postgres) inspect(ctx context.Context, name string) (t *template, err error) {
	conn, err := pgx.Connect(ctx, s.DSN(name, "postgres"))
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	t = &template{}
	if err := conn.QueryRow(ctx, shape).Scan(&t.shape); err != nil {
		return nil, err
	}
	rows, err := conn.Query(ctx, "SELECT quote_ident(tablename) FROM pg_tables WHERE schemaname = 'public'")
	if err != nil {
		return nil, err
	}
	tables, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return nil, err
	}
	var empty, fill strings.Builder
	for _, table := range tables {
		empty.WriteString("DELETE FROM " + table + ";\n")
		var content *string
		if err := conn.QueryRow(ctx, "SELECT quote_literal(json_agg(t)) FROM "+table+" AS t").Scan(&content); err != nil {
			return nil, err
		}
		if content != nil {
			fmt.Fprintf(&fill, "INSERT INTO %s SELECT * FROM json_populate_recordset(NULL::%s, %s);\n", table, table, *content)
		}
	}
	t.reset = "SET session_replication_role = replica;\n" + empty.String() + fill.String() // foreign keys are not checked
	return t, nil
}

// errUsed means that a database is too different from its template.
var errUsed = errors.New("the database cannot be used again")

// clean gives a copy the content of t, its template. It closes open connections first.
func (s *Postgres) clean(ctx context.Context, name string, t *template) (err error) {
	conn, err := pgx.Connect(ctx, s.DSN(name, "postgres"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close(ctx)) }()
	for open := 1; open > 0; {
		err := conn.QueryRow(ctx, `SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`).Scan(&open)
		if err != nil {
			return err
		}
		if open > 0 {
			<-time.After(time.Millisecond)
		}
	}
	var grown int
	var now string
	err = conn.QueryRow(ctx, "SELECT coalesce(sum(pg_relation_size(oid)), 0) FROM pg_class WHERE relnamespace = 'public'::regnamespace").Scan(&grown)
	if err == nil && grown < maxUsed {
		err = conn.QueryRow(ctx, shape).Scan(&now)
	}
	if err == nil && now != t.shape {
		err = errUsed
	}
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, t.reset, pgx.QueryExecModeSimpleProtocol)
	return err
}
