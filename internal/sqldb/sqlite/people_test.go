package sqlite_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/sqlite"
)

// TestUpgradeAddsPeople checks that a database of the version without users keeps
// its keys and audit entries, and that their addresses are shortened like those of
// later entries.
func TestUpgradeAddsPeople(t *testing.T) {
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "gamedex.db")
	err := sqlite.CreateVersion(ctx, path, 2, `
			INSERT INTO api_key (id, hash, prefix, name, user_id, created_at, expires_at, last_used_at, revoked_at, suspended_at,
				suspend_reason, permissions, limit_minute, limit_day, change)
			VALUES ('key_1', zeroblob(32), 'gdx_aaaa', 'old', '', 1, 2, 3, 0, 4, 'abuse', 'read:catalog', 5, 6, 1);
			INSERT INTO audit (id, at, actor, action, object, detail, origin) VALUES
				(1, 10, 'cli:ann', 'key.create', 'key_1', 'd', ''), (2, 20, 'cli:ann', 'key.suspend', 'key_1', '', '192.0.2.7');
			UPDATE counter SET value = 2 WHERE name = 'audit';
			INSERT INTO usage (key_id, hour, route, outcome, run, count) VALUES ('key_1', 7, '/r', 'ok', 'a', 8);
			INSERT INTO collection (platform, since, interval_ms, stopped_until, stop_reason) VALUES (1, 9, 10, 0, '');`)
	if err != nil {
		t.Fatal(err)
	}

	db, err := sqldb.Open(ctx, "sqlite:"+path, engine.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	want := account.Key{ID: "key_1", Prefix: "gdx_aaaa", Name: "old", CreatedAt: 1, ExpiresAt: 2, LastUsedAt: 3, SuspendedAt: 4,
		SuspendReason: "abuse", Permissions: account.ReadCatalog, LimitMinute: 5, LimitDay: 6}
	keys, err := db.Accounts.ListKeys(ctx)
	if diff := cmp.Diff([]account.Key{want}, keys); diff != "" || err != nil {
		t.Errorf("keys: %v (-want +got):\n%s", err, diff)
	}
	usage, err := db.Accounts.UsageByHour(ctx, []string{"key_1"}, 0)
	if err != nil || len(usage) != 1 || usage[0].Count != 8 {
		t.Errorf("usage %+v, %v", usage, err)
	}
	if collected, err := db.Sweeps.Collections(ctx); err != nil || len(collected) != 1 || collected[0].Since != 9 {
		t.Errorf("collections %+v, %v", collected, err)
	}
	if err := db.Accounts.CreateUser(ctx, account.User{ID: "usr_1", Email: "ann@example.org"}, account.By{At: 30}); err != nil {
		t.Error(err)
	}
	if err := db.Accounts.ShortenAddresses(ctx, 25); err != nil {
		t.Fatal(err)
	}
	entries, err := db.Accounts.SearchAudit(ctx, account.AuditQuery{Limit: 9})
	slices.Reverse(entries)
	wantEntries := []account.AuditEntry{
		{ID: 1, At: 10, Actor: "cli:ann", Action: account.KeyCreate, Object: "key_1", Detail: "d"},
		{ID: 2, At: 20, Actor: "cli:ann", Action: account.KeySuspend, Object: "key_1", From: "192.0.2.0"},
		{ID: 3, At: 30, Action: account.UserCreate, Object: "usr_1"},
	}
	if diff := cmp.Diff(wantEntries, entries); diff != "" || err != nil {
		t.Errorf("audit entries: %v (-want +got):\n%s", err, diff)
	}
}
