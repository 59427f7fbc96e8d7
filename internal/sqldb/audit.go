package sqldb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"gamedex/internal/account"
)

var insertAudit = insertInto("audit", "id, at, actor, action, object, detail, origin, full_origin", "")

// audit adds an entry in the transaction that does what it tells.
func (t *tx) audit(ctx context.Context, e account.AuditEntry) error {
	id, err := t.next(ctx, "audit", 1)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, insertAudit.one, id, e.At, e.Actor, string(e.Action), e.Object, e.Detail, e.From, flag(e.From != ""))
	return err
}

// AddAudit records something done outside the database.
func (db *DB) AddAudit(ctx context.Context, e account.AuditEntry) error {
	return db.write(ctx, "add audit entry", func(t *tx) error { return t.audit(ctx, e) })
}

// SearchAudit gives the entries that q chooses, newest first.
func (db *DB) SearchAudit(ctx context.Context, q account.AuditQuery) ([]account.AuditEntry, error) {
	var entries []account.AuditEntry
	text, args := auditQuery(q)
	err := db.query(ctx, "search audit entries", text, args, func(rows *sql.Rows) error {
		var e account.AuditEntry
		err := rows.Scan(&e.ID, &e.At, &e.Actor, &e.Action, &e.Object, &e.Detail, &e.From)
		entries = append(entries, e)
		return err
	})
	return entries, err
}

// auditQuery has a condition for each field that q sets. An index serves the
// first of them, the one that leaves least: the engine would have to guess.
func auditQuery(q account.AuditQuery) (text string, args []any) {
	var conditions []string
	where := func(condition string, arg any) {
		args = append(args, arg)
		conditions = append(conditions, fmt.Sprintf("%s $%d", condition, len(args)))
	}
	equal := func(column, value string) {
		if value != "" && len(conditions) > 0 {
			column += " || ''" // which no index knows
		}
		if value != "" {
			where(column+" =", value)
		}
	}
	equal("object", q.Object)
	equal("actor", q.Actor)
	equal("action", string(q.Action))
	if q.Before != 0 {
		where("id <", q.Before)
	}
	text = "SELECT id, at, actor, action, object, detail, origin FROM audit"
	if len(conditions) > 0 {
		text += " WHERE " + strings.Join(conditions, " AND ")
	}
	args = append(args, max(q.Limit, 0))
	return fmt.Sprintf("%s ORDER BY id DESC LIMIT $%d", text, len(args)), args
}

const forgetAudit = "DELETE FROM audit WHERE id IN (SELECT id FROM audit WHERE at < $1 ORDER BY at LIMIT $2)"

// ForgetAudit deletes the entries older than before, a few hundred in one
// transaction, and counts them.
func (db *DB) ForgetAudit(ctx context.Context, before int64) (int64, error) {
	return db.deleteBatches(ctx, "forget audit entries", forgetAudit, before)
}

const fullOrigins = "SELECT id, origin FROM audit WHERE full_origin = 1 AND at < $1 ORDER BY at LIMIT $2"

// ShortenAddresses cuts the addresses in entries older than before down to
// their network: "192.0.2.0" of IPv4, "2001:db8:1::" of IPv6. What is no
// address it empties: nobody could say how much of one is in it. It does a few
// hundred in one transaction, and none twice.
func (db *DB) ShortenAddresses(ctx context.Context, before int64) error {
	for {
		n := 0
		err := db.write(ctx, "shorten addresses", func(t *tx) (err error) {
			n, err = t.shortenSome(ctx, before)
			return err
		})
		if err != nil || n < rowsPerBatch {
			return err
		}
	}
}

func (t *tx) shortenSome(ctx context.Context, before int64) (int, error) {
	origins := make(map[int64]string)
	err := t.query(ctx, fullOrigins, []any{before, rowsPerBatch}, func(rows *sql.Rows) error {
		var id int64
		var origin string
		err := rows.Scan(&id, &origin)
		origins[id] = account.ShortenAddress(origin)
		return err
	})
	for id, origin := range origins {
		if err == nil {
			_, err = t.exec(ctx, "UPDATE audit SET origin = $1, full_origin = 0 WHERE id = $2", origin, id)
		}
	}
	return len(origins), err
}
