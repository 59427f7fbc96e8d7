package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"
)

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
