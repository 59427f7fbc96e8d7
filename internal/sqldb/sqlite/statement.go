package sqlite

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"gamedex/internal/sqldb/engine"
)

// maxList is the most values in one list: the driver finds each argument by walking
// the list of arguments from the start.
const maxList = 256

// listWidths is the number of lengths that lists are padded to: powers of four, so that
// few statements are prepared.
const listWidths = 5 // 1, 4, 16, 64, 256

// statement is a text of sqldb in SQLite's form. The driver compares numbered arguments
// as text, so they have no numbers: each place has one of its own, in the order of the
// text.
type statement struct {
	texts []string // one, or one for each width of the list
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

// listTexts returns the texts for all widths of a list.
func listTexts(head, tail string) []string {
	texts := make([]string, listWidths)
	for i := range texts {
		texts[i] = head + " IN (" + strings.Repeat("?, ", listWidth(i)-1) + "?)" + tail
	}
	return texts
}

func listWidth(i int) int { return 1 << (2 * i) }

// each calls run with the index of the text and the arguments of its places: once, or
// for each part of the list.
func (s *statement) each(args []any, run func(text int, placed []any) error) error {
	switch {
	case len(args) != s.want:
		return fmt.Errorf("%d arguments instead of %d: %s", len(args), s.want, s.texts[0])
	case s.plain:
		return run(0, args)
	case s.list >= 0:
		return s.eachPart(args, run)
	}
	placed := make([]any, len(s.order))
	for i, at := range s.order {
		placed[i] = args[at]
	}
	return run(0, placed)
}

func (s *statement) eachPart(args []any, run func(text int, placed []any) error) error {
	n, appendValues, err := listOf(args[s.list])
	if err != nil {
		return fmt.Errorf("argument %d: %w: %s", s.list+1, err, s.texts[0])
	}
	for from := 0; from < n; from += maxList {
		to := min(n, from+maxList)
		text := 0
		for listWidth(text) < to-from {
			text++
		}
		placed := make([]any, 0, len(s.order)-1+listWidth(text))
		for _, at := range s.order {
			if at != s.list {
				placed = append(placed, args[at])
				continue
			}
			first := len(placed)
			placed = appendValues(placed, from, to)
			for range listWidth(text) - (to - from) {
				placed = append(placed, placed[first]) // a value that is in the list already changes nothing
			}
		}
		if err := run(text, placed); err != nil {
			return err
		}
	}
	return nil
}

// listOf returns the length of a list, and a function that appends some of its
// values.
func listOf(arg any) (n int, appendValues func(args []any, from, to int) []any, err error) {
	switch list := arg.(type) {
	case []string:
		return len(list), func(args []any, from, to int) []any { return appendAll(args, list[from:to]) }, nil
	case []int64:
		return len(list), func(args []any, from, to int) []any { return appendAll(args, list[from:to]) }, nil
	case [][]byte:
		return len(list), func(args []any, from, to int) []any { return appendAll(args, list[from:to]) }, nil
	}
	return 0, nil, fmt.Errorf("a %T is not a list", arg)
}

func appendAll[T any](args []any, values []T) []any {
	for _, v := range values {
		args = append(args, v)
	}
	return args
}

// statements caches statements. It stays small: texts are constants.
type statements struct {
	mu     sync.RWMutex
	byText map[string]*statement
}

func (c *statements) statement(text string) (*statement, error) {
	c.mu.RLock()
	s, ok := c.byText[text]
	c.mu.RUnlock()
	if ok {
		return s, nil
	}
	s, err := compile(text)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byText == nil {
		c.byText = make(map[string]*statement)
	}
	c.byText[text] = s
	return s, nil
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
