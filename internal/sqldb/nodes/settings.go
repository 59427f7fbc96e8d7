package nodes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
)

// SaveOverrides replaces the overrides, a file of rules. The caller must have checked
// it.
func (repo *Repository) SaveOverrides(ctx context.Context, file []byte, by account.By) error {
	file = append([]byte{}, file...) // nil would be NULL
	sum := sha256.Sum256(file)
	return repo.db.Write(ctx, "save overrides", func(t *engine.Tx) error {
		_, err := t.Exec(ctx, `INSERT INTO overrides (one, body, hash) VALUES (1, $1, $2)
			ON CONFLICT (one) DO UPDATE SET body = excluded.body, hash = excluded.hash`, file, hex.EncodeToString(sum[:]))
		if err != nil {
			return err
		}
		return accounts.WriteAudit(ctx, t, by.Entry(account.OverridesImport, "overrides"))
	})
}

// LoadOverrides returns the stored file of rules, and its hash; empty before any was saved.
func (repo *Repository) LoadOverrides(ctx context.Context) (file []byte, hash string, err error) {
	_, err = repo.db.FindRow(ctx, "read overrides", "SELECT body, hash FROM overrides", nil, []any{&file, &hash})
	return file, hash, err
}

// OverridesHash returns the hash alone, which differs between different files.
func (repo *Repository) OverridesHash(ctx context.Context) (hash string, err error) {
	_, err = repo.db.FindRow(ctx, "read the hash of overrides", "SELECT hash FROM overrides", nil, []any{&hash})
	return hash, err
}

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

// AgreeProfile registers the hash of the profile with which a platform is collected,
// unless there is one, and returns the registered one and since when.
func (repo *Repository) AgreeProfile(ctx context.Context, p catalog.Platform, hash string, now int64) (registered string, at int64, err error) {
	err = repo.db.Write(ctx, "register the profile of "+p.String(), func(t *engine.Tx) error {
		_, err := t.Exec(ctx, `INSERT INTO collect_profile (platform, hash, registered_at) VALUES ($1, $2, $3)
			ON CONFLICT (platform) DO NOTHING`, int64(p), hash, now)
		if err != nil {
			return err
		}
		const text = "SELECT hash, registered_at FROM collect_profile WHERE platform = $1"
		_, err = t.FindRow(ctx, text, []any{int64(p)}, []any{&registered, &at})
		return err
	})
	return registered, at, err
}

// RegisterProfile replaces the registered profile of platforms, which must be sorted.
func (repo *Repository) RegisterProfile(ctx context.Context, platforms []catalog.Platform, hash string, by account.By) error {
	by.Detail = hash
	return repo.db.Write(ctx, "register a profile", func(t *engine.Tx) error {
		var entries []account.AuditEntry
		for _, p := range platforms {
			entries = append(entries, by.Entry(account.ProfileRegister, p.String()))
			_, err := t.Exec(ctx, `INSERT INTO collect_profile (platform, hash, registered_at) VALUES ($1, $2, $3)
				ON CONFLICT (platform) DO UPDATE SET hash = excluded.hash, registered_at = excluded.registered_at`, int64(p), hash, by.At)
			if err != nil {
				return err
			}
		}
		return accounts.WriteAudit(ctx, t, entries...)
	})
}
