package sqldb_test

import (
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/quota"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
)

var _ account.Keys = (*accounts.Repository)(nil)

// issue creates a key and stores it.
func issue(t *testing.T, db *sqldb.DB, draft account.Draft, now int64) account.Key {
	t.Helper()
	k, _, err := draft.Issue(now, rand.Reader)
	must(t, err)
	must(t, db.Accounts.CreateKey(t.Context(), k, account.By{At: now, Actor: "cli:ann"}))
	return k
}

func TestKeysRoundTrip(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "user_1", Email: "ann@example.org"})
		plain := issue(t, db, account.Draft{Name: "plain"}, 1000)
		full := issue(t, db, account.Draft{Name: "ключ ✓", UserID: "user_1", Permissions: account.ReadCatalog,
			ExpiresAt: 5000, LimitMinute: 7, LimitDay: 70}, 2000)
		for _, want := range []account.Key{plain, full} {
			got, found, err := db.Accounts.FindKeyByHash(t.Context(), want.Hash)
			if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
				t.Errorf("FindKeyByHash: %v, %v\n%s", found, err, diff)
			}
			got, err = db.Accounts.FindKeyByID(t.Context(), want.ID)
			must(t, err)
			wantSame(t, "FindKeyByID", want, got)
		}
		all, err := db.Accounts.ListKeys(t.Context(), "", 100)
		must(t, err)
		wantSame(t, "ListKeys", []account.Key{plain, full}, all)
		first, err := db.Accounts.ListKeys(t.Context(), "", 1)
		must(t, err)
		wantSame(t, "ListKeys, the first", []account.Key{plain}, first)
		rest, err := db.Accounts.ListKeys(t.Context(), plain.ID, 100)
		must(t, err)
		wantSame(t, "ListKeys, the rest", []account.Key{full}, rest)
		if _, found, err := db.Accounts.FindKeyByHash(t.Context(), [32]byte{1}); found || err != nil {
			t.Errorf("an unknown hash: found %v, %v", found, err)
		}
		wantIs(t, "an unknown id", one(db.Accounts.FindKeyByID(t.Context(), "key_x")), account.ErrNotFound)
		if err := db.Accounts.CreateKey(t.Context(), plain, account.By{}); err == nil {
			t.Error("the same key was stored twice")
		}
	})
}

// TestKeyChanges checks that every change of a key is in the audit table and
// moves the change counter.
func TestKeyChanges(t *testing.T) {
	t.Parallel()
	type change = func(db *sqldb.DB, id string, by account.By) (account.Key, error)
	revoke := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.Accounts.RevokeKey(t.Context(), id, by)
	}
	suspend := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.Accounts.SuspendKey(t.Context(), id, "abuse", by)
	}
	resume := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.Accounts.ResumeKey(t.Context(), id, by)
	}
	limit := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.Accounts.SetKeyLimits(t.Context(), id, 5, 50, by)
	}
	rename := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.Accounts.RenameKey(t.Context(), id, "new", by)
	}
	tests := []struct {
		name   string
		before []change
		do     change
		action account.Action // "": nothing changes
		fails  string
		want   func(*account.Key)
	}{
		{"revoke", nil, revoke, account.KeyRevoke, "", func(k *account.Key) { k.RevokedAt = 9 }},
		{"revoke twice", []change{revoke}, revoke, "", "", func(k *account.Key) { k.RevokedAt = 8 }},
		{"suspend", nil, suspend, account.KeySuspend, "", func(k *account.Key) { k.SuspendedAt, k.SuspendReason = 9, "abuse" }},
		{"resume", []change{suspend}, resume, account.KeyResume, "", func(*account.Key) {}},
		{"resume a key that is not suspended", nil, resume, "", "", func(*account.Key) {}},
		{"suspend a revoked key", []change{revoke}, suspend, "", "is revoked", func(k *account.Key) { k.RevokedAt = 8 }},
		{"resume a revoked key", []change{revoke}, resume, "", "is revoked", func(k *account.Key) { k.RevokedAt = 8 }},
		{"limits", nil, limit, account.KeyLimits, "", func(k *account.Key) { k.LimitMinute, k.LimitDay = 5, 50 }},
		{"rename", nil, rename, account.KeyRename, "", func(k *account.Key) { k.Name = "new" }},
		{"rename to the same", []change{rename}, rename, "", "", func(k *account.Key) { k.Name = "new" }},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				want := issue(t, db, account.Draft{Name: "k"}, 7)
				for _, step := range tt.before {
					must(t, one(step(db, want.ID, account.By{At: 8})))
				}
				_, seq, _ := db.Accounts.KeysSince(t.Context(), account.Mark{})
				audits := audit(t, db, want.ID)
				_, err := tt.do(db, want.ID, account.By{At: 9, Actor: "cli:ann", Detail: "why", From: "::1"})
				wantError(t, err, tt.fails)
				tt.want(&want)
				got, _ := db.Accounts.FindKeyByID(t.Context(), want.ID)
				wantSame(t, "stored key", want, got)
				wantTraces(t, db, want, tt.action, seq, audits)
			})
		}
		wantIs(t, "revoking an unknown key", one(db.Accounts.RevokeKey(t.Context(), "key_x", account.By{})), account.ErrNotFound)
	})
}

// wantTraces checks that there is one audit entry of the action and that the
// key is among those changed since then; neither if action is empty.
func wantTraces(t *testing.T, db *sqldb.DB, k account.Key, action account.Action, since account.Mark, before []account.AuditEntry) {
	t.Helper()
	var want []account.AuditEntry
	var wantKeys []account.Key
	if action != "" {
		want = append(want, account.AuditEntry{At: 9, Actor: "cli:ann", Action: action, Object: k.ID, Detail: "why", From: "::1"})
		if action == account.KeyRename {
			want[0].Detail = "k" // its old name
		}
		wantKeys = append(wantKeys, k)
	}
	wantSame(t, "audit", append(want, before...), audit(t, db, k.ID))
	keys, _, err := db.Accounts.KeysSince(t.Context(), since)
	must(t, err)
	wantSame(t, fmt.Sprintf("KeysSince(%v)", since), wantKeys, keys)
}

func audit(t *testing.T, db *sqldb.DB, object string) []account.AuditEntry {
	t.Helper()
	entries, err := db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Object: object, Limit: 100})
	must(t, err)
	for i := range entries {
		entries[i].ID = 0 // entries are already ordered by id
	}
	return entries
}

// wantError checks for an error that contains text, or for none if text is
// empty.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if (err != nil) != (text != "") || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

func TestKeyUsesMoveForward(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		k := issue(t, db, account.Draft{Name: "k"}, 7)
		_, seq, _ := db.Accounts.KeysSince(t.Context(), account.Mark{})
		for _, at := range []int64{100, 50} {
			must(t, db.Accounts.SaveKeyUses(t.Context(), []account.KeyUse{{KeyID: k.ID, At: at}, {KeyID: "key_x", At: at}}))
		}
		got, _ := db.Accounts.FindKeyByID(t.Context(), k.ID)
		if got.LastUsedAt != 100 {
			t.Errorf("last used at %d, want 100", got.LastUsedAt)
		}
		if keys, now, _ := db.Accounts.KeysSince(t.Context(), seq); now != seq || len(keys) > 0 {
			t.Errorf("a use counts as a change of the key: %d keys, mark %v after %v", len(keys), now, seq)
		}
	})
}

func TestCreateKeyForAUser(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"}, account.User{ID: "usr_2", Email: "bob@example.org", DisabledAt: 1})
		create := func(userID string, want error) account.Key {
			t.Helper()
			k, _, err := account.Draft{Name: "k", UserID: userID}.Issue(7, rand.Reader)
			must(t, err)
			if err := db.Accounts.CreateKey(t.Context(), k, account.By{At: 7}); !errors.Is(err, want) {
				t.Errorf("a key of %q: %v, want %v", userID, err, want)
			}
			return k
		}
		create("usr_x", account.ErrNotFound)
		create("usr_2", account.ErrNotFound)
		first := create("usr_1", nil)
		for range account.MaxKeys - 1 {
			create("usr_1", nil)
		}
		create("usr_1", account.ErrTooManyKeys)
		create("", nil)
		must(t, one(db.Accounts.RevokeKey(t.Context(), first.ID, account.By{At: 8})))
		create("usr_1", nil)
		create("usr_1", account.ErrTooManyKeys)
		keys, err := db.Accounts.KeysOf(t.Context(), "usr_1")
		if err != nil || len(keys) != account.MaxKeys+1 || !slices.IsSortedFunc(keys, func(a, b account.Key) int { return strings.Compare(b.ID, a.ID) }) {
			t.Errorf("KeysOf: %d keys, %v; want %d, newest first", len(keys), err, account.MaxKeys+1)
		}
		if keys, err := db.Accounts.KeysOf(t.Context(), ""); len(keys) > 0 || err != nil {
			t.Errorf("KeysOf an unknown user: %d keys, %v", len(keys), err)
		}
	})
}

// TestNewKeysAreThrottled checks that a user cannot make keys without end by
// revoking them, while an operator can.
func TestNewKeysAreThrottled(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"})
		const at = 1_000_000_000
		create := func(actor string, at int64, want error) {
			t.Helper()
			k := account.Key{ID: fmt.Sprintf("key_%s_%d", actor, at), UserID: "usr_1", CreatedAt: at, Permissions: account.AllPermissions}
			k.Hash = account.HashToken(k.ID)
			if err := db.Accounts.CreateKey(t.Context(), k, account.By{At: at, Actor: actor}); !errors.Is(err, want) {
				t.Fatalf("a key by %s at %d: %v, want %v", actor, at, err, want)
			}
			if want != nil {
				return
			}
			must(t, one(db.Accounts.RevokeKey(t.Context(), k.ID, account.By{At: at, Actor: actor})))
		}
		for i := range int64(account.MaxNewKeys) {
			create("usr_1", at+i, nil)
		}
		create("usr_1", at+100, account.ErrTooManyNewKeys)
		create("cli:root", at+100, nil)
		create("usr_1", at+account.NewKeysWindow+1, nil) // the first two no longer count, the operator's does
		create("usr_1", at+account.NewKeysWindow+1, account.ErrTooManyNewKeys)
	})
}

// TestRevokedKeysOfAUser checks that an operator who makes and revokes keys for a user without end does
// not make the user's lists long.
func TestRevokedKeysOfAUser(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Write(t.Context(), "insert", func(tx *engine.Tx) error {
			if _, err := tx.RaiseCounter(t.Context(), "key_change", 1); err != nil {
				return err
			}
			for i := 100_001; i <= 106_000; i++ {
				id, revokedAt := strconv.Itoa(i), i
				if i <= 100_010 {
					revokedAt = 0
				}
				hash := account.HashToken(id)
				_, err := tx.Exec(t.Context(), `INSERT INTO api_key (id, hash, prefix, name, user_id, created_at, expires_at, last_used_at, revoked_at,
					suspended_at, suspend_reason, permissions, limit_minute, limit_day, change)
					VALUES ($1, $2, 'gdx_', 'k', 'usr_1', 1, 0, 0, $3, 0, '', 'read:catalog', 0, 0, 1)`, id, hash[:], revokedAt)
				if err != nil {
					return err
				}
			}
			return nil
		}))
		keys, err := db.Accounts.KeysOf(t.Context(), "usr_1")
		if err != nil || len(keys) != 10+5400 || keys[0].ID != "106000" || keys[5399].ID != "100601" || keys[5409].ID != "100001" {
			t.Errorf("%d keys, %v; want the 10 in use and the last 5,400 that were revoked, newest first", len(keys), err)
		}
	})
}

// TestForgetKeys checks that keys revoked long ago are deleted with what they used,
// and nothing else is.
func TestForgetKeys(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		var keys [3]account.Key
		for i := range keys {
			keys[i] = issue(t, db, account.Draft{Name: "k"}, 1)
			must(t, saveUsage(t, db, "a", int64(i+1), quota.UsageRow{KeyID: keys[i].ID, Hour: 1, Route: "/r", Outcome: quota.OutcomeOK, Count: 1}))
		}
		states := []quota.State{{ID: "usr_old", Owner: true, Spent: quota.Spent{Minute: 1}}, {ID: "usr_new", Owner: true, Spent: quota.Spent{Minute: 9}}}
		must(t, db.Accounts.SaveQuota(t.Context(), states))
		for i, at := range []int64{299_999, 300_000} {
			must(t, one(db.Accounts.RevokeKey(t.Context(), keys[i].ID, account.By{At: at})))
		}
		if gone, err := db.Accounts.ForgetKeys(t.Context(), 300_000); gone != 1 || err != nil {
			t.Errorf("%d keys forgotten, %v; want 1", gone, err)
		}
		for i, want := range []bool{false, true, true} {
			_, err := db.Accounts.FindKeyByID(t.Context(), keys[i].ID)
			used, _, usageErr := db.Accounts.SumUsage(t.Context(), keys[i].ID, 0, "")
			if usageErr != nil || (err == nil) != want || (len(used) > 0) != want {
				t.Errorf("key %d: %v, %v of %v; kept: want %v", i, err, usageErr, used, want)
			}
		}
		left, err := db.Accounts.LoadQuota(t.Context(), 0)
		if err != nil || len(left) != 1 || left[0] != states[1] {
			t.Errorf("the states left are %+v, %v; want %+v", left, err, states[1])
		}
	})
}

func TestSearchKeys(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"})
		byID, names := map[string]string{}, map[string]string{}
		for i, draft := range []account.Draft{{Name: "Ключ"}, {Name: "100%"}, {Name: "build_bot", UserID: "usr_1"}, {Name: "Build 2"}} {
			k := issue(t, db, draft, int64(1000+i))
			byID[k.ID], names[draft.Name] = draft.Name, k.ID
		}
		prefix := func(name string) string {
			k, err := db.Accounts.FindKeyByID(t.Context(), names[name])
			must(t, err)
			return k.Prefix
		}
		tests := []struct {
			query, after string
			limit        int
			want         string
		}{
			{"", "", 9, "Build 2,build_bot,100%,Ключ"},
			{"", names["build_bot"], 1, "100%"},
			{"", "", 0, ""},
			{"", "", -1, ""},
			{"build", "", 9, "Build 2,build_bot"},
			{"BUILD", "", 1, "Build 2"},
			{"build", names["Build 2"], 9, "build_bot"},
			{"кЛЮч", "", 9, "Ключ"},
			{"%", "", 9, "100%"},
			{"_bot", "", 9, "build_bot"},
			{strings.ToLower(names["Ключ"]), "", 9, "Ключ"},
			{prefix("100%"), "", 9, "100%"},
			{"Ann@Example", "", 9, "build_bot"},
			{"nothing like it", "", 9, ""},
			{"\x00", "", 9, ""},
		}
		for _, tt := range tests {
			keys, _, err := db.Accounts.SearchKeys(t.Context(), tt.query, tt.after, tt.limit)
			var got []string
			for _, k := range keys {
				got = append(got, byID[k.ID])
				if want := map[string]string{"build_bot": "ann@example.org"}[k.Name]; k.Email != want {
					t.Errorf("%s belongs to %q, want %q", k.Name, k.Email, want)
				}
			}
			if strings.Join(got, ",") != tt.want || err != nil {
				t.Errorf("SearchKeys(%q, %q, %d) = %q, %v; want %q", tt.query, tt.after, tt.limit, got, err, tt.want)
			}
		}
	})
}
