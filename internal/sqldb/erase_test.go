package sqldb_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

// everyText calls see with every value of every table of a database.
func everyText(t *testing.T, db *sqldb.DB, see func(table, text string)) {
	t.Helper()
	columns := `SELECT table_name || '|' || CASE data_type WHEN 'bytea' THEN 'encode(' || column_name || ', ''escape'')' ELSE column_name || '::text' END
		FROM information_schema.columns WHERE table_schema = current_schema()`
	if db.File != nil {
		columns = "SELECT m.name || '|CAST(' || c.name || ' AS TEXT)' FROM sqlite_schema m JOIN pragma_table_info(m.name) c WHERE m.type = 'table'"
	}
	for _, place := range query(t, db, columns) {
		table, value, _ := strings.Cut(place, "|")
		for _, text := range query(t, db, "SELECT COALESCE("+value+", '') FROM "+table) {
			see(place, text)
		}
	}
}

// activeUser fills a database with every possible action by and on the user "usr_1".
// Their name and the names of their keys contain "secret", sometimes in capitals.
func activeUser(t *testing.T, db *sqldb.DB) (own, revoked, other account.Key) {
	t.Helper()
	ctx, by := t.Context(), account.By{At: 5, Actor: "usr_1", From: "192.0.2.7"}
	enrol(t, db, account.User{ID: "usr_0", Email: "root@example.org", Admin: true})
	saveLinks(t, db, account.Link{Hash: [32]byte{1}, Purpose: account.LinkInvite, Email: "secret@example.org", CreatedBy: "usr_0", ExpiresAt: 100})
	accepted := db.Accounts.AcceptLink(ctx, [32]byte{1}, account.User{ID: "usr_1", PasswordHash: "phc of secret"}, by)
	own = issue(t, db, account.Draft{Name: "secret's key", UserID: "usr_1"}, 5)
	revoked = issue(t, db, account.Draft{Name: "secret's old key", UserID: "usr_1"}, 5)
	other = issue(t, db, account.Draft{Name: "k", UserID: "usr_0"}, 5)
	_, renamed := db.Accounts.RenameKey(ctx, own.ID, "another secret", by)
	_, ended := db.Accounts.RevokeKey(ctx, revoked.ID, by)
	_, suspended := db.Accounts.SuspendKey(ctx, own.ID, "spam of secret@example.org", by)
	saveSessions(t, db, account.Session{ID: "own", UserID: "usr_1", Body: []byte("secret"), ExpiresAt: 100}, account.Session{ID: "other", UserID: "usr_0", ExpiresAt: 100})
	for _, err := range []error{accepted, renamed, ended, suspended,
		db.Accounts.AddIdentity(ctx, "usr_1", "https://id.example", "secret", by),
		db.Accounts.NoteSignIn(ctx, "usr_1", by),
		db.Accounts.Watch(ctx, "usr_1", "pcstore/secret"),
		db.Accounts.SaveLink(ctx, account.Link{Hash: [32]byte{2}, Purpose: account.LinkReset, UserID: "usr_1", ExpiresAt: 100}, by),
		db.Accounts.SaveLink(ctx, account.Link{Hash: [32]byte{3}, Purpose: account.LinkInvite, Email: "secret@example.org", ExpiresAt: 100}, by),
		db.Accounts.SaveLink(ctx, account.Link{Hash: [32]byte{4}, Purpose: account.LinkInvite, Email: "eve@example.org", ExpiresAt: 100}, account.By{}),
	} {
		must(t, err)
	}
	addAudit(t, db,
		account.AuditEntry{At: 6, Actor: "usr_0", Object: "x", Detail: `{"email":"Secret@Example.org"}`, From: "198.51.100.1"},
		account.AuditEntry{At: 6, Actor: "cli:SECRET@example.org", Object: "Secret@example.org", From: "198.51.100.1"},
		account.AuditEntry{At: 6, Actor: "usr_0", Object: "y", Detail: "see tell.a@example.org"})
	return own, revoked, other
}

func TestDeletedUserLeavesNoRows(t *testing.T) {
	t.Parallel()
	for _, by := range []account.By{
		{At: 9, Actor: "usr_0", From: "198.51.100.1", Detail: "secret@example.org asked for it"},
		{At: 9, Actor: "usr_1", From: "192.0.2.7"}, // the user
	} {
		t.Run("by "+by.Actor, func(t *testing.T) {
			onEach(t, func(t *testing.T, db *sqldb.DB) {
				own, revoked, other := activeUser(t, db)
				_, seq, _ := db.Accounts.KeysSince(t.Context(), account.Mark{})
				must(t, db.Accounts.DeleteUser(t.Context(), "usr_1", by))
				everyText(t, db, func(place, text string) {
					if strings.Contains(strings.ToLower(text), "secret") || text == "192.0.2.7" {
						t.Errorf("%s still has %q", place, text)
					}
				})
				wantIs(t, "the user", one(db.Accounts.FindUser(t.Context(), "usr_1")), account.ErrNotFound)
				wantOrphan(t, db, own, 9)
				wantOrphan(t, db, revoked, 5)
				if k, err := db.Accounts.FindKeyByID(t.Context(), other.ID); k != other || err != nil {
					t.Errorf("another user's key became %+v, %v", k, err)
				}
				if changed, _, err := db.Accounts.KeysSince(t.Context(), seq); len(changed) != 2 || err != nil {
					t.Errorf("%d keys have changed, %v; want both of the user's", len(changed), err)
				}
				wantAuditAfter(t, db, by)
				wantSession(t, db, "other", true)
				if links, err := db.Accounts.OpenLinks(t.Context(), 50); len(links) != 1 || links[0].Email != "eve@example.org" || err != nil {
					t.Errorf("links %+v, %v; want those of another user", links, err)
				}
			})
		})
	}
}

func wantOrphan(t *testing.T, db *sqldb.DB, k account.Key, revokedAt int64) {
	t.Helper()
	got, err := db.Accounts.FindKeyByID(t.Context(), k.ID)
	if err != nil || got.RevokedAt != revokedAt || got.UserID != "" || got.Name != "deleted" || got.SuspendReason != "" {
		t.Errorf("the user's key became %+v, %v", got, err)
	}
}

// wantAuditAfter checks that entries about the user are found by their id, and
// that entries about others are unchanged.
func wantAuditAfter(t *testing.T, db *sqldb.DB, by account.By) {
	t.Helper()
	entries, err := db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Limit: 999})
	must(t, err)
	want := map[string]account.AuditEntry{
		"x": {At: 6, Actor: "usr_0", Object: "x", Detail: `{"email":"usr_1"}`, From: "198.51.100.1"},
		"y": {At: 6, Actor: "usr_0", Object: "y", Detail: "see tell.a@example.org"},
	}
	for _, e := range entries {
		e.ID = 0
		if w, known := want[e.Object]; known && e != w {
			t.Errorf("entry %+v, want %+v", e, w)
		}
		if e.Actor == "usr_1" && e.From != "" {
			t.Errorf("entry %+v shows the address of the user", e)
		}
	}
	wantActions(t, db, "usr_1", account.UserDelete, "", account.LinkCreate, account.LinkCreate, account.UserSignIn,
		account.UserIdentity, account.UserCreate, account.LinkCreate)
	last := account.AuditEntry{At: 9, Actor: by.Actor, Action: account.UserDelete, Object: "usr_1"}
	if by.Actor == "usr_0" {
		last.From, last.Detail = by.From, "usr_1 asked for it"
	}
	wantSame(t, "last entry", last, audit(t, db, "usr_1")[0])
}

// TestDeletedDataIsNotInFiles checks that the files do not contain deleted data,
// even while the database is open.
func TestDeletedDataIsNotInFiles(t *testing.T) {
	t.Parallel()
	db := open(t, sqliteEngine.dsn(t))
	enrol(t, db, account.User{ID: "usr_0", Email: "root@example.org", Admin: true})
	for i := range 50 {
		id := fmt.Sprintf("usr_gone%d", i)
		enrol(t, db, account.User{ID: id, Email: id + "@forgotten.example", PasswordHash: "$argon2id$" + strings.Repeat("x", 60)})
		must(t, db.Accounts.DeleteUser(t.Context(), id, account.By{At: 9, Actor: "usr_0"}))
	}
	for _, path := range []string{db.File.Path(), db.File.Path() + "-wal"} {
		content, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if n := bytes.Count(content, []byte("forgotten.example")) + bytes.Count(content, []byte("$argon2id$")); n > 0 {
			t.Errorf("%s still has %d pieces of deleted users", filepath.Base(path), n)
		}
	}
}
