package sqlite

import (
	"context"
	"database/sql/driver"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"gamedex/internal/sqldb/engine"
)

// statement is a text of sqldb in SQLite's form. The driver compares numbered arguments
// as text, so they have no numbers: each place has one of its own, in the order of the
// text.
type statement struct {
	texts []string // one, or one for each form of the list
	order []int    // index of the argument for each place
	plain bool     // the arguments are in order, and none is a list
	list  int      // index of the list; -1 if there is none
	want  int      // number of arguments
}

// compile translates a text.
func compile(text string) (*statement, error) {
	s := &statement{list: -1, plain: true}
	var b strings.Builder
	var head string                                 // the text before the list
	rest := strings.TrimSuffix(text, " FOR UPDATE") // there is only one writer
	for {
		before, n, after, err := cutArgument(rest)
		if err != nil {
			return nil, fmt.Errorf("%w: %s", err, text)
		}
		if n == 0 {
			break
		}
		s.plain = s.plain && n == len(s.order)+1
		s.order, s.want = append(s.order, n-1), max(s.want, n)
		before, isList := strings.CutSuffix(before, anyOf)
		b.WriteString(before)
		if rest = after; !isList {
			b.WriteByte('?')
			continue
		}
		if s.list >= 0 || !strings.HasPrefix(after, ")") {
			return nil, fmt.Errorf("a second list, or one that does not end: %s", text)
		}
		s.list, head, rest = n-1, b.String(), after[1:]
		b.Reset()
	}
	b.WriteString(rest)
	s.texts = []string{b.String()}
	if s.list >= 0 {
		s.plain, s.texts = false, listTexts(head, b.String())
	}
	return s, nil
}

// cutArgument cuts a text around the first argument $n outside quotes; n is 0 without
// one.
func cutArgument(text string) (before string, n int, after string, err error) {
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\'', '"':
			end := strings.IndexByte(text[i+1:], text[i])
			if end < 0 {
				return "", 0, "", errors.New("a quotation does not end")
			}
			i += end + 1
		case '$':
			after := strings.TrimLeft(text[i+1:], "0123456789")
			n, err := strconv.Atoi(text[i+1 : len(text)-len(after)])
			if err != nil || n < 1 {
				return "", 0, "", fmt.Errorf("%.20q is not an argument", text[i:])
			}
			return text[:i], n, after, nil
		}
	}
	return text, 0, "", nil
}

// anyOf begins a list.
const anyOf = " = ANY("

// The forms of a list. A single value is compared directly, which takes half the time;
// the driver takes longer for many arguments than for one with all values.
const (
	singleValue = iota
	jsonValues
	jsonBytes // in hexadecimal
)

// listTexts returns the texts for all forms of a list.
func listTexts(head, tail string) []string {
	return []string{
		singleValue: head + " IN (?)" + tail,
		jsonValues:  head + " IN (SELECT value FROM json_each(?))" + tail,
		jsonBytes:   head + " IN (SELECT unhex(value) FROM json_each(?))" + tail,
	}
}

// place returns the text for args, and the arguments in its order. The text is "" if the
// list is empty.
func (s *statement) place(args []any) (text string, placed []any, err error) {
	if len(args) != s.want {
		return "", nil, fmt.Errorf("%d arguments instead of %d: %s", len(args), s.want, s.texts[0])
	}
	if s.plain {
		return s.texts[0], args, nil
	}
	form, list := 0, any(nil)
	if s.list >= 0 {
		if form, list, err = listOf(args[s.list]); err != nil {
			return "", nil, fmt.Errorf("argument %d: %w: %s", s.list+1, err, s.texts[0])
		}
		if list == nil {
			return "", nil, nil
		}
	}
	placed = make([]any, len(s.order))
	for i, at := range s.order {
		if placed[i] = args[at]; at == s.list {
			placed[i] = list
		}
	}
	return s.texts[form], placed, nil
}

// listOf returns the form of a list and its argument; nil if it is empty.
func listOf(arg any) (form int, value any, err error) {
	switch list := arg.(type) {
	case []string:
		return jsonList(list, jsonValues, func(text string) any { return engine.Plain(text) })
	case []int64:
		return jsonList(list, jsonValues, func(number int64) any { return number })
	case [][]byte:
		return jsonList(list, jsonBytes, func(b []byte) any { return hex.EncodeToString(b) })
	}
	return 0, nil, fmt.Errorf("a %T is not a list", arg)
}

func jsonList[T any](list []T, form int, encode func(T) any) (int, any, error) {
	switch len(list) {
	case 0:
		return 0, nil, nil
	case 1:
		return singleValue, list[0], nil
	}
	values := make([]any, len(list))
	for i, v := range list {
		values[i] = encode(v)
	}
	text, err := json.Marshal(values)
	return form, string(text), err
}

// place returns the text in SQLite's form, "" if the list among args is empty, and the
// arguments in its order.
func (db *DB) place(text string, args []any) (placed string, ordered []any, err error) {
	known, ok := db.compiled.Load(text)
	if !ok {
		if known, err = compile(text); err != nil {
			return "", nil, err
		}
		db.compiled.Store(text, known)
	}
	return known.(*statement).place(args)
}

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
