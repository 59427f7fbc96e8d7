package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"

	"gamedex/internal/sqldb/engine"
)

// maxPrepared is the most prepared statements that a connection keeps: the texts of
// this program are fewer. Each takes a few kilobytes.
const maxPrepared = 256

// preparing opens connections that prepare each text once.
type preparing struct{ driver.Connector }

// Connect implements driver.Connector.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	opened, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparedConn{opened.(driverConn), make(map[string]driver.Stmt)}, nil
}

// driverConn is what database/sql uses of a connection of the driver.
type driverConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// preparedConn is a connection with its prepared statements. SQLite re-prepares a statement
// after a schema change.
type preparedConn struct {
	driverConn
	idle map[string]driver.Stmt // by text, without those that run
}

// QueryContext implements driver.QueryerContext.
func (c *preparedConn) QueryContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Rows, error) {
	stmt, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(ctx, plainArgs(args))
	if err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	return &preparedRows{rows, c, text, stmt}, nil
}

// ExecContext implements driver.ExecerContext.
func (c *preparedConn) ExecContext(ctx context.Context, text string, args []driver.NamedValue) (driver.Result, error) {
	stmt, err := c.take(ctx, text)
	if err != nil {
		return nil, err
	}
	result, err := stmt.(driver.StmtExecContext).ExecContext(ctx, plainArgs(args))
	if err != nil {
		return nil, errors.Join(err, stmt.Close())
	}
	return result, c.keep(text, stmt)
}

// plainArgs makes the texts among the arguments plain, as PostgreSQL stores them. It changes args.
func plainArgs(args []driver.NamedValue) []driver.NamedValue {
	for i := range args {
		if s, ok := args[i].Value.(string); ok && !engine.IsPlain(s) {
			args[i].Value = engine.Plain(s)
		}
	}
	return args
}

// take returns a statement of the text that does not run.
func (c *preparedConn) take(ctx context.Context, text string) (driver.Stmt, error) {
	if stmt, ok := c.idle[text]; ok {
		delete(c.idle, text)
		return stmt, nil
	}
	return c.PrepareContext(ctx, text)
}

// keep keeps a statement that has run. It closes any other one if there are too many.
func (c *preparedConn) keep(text string, stmt driver.Stmt) error {
	if _, ok := c.idle[text]; ok { // the text ran twice at once
		return stmt.Close()
	}
	var err error
	if len(c.idle) == maxPrepared {
		for other := range c.idle {
			err = c.idle[other].Close()
			delete(c.idle, other)
			break
		}
	}
	c.idle[text] = stmt
	return err
}

// Close implements driver.Conn. An open statement would keep the file and its log open.
func (c *preparedConn) Close() error {
	var errs []error
	for _, stmt := range c.idle {
		errs = append(errs, stmt.Close())
	}
	return errors.Join(append(errs, c.driverConn.Close())...)
}

// preparedRows is a result whose statement is kept when it is closed.
type preparedRows struct {
	driver.Rows
	conn *preparedConn
	text string
	stmt driver.Stmt
}

// Close implements driver.Rows.
func (r *preparedRows) Close() error {
	if err := r.Rows.Close(); err != nil {
		return errors.Join(err, r.stmt.Close())
	}
	return r.conn.keep(r.text, r.stmt)
}
