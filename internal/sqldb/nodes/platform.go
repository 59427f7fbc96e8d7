package nodes

import (
	"context"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
)

// SetPlatform overrides the status of a platform; "" removes the override. The
// caller must have checked the status.
func (repo *Repository) SetPlatform(ctx context.Context, p catalog.Platform, status string, by account.By) error {
	return repo.db.Write(ctx, "set platform status", func(t *engine.Tx) error {
		text, args := "DELETE FROM platform_override WHERE platform = $1", []any{int64(p)}
		if status != "" {
			text = `INSERT INTO platform_override (platform, status) VALUES ($1, $2)
				ON CONFLICT (platform) DO UPDATE SET status = excluded.status`
			args = append(args, status)
		}
		if _, err := t.Exec(ctx, text, args...); err != nil {
			return err
		}
		return accounts.WriteAudit(ctx, t, by.Entry(account.PlatformSet, p.String()))
	})
}

// PlatformOverrides returns the platforms whose status is overridden.
func (repo *Repository) PlatformOverrides(ctx context.Context) (map[catalog.Platform]string, error) {
	overrides := make(map[catalog.Platform]string)
	const text = "SELECT platform, status FROM platform_override"
	err := repo.db.Query(ctx, "read platform overrides", text, nil, func(rows engine.Rows) error {
		var p catalog.Platform
		var status string
		err := rows.Scan(&p, &status)
		overrides[p] = status
		return err
	})
	return overrides, err
}
