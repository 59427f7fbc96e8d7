package sqldb

import (
	"context"
	"database/sql"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
)

// SetPlatform overrides the status of a platform; "" takes the override back.
// The caller has checked the word.
func (db *DB) SetPlatform(ctx context.Context, p catalog.Platform, status string, by account.By) error {
	return db.write(ctx, "set platform status", func(t *tx) error {
		text, args := "DELETE FROM platform_override WHERE platform = $1", []any{int64(p)}
		if status != "" {
			text = `INSERT INTO platform_override (platform, status) VALUES ($1, $2)
				ON CONFLICT (platform) DO UPDATE SET status = excluded.status`
			args = append(args, status)
		}
		if _, err := t.exec(ctx, text, args...); err != nil {
			return err
		}
		return t.audit(ctx, by.Entry(account.PlatformSet, p.String()))
	})
}

// PlatformOverrides gives the platforms whose status is overridden.
func (db *DB) PlatformOverrides(ctx context.Context) (map[catalog.Platform]string, error) {
	overrides := make(map[catalog.Platform]string)
	const text = "SELECT platform, status FROM platform_override"
	err := db.query(ctx, "read platform overrides", text, nil, func(rows *sql.Rows) error {
		var p catalog.Platform
		var status string
		err := rows.Scan(&p, &status)
		overrides[p] = status
		return err
	})
	return overrides, err
}
