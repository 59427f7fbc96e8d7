package accounts

import (
	"context"
	"fmt"
	"strings"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
)

var insertAudit = engine.Insert{Table: "audit", Columns: "id, at, actor, action, object, detail, origin, full_origin"}

// WriteAudit adds entries in the transaction of the change that they record.
func WriteAudit(ctx context.Context, t *engine.Tx, entries ...account.AuditEntry) error {
	for _, e := range entries {
		id, err := t.RaiseCounter(ctx, "audit", 1)
		if err != nil {
			return err
		}
		_, err = t.InsertRow(ctx, &insertAudit, id, e.At, e.Actor, string(e.Action), e.Object, e.Detail, e.From, engine.BoolInt(e.From != ""))
		if err != nil {
			return err
		}
	}
	return nil
}

// AddAudit records an action outside the database.
func (repo *Repository) AddAudit(ctx context.Context, e account.AuditEntry) error {
	return repo.db.Write(ctx, "add audit entry", func(t *engine.Tx) error { return WriteAudit(ctx, t, e) })
}

// SearchAudit returns the entries that match q, newest first.
func (repo *Repository) SearchAudit(ctx context.Context, q account.AuditQuery) ([]account.AuditEntry, error) {
	text, args := auditQuery(q)
	return engine.List(ctx, repo.db, "search audit entries", text, args, func(rows engine.Rows, e *account.AuditEntry) error {
		return rows.Scan(&e.ID, &e.At, &e.Actor, &e.Action, &e.Object, &e.Detail, &e.From)
	})
}

// auditQuery returns a query with a condition for each field that q sets. Only the
// first, most selective condition can use an index, so that the engine cannot choose
// another one.
func auditQuery(q account.AuditQuery) (text string, args []any) {
	var conditions []string
	where := func(condition string, arg any) {
		args = append(args, arg)
		conditions = append(conditions, fmt.Sprintf("%s $%d", condition, len(args)))
	}
	equal := func(column, value string) {
		if value != "" && len(conditions) > 0 {
			column += " || ''" // an expression without an index
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

// ForgetAudit deletes the entries older than before, a few hundred per transaction,
// and returns their number.
func (repo *Repository) ForgetAudit(ctx context.Context, before int64) (int64, error) {
	return repo.deleteBatches(ctx, "forget audit entries", forgetAudit, before)
}

var updateOrigin = engine.Update{Table: "audit", Set: "origin, full_origin", Key: "id"}

// fullOrigins locks the entries: DeleteUser may be clearing their addresses.
const fullOrigins = "SELECT id, origin FROM audit WHERE full_origin = 1 AND at < $1 ORDER BY at LIMIT $2 FOR UPDATE"

// ShortenAddresses shortens the addresses in entries older than before to their
// networks: "192.0.2.0" for IPv4, "2001:db8:1::" for IPv6. It clears text that is not
// an address. It changes a few hundred per transaction, and none twice.
func (repo *Repository) ShortenAddresses(ctx context.Context, before int64) error {
	for {
		var found []account.AuditEntry // with ID and From
		err := repo.db.Write(ctx, "shorten addresses", func(t *engine.Tx) (err error) {
			found, err = engine.ListIn(ctx, t, fullOrigins, []any{before, rowsPerBatch}, func(rows engine.Rows, e *account.AuditEntry) error {
				return rows.Scan(&e.ID, &e.From)
			})
			if err != nil {
				return err
			}
			_, err = t.UpdateRows(ctx, &updateOrigin, len(found), func(args []any, i int) []any {
				return append(args, account.ShortenAddress(found[i].From), int64(0), found[i].ID)
			})
			return err
		})
		if err != nil || len(found) == 0 {
			return err
		}
	}
}
