package sqldb_test

import (
	"context"
	"regexp"
	"slices"
	"strings"
	"testing"

	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/sqldb/sweeps"
	"gamedex/internal/sqldb/webhooks"
)

// lockOrder is the order of locks of package sqldb.
var lockOrder = []string{"person_change", "key_change", "webhook_change", "lease", "listings", "facts", "prose", "generation", "saved_total", "audit"}

// guards names the lock that guards the rows of a table. Those of other tables are
// changed one at a time, or by nobody else.
var guards = map[string]string{
	"person": "person_change", "identity": "person_change", "link": "person_change", "watch": "person_change", "api_key": "key_change",
	"sweep": "lease", "sweep_item": "lease", "lost_price": "lease", "listing": "listings", "history": "listings",
	"facts": "facts", "prose": "prose", "saved_total": "saved_total", "audit": "audit",
}

// unguarded are the statements of maintenance, which change old rows that nothing else
// changes, and those that lock the rows themselves.
var unguarded = regexp.MustCompile(`^DELETE FROM (api_key|link|audit|watch) |^UPDATE (api_key SET last_used_at|watch SET|audit SET|saved_total SET count = count \+ \$1 )`)

// watchLocks returns db with stores whose transactions are checked: they take their
// locks in order, and before they change what the lock guards. With SQLite nothing else
// would notice.
func watchLocks(t testing.TB, db *sqldb.DB) *sqldb.DB {
	if _, bench := t.(*testing.B); bench || db.File == nil {
		return db
	}
	watched := engine.New(watchedEngine{db.File, t})
	ls := listings.New(watched)
	return &sqldb.DB{DB: watched, File: db.File, Listings: ls, Sweeps: sweeps.New(watched, ls),
		Accounts: accounts.New(watched), Nodes: nodes.New(watched), Webhooks: webhooks.New(watched)}
}

type watchedEngine struct {
	engine.Engine
	t testing.TB
}

func (e watchedEngine) Write(ctx context.Context, fn func(engine.Conn) error) error {
	return e.Engine.Write(ctx, func(c engine.Conn) error { return fn(&watchedConn{Conn: c, t: e.t}) })
}

// watchedConn notes the locks of a transaction.
type watchedConn struct {
	engine.Conn
	t     testing.TB
	locks []string // of lockOrder, as they were taken
}

// lock notes a lock, which is in order unless the transaction has it.
func (c *watchedConn) lock(lock string) {
	if slices.Contains(c.locks, lock) {
		return
	}
	rank := slices.Index(lockOrder, lock)
	if rank < 0 {
		c.t.Errorf("lock %q has no place in the order", lock)
	}
	for _, before := range c.locks {
		if slices.Index(lockOrder, before) > rank {
			c.t.Errorf("lock %s is taken after %s", lock, before)
		}
	}
	c.locks = append(c.locks, lock)
}

func (c *watchedConn) Lock(ctx context.Context, names ...string) error {
	for _, name := range names {
		lock, _, _ := strings.Cut(name, "/")
		c.lock(lock)
	}
	return c.Conn.Lock(ctx, names...)
}

var changes = regexp.MustCompile(`^(?:INSERT INTO|UPDATE|DELETE FROM) (\w+) `)

func (c *watchedConn) see(text string, args []any) {
	changed := changes.FindStringSubmatch(text)
	switch {
	case strings.HasPrefix(text, "UPDATE counter"):
		c.lock(args[1].(string))
	case strings.HasSuffix(text, " FOR UPDATE") && strings.Contains(text, " FROM lease "):
		c.lock("lease")
	case changed != nil && !unguarded.MatchString(text):
		c.change(changed[1])
	}
}

func (c *watchedConn) change(table string) {
	if guard := guards[table]; guard != "" && !slices.Contains(c.locks, guard) {
		c.t.Errorf("a row of %s is changed without the lock %s; locked are %q", table, guard, c.locks)
	}
}

func (c *watchedConn) Query(ctx context.Context, text string, args []any, row func(engine.Rows) error) error {
	c.see(text, args)
	return c.Conn.Query(ctx, text, args, row)
}

func (c *watchedConn) Exec(ctx context.Context, text string, args ...any) (int64, error) {
	c.see(text, args)
	return c.Conn.Exec(ctx, text, args...)
}

func (c *watchedConn) InsertRows(ctx context.Context, in *engine.Insert, n int, fill func([]any, int) []any) (int64, error) {
	if n > 0 {
		c.change(in.Table)
	}
	return c.Conn.InsertRows(ctx, in, n, fill)
}

func (c *watchedConn) UpdateRows(ctx context.Context, up *engine.Update, n int, fill func([]any, int) []any) ([]int, error) {
	if n > 0 {
		c.see(up.Text(), nil)
	}
	return c.Conn.UpdateRows(ctx, up, n, fill)
}
