package nodes

import (
	"context"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
)

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
	return repo.db.Write(ctx, "register a profile", func(t *engine.Tx) error {
		for _, p := range platforms {
			_, err := t.Exec(ctx, `INSERT INTO collect_profile (platform, hash, registered_at) VALUES ($1, $2, $3)
				ON CONFLICT (platform) DO UPDATE SET hash = excluded.hash, registered_at = excluded.registered_at`, int64(p), hash, by.At)
			if err != nil {
				return err
			}
		}
		by.Detail = hash
		for _, p := range platforms {
			if err := accounts.WriteAudit(ctx, t, by.Entry(account.ProfileRegister, p.String())); err != nil {
				return err
			}
		}
		return nil
	})
}
