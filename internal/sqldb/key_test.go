package sqldb_test

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

var _ account.Store = (*sqldb.DB)(nil)

// issue makes a key and stores it.
func issue(t *testing.T, db *sqldb.DB, draft account.Draft, now int64) account.Key {
	t.Helper()
	k, _, err := draft.Issue(now, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.CreateKey(t.Context(), k, account.By{At: now, Actor: "cli:ann"}); err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKeysComeBackWhole(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		plain := issue(t, db, account.Draft{Name: "plain"}, 1000)
		full := issue(t, db, account.Draft{Name: "ключ ✓", UserID: "user_1", Permissions: account.ReadCatalog,
			ExpiresAt: 5000, LimitMinute: 7, LimitDay: 70}, 2000)
		for _, want := range []account.Key{plain, full} {
			got, found, err := db.FindKeyByHash(t.Context(), want.Hash)
			if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
				t.Errorf("FindKeyByHash: %v, %v\n%s", found, err, diff)
			}
			got, err = db.FindKeyByID(t.Context(), want.ID)
			if diff := cmp.Diff(want, got); diff != "" || err != nil {
				t.Errorf("FindKeyByID: %v\n%s", err, diff)
			}
		}
		all, err := db.ListKeys(t.Context())
		if diff := cmp.Diff([]account.Key{plain, full}, all); diff != "" || err != nil {
			t.Errorf("ListKeys: %v\n%s", err, diff)
		}
		if _, found, err := db.FindKeyByHash(t.Context(), [32]byte{1}); found || err != nil {
			t.Errorf("an unknown hash: found %v, %v", found, err)
		}
		if _, err := db.FindKeyByID(t.Context(), "key_x"); !errors.Is(err, account.ErrNotFound) {
			t.Errorf("an unknown id: %v, want ErrNotFound", err)
		}
		if err := db.CreateKey(t.Context(), plain, account.By{}); err == nil {
			t.Error("the same key was stored twice")
		}
	})
}

// Every change of a key is in the audit table and moves the change counter.
func TestKeyChanges(t *testing.T) {
	type change = func(db *sqldb.DB, id string, by account.By) (account.Key, error)
	revoke := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.RevokeKey(t.Context(), id, by)
	}
	suspend := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.SuspendKey(t.Context(), id, "abuse", by)
	}
	resume := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.ResumeKey(t.Context(), id, by)
	}
	limit := func(db *sqldb.DB, id string, by account.By) (account.Key, error) {
		return db.SetKeyLimits(t.Context(), id, 5, 50, by)
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
		{"resume what is not suspended", nil, resume, "", "", func(*account.Key) {}},
		{"suspend a revoked key", []change{revoke}, suspend, "", "is revoked", func(k *account.Key) { k.RevokedAt = 8 }},
		{"resume a revoked key", []change{revoke}, resume, "", "is revoked", func(k *account.Key) { k.RevokedAt = 8 }},
		{"limits", nil, limit, account.KeyLimits, "", func(k *account.Key) { k.LimitMinute, k.LimitDay = 5, 50 }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			onEach(t, func(t *testing.T, db *sqldb.DB) {
				want := issue(t, db, account.Draft{Name: "k"}, 7)
				for _, step := range tt.before {
					if _, err := step(db, want.ID, account.By{At: 8}); err != nil {
						t.Fatal(err)
					}
				}
				_, seq, _ := db.KeysSince(t.Context(), 0)
				audits := audit(t, db, want.ID)
				_, err := tt.do(db, want.ID, account.By{At: 9, Actor: "cli:ann", Detail: "why", From: "::1"})
				wantError(t, err, tt.fails)
				tt.want(&want)
				got, _ := db.FindKeyByID(t.Context(), want.ID)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("stored key differs (-want +got):\n%s", diff)
				}
				wantTraces(t, db, want, tt.action, seq, audits)
			})
		})
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		if _, err := db.RevokeKey(t.Context(), "key_x", account.By{}); !errors.Is(err, account.ErrNotFound) {
			t.Errorf("revoking an unknown key: %v, want ErrNotFound", err)
		}
	})
}

// wantTraces wants one audit entry of action and the key among those changed
// since seq; neither if action is empty.
func wantTraces(t *testing.T, db *sqldb.DB, k account.Key, action account.Action, seq int64, before []account.AuditEntry) {
	t.Helper()
	var want []account.AuditEntry
	var wantKeys []account.Key
	if action != "" {
		want = append(want, account.AuditEntry{At: 9, Actor: "cli:ann", Action: action, Object: k.ID, Detail: "why", From: "::1"})
		wantKeys = append(wantKeys, k)
	}
	if diff := cmp.Diff(append(want, before...), audit(t, db, k.ID)); diff != "" {
		t.Errorf("audit differs (-want +got):\n%s", diff)
	}
	keys, _, err := db.KeysSince(t.Context(), seq)
	if diff := cmp.Diff(wantKeys, keys); diff != "" || err != nil {
		t.Errorf("KeysSince(%d): %v (-want +got):\n%s", seq, err, diff)
	}
}

func audit(t *testing.T, db *sqldb.DB, object string) []account.AuditEntry {
	t.Helper()
	entries, err := db.ListAudit(t.Context(), object, 100)
	if err != nil {
		t.Fatal(err)
	}
	return entries
}

// wantError wants an error that contains text, or none if text is empty.
func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if (err != nil) != (text != "") || err != nil && !strings.Contains(err.Error(), text) {
		t.Errorf("error %v, want one with %q", err, text)
	}
}

func TestKeyUsesMoveForward(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		k := issue(t, db, account.Draft{Name: "k"}, 7)
		_, seq, _ := db.KeysSince(t.Context(), 0)
		for _, at := range []int64{100, 50} {
			if err := db.SaveKeyUses(t.Context(), []account.KeyUse{{KeyID: k.ID, At: at}, {KeyID: "key_x", At: at}}); err != nil {
				t.Fatal(err)
			}
		}
		got, _ := db.FindKeyByID(t.Context(), k.ID)
		if got.LastUsedAt != 100 {
			t.Errorf("last used at %d, want 100", got.LastUsedAt)
		}
		if keys, now, _ := db.KeysSince(t.Context(), seq); now != seq || len(keys) > 0 {
			t.Errorf("a use counts as a change of the key: %d keys, counter %d after %d", len(keys), now, seq)
		}
	})
}

func TestAuditNewestFirst(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for i, object := range []string{"a", "b", "a"} {
			if err := db.AddAudit(t.Context(), account.AuditEntry{At: int64(i), Object: object}); err != nil {
				t.Fatal(err)
			}
		}
		all, err := db.ListAudit(t.Context(), "", 2)
		if err != nil || len(all) != 2 || all[0].At != 2 || all[1].At != 1 {
			t.Errorf("ListAudit of all = %v, %v; want the two newest, newest first", all, err)
		}
		if of := audit(t, db, "a"); len(of) != 2 || of[0].At != 2 || of[1].At != 0 {
			t.Errorf("ListAudit of one = %v", of)
		}
	})
}
