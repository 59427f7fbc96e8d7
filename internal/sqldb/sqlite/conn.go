package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"iter"
	"strings"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/upgrade"
)

// conn is a transaction that writes. It holds the write lock of the file. It ignores
// the end of contexts: a batch takes milliseconds, and watching a context costs
// more.
type conn struct{ db *DB }

// Write implements engine.Engine.
func (db *DB) Write(ctx context.Context, fn func(engine.Conn) error) error {
	if db.Unusable() == nil {
		db.noteDamage(db.replaced()) // or it would be lost
	}
	if err := db.Unusable(); err != nil {
		return err
	}
	db.share(ctx)
	db.using.RLock()
	defer db.using.RUnlock()
	err := db.writer.write(ctx, func() error { return fn(conn{db}) })
	db.note(err)
	return err
}

// Query implements engine.Conn.
func (c conn) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	return reading{c.db, c.db.writer.conn}.Query(context.WithoutCancel(ctx), text, args, row)
}

// Exec implements engine.Conn.
func (c conn) Exec(ctx context.Context, text string, args ...any) (changed int64, err error) {
	text, args, err = c.db.place(text, args)
	if err != nil || text == "" {
		return 0, err
	}
	return c.execute(ctx, text, args)
}

// execute runs a text in SQLite's form.
func (c conn) execute(ctx context.Context, text string, args []any) (changed int64, err error) {
	result, err := c.db.writer.conn.ExecContext(context.WithoutCancel(ctx), text, args...)
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// Lock implements engine.Conn: there is only one writer.
func (conn) Lock(context.Context, ...string) error { return nil }

// Now implements engine.Conn.
func (c conn) Now(context.Context) (int64, error) { return c.db.now().UnixMilli(), nil }

// reading runs queries, in a transaction or outside.
type reading struct {
	db *DB
	on interface {
		QueryContext(ctx context.Context, text string, args ...any) (*sql.Rows, error)
	}
}

// Read implements engine.Engine.
func (db *DB) Read(ctx context.Context, fn func(engine.Querier) error) (err error) {
	if err := db.Unusable(); err != nil {
		return err
	}
	defer func() { db.noteDamage(err) }()
	db.using.RLock()
	defer db.using.RUnlock()
	begun, err := db.pools.read.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return fmt.Errorf("begin reading: %w", err)
	}
	defer begun.Rollback()
	return fn(reading{db, begun})
}

// Query implements engine.Engine. When the context ends, it stops at the next row: watching a
// context takes as long as reading a few rows by their key.
func (db *DB) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) (err error) {
	if err := db.Unusable(); err != nil {
		return err
	}
	defer func() { db.noteDamage(err) }()
	db.using.RLock()
	defer db.using.RUnlock()
	conn, err := db.pools.read.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	return reading{db, conn}.Query(context.WithoutCancel(ctx), text, args, func(rows engine.Rows) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return row(rows)
	})
}

// Query implements engine.Querier.
func (r reading) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	text, args, err := r.db.place(text, args)
	if err != nil || text == "" {
		return err
	}
	rows, err := r.on.QueryContext(ctx, text, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// One statement carries at most rowsPerStatement rows and, if it has more than
// one, argsPerStatement arguments: the driver finds each by walking the list. SQLite also saves the former
// state of all pages that a statement of several rows changes, in a file if there
// are more than sixteen: with ten rows, each with a hash anywhere in an index, an
// import wrote three times as much to disk.
const (
	rowsPerStatement = 4
	argsPerStatement = 32
)

// rowsAtOnce returns how many rows one statement inserts.
func rowsAtOnce(in *engine.Insert) int {
	return max(1, min(rowsPerStatement, argsPerStatement/in.Width()))
}

// InsertRows implements engine.Conn.
func (c conn) InsertRows(ctx context.Context, in *engine.Insert, n int, fill func(args []any, i int) []any) (changed int64, err error) {
	atOnce := rowsAtOnce(in)
	one, err := compile(in.Text(1))
	if err != nil {
		return 0, err
	}
	many, err := compile(in.Text(atOnce))
	if err != nil {
		return 0, err
	}
	args := make([]any, 0, atOnce*in.Width())
	for i := 0; i < n; {
		step, text := 1, one.texts[0]
		if n-i >= atOnce {
			step, text = atOnce, many.texts[0]
		}
		args = args[:0]
		for range step {
			args = fill(args, i)
			i++
		}
		rows, err := c.execute(ctx, text, args)
		if err != nil {
			return 0, err
		}
		changed += rows
	}
	return changed, nil
}

// UpdateRows implements engine.Conn.
func (c conn) UpdateRows(ctx context.Context, up *engine.Update, n int, fill func(args []any, i int) []any) (left []int, err error) {
	s, err := compile(up.Text())
	if err != nil {
		return nil, err
	}
	args := make([]any, 0, up.Width())
	for i := range n {
		args = fill(args[:0], i)
		changed, err := c.execute(ctx, s.texts[0], args)
		if err != nil {
			return nil, err
		}
		if changed == 0 && up.If != "" {
			left = append(left, i)
		}
	}
	return left, nil
}

const tableColumns = `SELECT m.name, c.name FROM sqlite_schema m JOIN pragma_table_info(m.name) c
	WHERE m.type = 'table' AND m.name <> $1 AND m.name NOT LIKE 'sqlite%' ORDER BY m.name, c.name`

// Tables implements engine.Engine.
func (db *DB) Tables(ctx context.Context, q engine.Querier) ([]engine.Table, error) {
	return engine.ReadTables(ctx, q, tableColumns, upgrade.SchemaTable)
}

// Fill implements engine.Engine. Others can read the database, but find it empty.
func (db *DB) Fill(ctx context.Context, fn func(engine.Conn) error) error { return db.Write(ctx, fn) }

// loadBatch is how many rows are kept until they are inserted.
const loadBatch = 512

// Load implements engine.Conn.
func (c conn) Load(ctx context.Context, table engine.Table, rows iter.Seq2[[]any, error]) (loaded int64, err error) {
	in := &engine.Insert{Table: table.Name, Columns: strings.Join(table.Columns, ", ")}
	width := len(table.Columns)
	batch := make([]any, 0, loadBatch*width)
	insert := func() error {
		n, err := c.InsertRows(ctx, in, len(batch)/width, func(args []any, i int) []any {
			return append(args, batch[i*width:(i+1)*width]...)
		})
		loaded, batch = loaded+n, batch[:0]
		return err
	}
	for row, err := range rows {
		if err == nil {
			batch = append(batch, row...)
		}
		if err == nil && len(batch) == cap(batch) {
			err = insert()
		}
		if err == nil {
			err = ctx.Err() // the statements ignore it
		}
		if err != nil {
			return loaded, err
		}
	}
	return loaded, insert()
}
