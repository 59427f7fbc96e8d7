package postgres

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
)

// timelines has the newest timeline that this process has seen of each server, by system
// identifier. A promotion begins a timeline, so a server on an older one is the old
// primary: it lacks what was committed since, and what it commits will be lost.
type timelines struct {
	warn func(string)

	mu      sync.Mutex
	newest  map[string]uint64
	refused sync.Map // of true, by oldPrimaryError: the operator was warned
}

// timeline is the timeline of a server.
type timeline struct {
	system string
	number uint64
}

// ownTimeline is the name under which a connection has the timeline of its server.
const ownTimeline = "timeline"

// oldPrimaryError is the error of a connection to an old primary.
type oldPrimaryError struct {
	addr           string
	number, newest uint64
}

func (e *oldPrimaryError) Error() string {
	return fmt.Sprintf("%s is an old primary, on timeline %d, and this process has seen timeline %d", e.addr, e.number, e.newest)
}

// checkAfter returns the check of a new connection, after the one of target_session_attrs,
// which may be nil.
func (t *timelines) checkAfter(attrs pgconn.ValidateConnectFunc) pgconn.ValidateConnectFunc {
	return func(ctx context.Context, c *pgconn.PgConn) error {
		if attrs != nil {
			if err := attrs(ctx, c); err != nil {
				return err
			}
		}
		return t.check(ctx, c)
	}
}

// check asks the server of a new connection for its timeline, and refuses an old primary,
// so that the driver tries the next host. It accepts a server that does not tell: a
// standby, or one whose role may not ask.
func (t *timelines) check(ctx context.Context, c *pgconn.PgConn) error {
	results, err := c.Exec(ctx, "SELECT "+epochParts[0].text+", "+epochParts[1].text).ReadAll()
	if code(err) != "" {
		return nil
	}
	if err != nil {
		return err
	}
	if len(results) != 1 || len(results[0].Rows) != 1 || len(results[0].Rows[0]) != 2 {
		return errors.New("the server does not tell its timeline")
	}
	row := results[0].Rows[0]
	number, err := strconv.ParseUint(string(row[1]), 16, 32)
	if err != nil {
		return fmt.Errorf("the server does not tell its timeline: %w", err)
	}
	own := timeline{string(row[0]), number}
	t.mu.Lock()
	t.newest[own.system] = max(t.newest[own.system], own.number)
	t.mu.Unlock()
	c.CustomData()[ownTimeline] = own
	if newest, old := t.isOld(c); old {
		return t.refuse(oldPrimaryError{c.Conn().RemoteAddr().String(), number, newest})
	}
	return nil
}

// refuse returns the error, and warns the operator once: the driver may find another host,
// and then nothing else shows that two servers can be written to.
func (t *timelines) refuse(old oldPrimaryError) error {
	if _, warned := t.refused.LoadOrStore(old, true); !warned {
		t.warn("a database server is refused: " + old.Error() + "; make it a standby of the promoted server (pg_rewind)")
	}
	return &old
}

// isOld reports whether a connection is to an old primary, and the newest timeline.
func (t *timelines) isOld(c *pgconn.PgConn) (newest uint64, old bool) {
	own, known := c.CustomData()[ownTimeline].(timeline)
	t.mu.Lock()
	defer t.mu.Unlock()
	newest = t.newest[own.system]
	return newest, known && own.number < newest
}

// epochParts are the parts of the epoch. A promotion begins a timeline; the name of a
// log file begins with it (pg_control_checkpoint is late). A restore makes another
// database, or other tables in the same one.
var epochParts = []struct{ name, text string }{
	{"pg_control_system()", "(SELECT system_identifier::text FROM pg_control_system())"},
	{"pg_walfile_name(pg_current_wal_lsn())", "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"},
	{"pg_database", "(SELECT oid::text FROM pg_database WHERE datname = current_database())"},
	{"to_regclass('counter')", "to_regclass('counter')::oid::text"},
}

// Epoch implements engine.Engine. On a standby its expression is an error, so that nothing
// is learned from one.
func (db *DB) Epoch() (text, gap string) { return db.epoch, db.epochGap }

// askEpoch sets the epoch to the parts that the role may ask for.
func (db *DB) askEpoch(ctx context.Context) error {
	var texts, gaps []string
	for _, part := range epochParts {
		var value string
		err := db.pool.QueryRow(ctx, "SELECT "+part.text).Scan(&value)
		switch {
		case err == nil:
			texts = append(texts, part.text)
		case code(err) == "" || isLost(err):
			return err
		default:
			gaps = append(gaps, part.name)
		}
	}
	db.epoch, db.epochGap = "'0'", strings.Join(gaps, ", ")
	if len(texts) > 0 {
		db.epoch = "(" + strings.Join(texts, " || '/' || ") + ")"
	}
	return nil
}
