package postgres

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

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

// emptyList reports whether an argument is an empty list: its statement finds no row,
// and needs no round trip.
func emptyList(args []any) bool {
	for _, arg := range args {
		switch list := arg.(type) {
		case []string:
			return len(list) == 0
		case []int64:
			return len(list) == 0
		case [][]byte:
			return len(list) == 0
		}
	}
	return false
}

// keyWithList matches the conditions on a key whose last column has a list.
var keyWithList = regexp.MustCompile(`WHERE ((?:[\w.]+ = \$\d+ AND )+[\w.]+) = ANY\(\$(\d+)\)`)

// lookUpKeys returns a text that looks up each key of a list in the index. As the text
// stands, the server either does that or reads all rows with the first columns of the key,
// whichever it expects to be less. Statistics that do not know these rows yet, such as those
// of a new region, let it expect one row: it would read the whole region. It expects nothing
// of values that a subquery returns.
func lookUpKeys(text string, args []any) string {
	at := keyWithList.FindStringSubmatchIndex(text)
	if at == nil {
		return text
	}
	conditions, list := strings.Split(text[at[2]:at[3]], " AND "), text[at[4]:at[5]]
	last := len(conditions) - 1
	columns, values := make([]string, last+1), make([]string, last+1)
	columns[last], values[last] = conditions[last], "unnest("+typed(list, args)+")"
	for i, condition := range conditions[:last] {
		column, number, _ := strings.Cut(condition, " = $")
		columns[i], values[i] = column, typed(number, args)
	}
	return text[:at[0]] + "WHERE (" + strings.Join(columns, ", ") + ") IN (SELECT " + strings.Join(values, ", ") + ")" + text[at[1]:]
}

// typed returns the argument with a number, with the type of its value.
func typed(number string, args []any) string {
	name := "text"
	if n, err := strconv.Atoi(number); err == nil && 0 < n && n <= len(args) {
		switch args[n-1].(type) {
		case int, int64:
			name = "int8"
		case float64:
			name = "float8"
		case []byte:
			name = "bytea"
		case []string:
			name = "text[]"
		case []int64:
			name = "int8[]"
		case [][]byte:
			name = "bytea[]"
		}
	}
	return fmt.Sprintf("$%s::%s", number, name)
}

// ownSession is the name under which a connection has whether the server's session is its
// own. Then statements may have names, so that the server parses and plans each once.
// Behind a pooler another transaction may get another session, which knows other names.
const ownSession = "own session"

// recognizeSession asks a new connection for its session. A server announces the number of
// its session when a connection begins; a pooler announces a number of its own.
func recognizeSession(ctx context.Context, c *pgx.Conn) error {
	results, err := c.PgConn().Exec(ctx, "SELECT pg_backend_pid()").ReadAll()
	if err == nil && len(results) == 1 && len(results[0].Rows) == 1 {
		pid := string(results[0].Rows[0][0])
		c.PgConn().CustomData()[ownSession] = pid == strconv.FormatUint(uint64(c.PgConn().PID()), 10)
	}
	return err
}

// modeOfWriter returns the mode of the statements of a transaction that writes. They are
// few, and find rows by their keys, so that one plan is right for all values. Those of
// readers are planned for the values: a plan for any generation could read all listings.
func modeOfWriter(c *pgx.Conn) []any {
	if own, _ := c.PgConn().CustomData()[ownSession].(bool); own {
		return []any{pgx.QueryExecModeCacheStatement}
	}
	return nil
}
