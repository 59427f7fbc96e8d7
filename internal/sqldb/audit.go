package sqldb

import (
	"context"
	"database/sql"

	"gamedex/internal/account"
)

var insertAudit = insertInto("audit", "id, at, actor, action, object, detail, origin", "")

func entry(by account.By, action account.Action, object string) account.AuditEntry {
	return account.AuditEntry{At: by.At, Actor: by.Actor, Action: action, Object: object, Detail: by.Detail, From: by.From}
}

// audit adds an entry in the transaction that does what it tells.
func (t *tx) audit(ctx context.Context, e account.AuditEntry) error {
	id, err := t.next(ctx, "audit", 1)
	if err != nil {
		return err
	}
	_, err = t.exec(ctx, insertAudit.one, id, e.At, e.Actor, string(e.Action), e.Object, e.Detail, e.From)
	return err
}

// AddAudit records something done outside the database.
func (db *DB) AddAudit(ctx context.Context, e account.AuditEntry) error {
	return db.write(ctx, "add audit entry", func(t *tx) error { return t.audit(ctx, e) })
}

// ListAudit gives the newest entries, newest first, at most limit; with object
// not empty, only those about that key, user or platform.
func (db *DB) ListAudit(ctx context.Context, object string, limit int) ([]account.AuditEntry, error) {
	var entries []account.AuditEntry
	const text = `SELECT at, actor, action, object, detail, origin FROM audit
		WHERE $1 = '' OR object = $1 ORDER BY id DESC LIMIT $2`
	err := db.query(ctx, "list audit entries", text, []any{object, limit}, func(rows *sql.Rows) error {
		var e account.AuditEntry
		err := rows.Scan(&e.At, &e.Actor, &e.Action, &e.Object, &e.Detail, &e.From)
		entries = append(entries, e)
		return err
	})
	return entries, err
}
