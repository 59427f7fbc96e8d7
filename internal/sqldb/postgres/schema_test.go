package postgres_test

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/jackc/pgx/v5"
	_ "modernc.org/sqlite"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/sqlite"
)

// wider are the columns that have another type than in SQLite, where an INTEGER has
// 64 bits.
var wider = []string{"facts.id", "prose.id", "listing.facts_id", "listing.prose_id"}

// TestSchemasAgree compares the schemas of both engines column by column, with
// keys and indexes: the migrations of both have the same numbers.
func TestSchemasAgree(t *testing.T) {
	own, other := postgresSchema(t), sqliteSchema(t)
	if len(own) < 100 {
		t.Fatalf("only %d lines describe the schema", len(own))
	}
	if d := cmp.Diff(other, own); d != "" {
		t.Errorf("the schemas differ (-SQLite +PostgreSQL):\n%s", d)
	}
}

// TestTextsAreComparedByBytes checks the collation of every text column, as the
// order of a language changes with the server's operating system.
func TestTextsAreComparedByBytes(t *testing.T) {
	conn := connect(t, newDatabase(t))
	for _, column := range query(t, conn, `SELECT table_name || '.' || column_name FROM information_schema.columns
		WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
		AND table_name NOT IN ('schema_version', 'schema_lock')`) {
		t.Errorf("%s is not COLLATE \"C\"", column)
	}
}

func postgresSchema(t *testing.T) []string {
	conn := connect(t, newDatabase(t))
	const ours = ` NOT IN ('schema_version', 'schema_lock')`
	lines := query(t, conn, `SELECT table_name || '.' || column_name || ' ' ||
		CASE data_type WHEN 'double precision' THEN 'DOUBLE PRECISION' ELSE upper(data_type) END ||
		CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || replace(column_default, '::text', ''), '')
		FROM information_schema.columns WHERE table_schema = 'public' AND table_name`+ours)
	for i, line := range lines {
		for _, column := range wider {
			lines[i] = strings.Replace(line, column+" BIGINT", column+" INTEGER", 1)
			line = lines[i]
		}
	}
	lines = append(lines, query(t, conn, `SELECT CASE WHEN x.indisprimary THEN 'key of ' || c.relname WHEN x.indisunique THEN 'unique in ' || c.relname
		ELSE 'index ' || i.relname || ' on ' || c.relname END || ' (' ||
		(SELECT string_agg(a.attname, ', ' ORDER BY k.place) FROM unnest(x.indkey::int2[]) WITH ORDINALITY AS k (number, place)
			JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number) || ')' ||
		CASE WHEN x.indpred IS NULL THEN '' ELSE ' partial' END
		FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid JOIN pg_class i ON i.oid = x.indexrelid
		WHERE c.relnamespace = 'public'::regnamespace AND c.relname`+ours)...)
	slices.Sort(lines)
	return lines
}

func sqliteSchema(t *testing.T) []string {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	db, err := sqlite.Open(t.Context(), path, engine.Options{Create: true})
	must(t, err)
	must(t, db.Close())
	pool, err := sql.Open("sqlite", "file:"+path)
	must(t, err)
	defer pool.Close()
	const ours = ` NOT LIKE 'schema_version' AND m.name NOT LIKE 'sqlite_%'`
	var lines []string
	for _, text := range []string{
		`SELECT m.name || '.' || c.name || ' ' || c.type || CASE c."notnull" WHEN 1 THEN ' NOT NULL' ELSE '' END || COALESCE(' DEFAULT ' || c.dflt_value, '')
			FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table' AND m.name` + ours,
		`SELECT CASE l.origin WHEN 'pk' THEN 'key of ' || m.name WHEN 'u' THEN 'unique in ' || m.name ELSE 'index ' || l.name || ' on ' || m.name END ||
			' (' || (SELECT group_concat(i.name, ', ') FROM (SELECT name FROM pragma_index_info(l.name) ORDER BY seqno) i) || ')' ||
			CASE l.partial WHEN 1 THEN ' partial' ELSE '' END
			FROM sqlite_schema m JOIN pragma_index_list(m.name) l WHERE m.type = 'table' AND m.name` + ours,
		// A key of one INTEGER column is the row's number and has no index.
		`SELECT 'key of ' || m.name || ' (' || c.name || ')' FROM sqlite_schema m JOIN pragma_table_info(m.name) c
			WHERE m.type = 'table' AND c.pk = 1 AND c.type = 'INTEGER' AND (SELECT max(pk) FROM pragma_table_info(m.name)) = 1 AND m.name` + ours,
	} {
		rows, err := pool.Query(text)
		must(t, err)
		for rows.Next() {
			var line string
			must(t, rows.Scan(&line))
			lines = append(lines, line)
		}
		must(t, rows.Err())
	}
	slices.Sort(lines)
	return lines
}

// connect connects to a database without this package.
func connect(t *testing.T, dsn string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), dsn)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(t.Context()) })
	return conn
}

// query returns the one column of a result.
func query(t *testing.T, conn *pgx.Conn, text string) []string {
	t.Helper()
	rows, err := conn.Query(t.Context(), text, pgx.QueryExecModeExec) // prepares nothing
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", text, err))
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(fmt.Errorf("%s: %w", text, err))
	}
	return list
}
