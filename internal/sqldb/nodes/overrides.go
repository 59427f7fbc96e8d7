package nodes

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"gamedex/internal/account"
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
