package transfer

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"gamedex/internal/sqldb/engine"
)

// Progress says how far a copy is.
type Progress struct {
	Table     string // that is copied now
	Done, All int64  // rows of all tables
}

// progressEvery is the number of rows between two reports.
const progressEvery = 1000

// kept are the tables of the running processes, which are not copied.
var kept = []string{"lease", "node"}

// seeds are the rows that migrations insert: in an empty database none matches the
// condition. The rows of meta describe the database itself.
var seeds = map[string]string{
	"counter": " WHERE value <> 0", "saved_total": " WHERE count <> 0", "publication": " WHERE seq <> 0",
	"meta": " WHERE false",
}

// Counts is how many rows were copied, by table.
type Counts map[string]int64

// All returns how many rows were copied.
func (c Counts) All() (rows int64) {
	for _, n := range c {
		rows += n
	}
	return rows
}

// Copy copies everything but leases and the id from one database into another. The
// target must be empty; it stays so if the copy fails or the process is killed. What
// others change in from after the copy began is not in it. Errors begin with what, which
// names the action.
func Copy(ctx context.Context, what string, from, to engine.Engine, progress func(Progress)) (Counts, error) {
	if err := checkDiffer(ctx, what, from, to); err != nil {
		return nil, err
	}
	var counts Counts
	err := from.Read(ctx, func(q engine.Querier) error {
		return to.Fill(ctx, func(l engine.Conn) error {
			c := &copying{from: from, to: to, source: q, target: l, report: progress, counts: Counts{}}
			counts = c.counts
			return c.run(ctx)
		})
	})
	if err == nil {
		return counts, nil
	}
	remedy := to.Remedy(err)
	if reading, ok := errors.AsType[readError](err); ok {
		remedy = from.Remedy(reading)
	}
	return nil, engine.Explain(what, err, remedy)
}

// checkDiffer refuses a copy of a database onto itself. Databases that the server made
// from one template have the same id, but are of different epochs.
func checkDiffer(ctx context.Context, what string, from, to engine.Engine) error {
	var epochs [2]string
	for i, db := range []engine.Engine{from, to} {
		text, _ := db.Epoch()
		err := db.Query(ctx, "SELECT "+text, nil, func(rows engine.Rows) error { return rows.Scan(&epochs[i]) })
		if err != nil {
			return engine.Explain(what, err, db.Remedy(err))
		}
	}
	if from.ID() == to.ID() && epochs[0] == epochs[1] {
		return fmt.Errorf("%s: both are the same database; name another one to fill", what)
	}
	return nil
}

// readError is an error of the source.
type readError struct{ error }

func (e readError) Unwrap() error { return e.error }

// copying is one copy, inside both transactions.
type copying struct {
	from, to  engine.Engine
	source    engine.Querier
	target    engine.Conn
	report    func(Progress)
	counts    Counts // of all tables, before they are copied
	done, all int64
}

func (c *copying) run(ctx context.Context) error {
	tables, err := c.from.Tables(ctx, c.source)
	if err != nil {
		return readError{err}
	}
	if err := c.checkSchema(ctx, tables); err != nil {
		return err
	}
	if err := c.checkEmpty(ctx, tables); err != nil {
		return err
	}
	tables = slices.DeleteFunc(tables, func(t engine.Table) bool { return slices.Contains(kept, t.Name) })
	for _, table := range tables {
		n, err := number(ctx, c.source, "SELECT count(*) FROM "+table.Name+others(table.Name))
		if err != nil {
			return readError{err}
		}
		c.counts[table.Name] = n
	}
	c.all = c.counts.All()
	for _, table := range tables {
		if err := c.copyTable(ctx, table); err != nil {
			return fmt.Errorf("table %s: %w", table.Name, err)
		}
	}
	return nil
}

// others is the condition of the rows that are copied: not those that belong to their database.
func others(table string) string {
	if table == "meta" {
		return " WHERE NOT (name = 'database_id')"
	}
	return ""
}

func number(ctx context.Context, q engine.Querier, text string) (n int64, err error) {
	err = q.Query(ctx, text, nil, func(rows engine.Rows) error { return rows.Scan(&n) })
	return n, err
}

const schemaVersion = "SELECT COALESCE(MAX(version_id), 0) FROM schema_version"

// checkSchema compares the schemas of both.
func (c *copying) checkSchema(ctx context.Context, tables []engine.Table) error {
	has, err := number(ctx, c.source, schemaVersion)
	if err != nil {
		return readError{err}
	}
	want, err := number(ctx, c.target, schemaVersion)
	if err != nil {
		return err
	}
	if has != want {
		return fmt.Errorf("the database to read has schema %d, and the one to fill has %d; use the newest gamedex that worked with either", has, want)
	}
	targets, err := c.to.Tables(ctx, c.target)
	if err != nil {
		return err
	}
	if !slices.EqualFunc(tables, targets, func(a, b engine.Table) bool { return a.Name == b.Name && slices.Equal(a.Columns, b.Columns) }) {
		return fmt.Errorf("the databases have different tables or columns, although both have schema %d", has)
	}
	return nil
}

// maxNamed is how many tables checkEmpty names.
const maxNamed = 3

// checkEmpty refuses a target that anything was stored in.
func (c *copying) checkEmpty(ctx context.Context, tables []engine.Table) error {
	var full []string
	for _, table := range tables {
		n, err := number(ctx, c.target, "SELECT count(*) FROM (SELECT 1 FROM "+table.Name+seeds[table.Name]+" LIMIT 1) found")
		if err != nil {
			return err
		}
		if n > 0 {
			full = append(full, table.Name)
		}
	}
	if len(full) > maxNamed {
		full = append(full[:maxNamed], fmt.Sprintf("%d other tables", len(full)-maxNamed))
	}
	if len(full) > 0 {
		return fmt.Errorf("the database to fill is not empty: it has rows in %s; name an empty one", strings.Join(full, ", "))
	}
	return nil
}

func (c *copying) copyTable(ctx context.Context, table engine.Table) error {
	if seeds[table.Name] != "" {
		if _, err := c.target.Exec(ctx, "DELETE FROM "+table.Name+others(table.Name)); err != nil {
			return err
		}
	}
	c.report(Progress{Table: table.Name, Done: c.done, All: c.all})
	loaded, err := c.target.Load(ctx, table, c.rows(ctx, table))
	if count := c.counts[table.Name]; err == nil && loaded != count {
		err = fmt.Errorf("%d rows were copied of %d", loaded, count)
	}
	return err
}

var errEnough = errors.New("no more rows are wanted")

// rows returns the rows of a table in the source. They share one slice.
func (c *copying) rows(ctx context.Context, table engine.Table) iter.Seq2[[]any, error] {
	return func(yield func([]any, error) bool) {
		values, dest := make([]any, len(table.Columns)), make([]any, len(table.Columns))
		for i := range values {
			dest[i] = &values[i]
		}
		text := "SELECT " + strings.Join(table.Columns, ", ") + " FROM " + table.Name + others(table.Name)
		err := c.source.Query(ctx, text, nil, func(rows engine.Rows) error {
			if err := rows.Scan(dest...); err != nil {
				return err
			}
			for i, value := range values {
				if b, ok := value.([]byte); ok && b == nil {
					values[i] = []byte{} // SQLite's empty bytes, which are not NULL
				}
			}
			if !yield(values, nil) {
				return errEnough
			}
			if c.done++; c.done%progressEvery == 0 {
				c.report(Progress{Table: table.Name, Done: c.done, All: c.all})
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, readError{err})
		}
	}
}
