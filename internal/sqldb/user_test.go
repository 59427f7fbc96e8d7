package sqldb_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

// enrol stores users, with an audit entry without an actor at the time 0.
func enrol(t *testing.T, db *sqldb.DB, users ...account.User) {
	t.Helper()
	for _, u := range users {
		must(t, db.Accounts.CreateUser(t.Context(), u, account.By{}))
	}
}

func mustFindUser(t *testing.T, db *sqldb.DB, id string) account.User {
	t.Helper()
	u, err := db.Accounts.FindUser(t.Context(), id)
	must(t, err)
	return u
}

func TestUsersRoundTrip(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		ann := account.User{ID: "usr_1", Email: "ann@example.org", PasswordHash: "$argon2id$x", Admin: true,
			CreatedAt: 1, SignedInAt: 2, DisabledAt: 3, Epoch: 4}
		bob := account.User{ID: "usr_2", Email: "bób@example.org"}
		enrol(t, db, ann, bob)
		must(t, db.Accounts.AddIdentity(ctx, bob.ID, "https://id.example", "b", account.By{}))
		for email, want := range map[string]string{ann.Email: ann.ID, bob.Email: bob.ID, "nobody@example.org": ""} {
			if u, found, err := db.Accounts.FindUserByEmail(ctx, email); found != (want != "") || found && u.ID != want || err != nil {
				t.Errorf("%s: found %v %+v, %v", email, found, u, err)
			}
		}
		for _, id := range []struct{ issuer, subject, want string }{
			{"https://id.example", "b", bob.ID}, {"https://other.example", "b", ""}, {"https://id.example", "a", ""},
		} {
			if u, found, err := db.Accounts.FindUserByIdentity(ctx, id.issuer, id.subject); found != (id.want != "") || found && u.ID != id.want || err != nil {
				t.Errorf("%+v: found %v %+v, %v", id, found, u, err)
			}
		}
		wantSame(t, "FindUser", []account.User{ann, bob}, []account.User{mustFindUser(t, db, ann.ID), mustFindUser(t, db, bob.ID)})
		wantIs(t, "an unknown id", one(db.Accounts.FindUser(ctx, "usr_x")), account.ErrNotFound)
		if n, err := db.Accounts.CountUsers(ctx); n != 2 || err != nil {
			t.Errorf("%d users, %v; want 2", n, err)
		}
		err := db.Accounts.CreateUser(ctx, account.User{ID: "usr_3", Email: ann.Email}, account.By{})
		if !errors.Is(err, account.ErrEmailTaken) {
			t.Errorf("the same email address twice: %v, want ErrEmailTaken", err)
		}
		if err := db.Accounts.CreateUser(ctx, account.User{ID: ann.ID, Email: "new@example.org"}, account.By{}); err == nil {
			t.Error("the same id was stored twice")
		}
	})
}

func TestIdentitiesHaveOneOwner(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "usr_1", Email: "a@example.org"}, account.User{ID: "usr_2", Email: "b@example.org"})
		for _, step := range []struct {
			user, fails string
		}{{"usr_1", ""}, {"usr_1", ""}, {"usr_2", "belongs to another user"}, {"usr_x", "not found"}} {
			err := db.Accounts.AddIdentity(t.Context(), step.user, "https://id.example", "s", account.By{})
			wantError(t, err, step.fails)
		}
		wantActions(t, db, "usr_1", account.UserIdentity, account.UserCreate)
		wantActions(t, db, "usr_2", account.UserCreate)
	})
}

// wantActions checks the audited actions on an object, newest first.
func wantActions(t *testing.T, db *sqldb.DB, object string, want ...account.Action) {
	t.Helper()
	var got []account.Action
	for _, e := range audit(t, db, object) {
		got = append(got, e.Action)
	}
	wantSame(t, "actions on "+object, want, got)
}

func TestListUsers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for i, email := range []string{"ann@example.org", "a_n@example.org", "100%@example.com", `back\slash@example.org`, "жанна@example.org"} {
			enrol(t, db, account.User{ID: fmt.Sprint("usr_", i), Email: email})
		}
		for range 2 {
			issue(t, db, account.Draft{Name: "k", UserID: "usr_1"}, 1)
		}
		gone := issue(t, db, account.Draft{Name: "gone", UserID: "usr_1"}, 1)
		must(t, one(db.Accounts.RevokeKey(t.Context(), gone.ID, account.By{At: 2})))
		tests := []struct {
			query, after string
			limit        int
			want         string
		}{
			{"", "", 9, "usr_0 usr_1 usr_2 usr_3 usr_4"},
			{"", "usr_1", 2, "usr_2 usr_3"},
			{"", "usr_4", 2, ""},
			{"", "", 0, ""},
			{"", "", -1, ""},
			{"ANN", "", 9, "usr_0"},
			{"_", "", 9, "usr_1"},
			{"%", "", 9, "usr_2"},
			{`\`, "", 9, "usr_3"},
			{"ЖАННА@", "", 9, "usr_4"},
			{"org", "usr_0", 2, "usr_1 usr_3"},
			{"\x00", "", 9, ""},
			{"\xff", "", 9, ""},
			{strings.Repeat("%", 100_000), "", 9, ""},
		}
		for _, tt := range tests {
			users, err := db.Accounts.ListUsers(t.Context(), tt.query, tt.after, tt.limit)
			var ids []string
			for _, u := range users {
				ids = append(ids, u.ID)
				if want := map[string]int{"usr_1": 2}[u.ID]; u.Keys != want {
					t.Errorf("%s has %d keys, want %d", u.ID, u.Keys, want)
				}
			}
			if got := strings.Join(ids, " "); got != tt.want || err != nil {
				t.Errorf("ListUsers(%.20q, %q, %d) = %q, %v; want %q", tt.query, tt.after, tt.limit, got, err, tt.want)
			}
		}
	})
}

// userChange is a change of the user "usr_1".
type userChange func(db *sqldb.DB, by account.By) error

// userChanges lists all of them, by name.
func userChanges(t *testing.T) map[string]userChange {
	ctx := t.Context()
	return map[string]userChange{
		"password": func(db *sqldb.DB, by account.By) error { return db.Accounts.SetPassword(ctx, "usr_1", "new", by) },
		"admin":    func(db *sqldb.DB, by account.By) error { return db.Accounts.SetAdmin(ctx, "usr_1", true, by) },
		"no admin": func(db *sqldb.DB, by account.By) error { return db.Accounts.SetAdmin(ctx, "usr_1", false, by) },
		"disable":  func(db *sqldb.DB, by account.By) error { return db.Accounts.DisableUser(ctx, "usr_1", by) },
		"enable":   func(db *sqldb.DB, by account.By) error { return db.Accounts.EnableUser(ctx, "usr_1", by) },
		"sign out": func(db *sqldb.DB, by account.By) error { return db.Accounts.EndSessions(ctx, "usr_1", by) },
		"sign in":  func(db *sqldb.DB, by account.By) error { return db.Accounts.NoteSignIn(ctx, "usr_1", by) },
		"delete":   func(db *sqldb.DB, by account.By) error { return db.Accounts.DeleteUser(ctx, "usr_1", by) },
	}
}

// TestUserChanges checks that every change of a user is in the audit table, and
// that those that end the user's sessions raise the epoch.
func TestUserChanges(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		before string
		action account.Action // "": nothing changes
		ends   bool           // the user's sessions
		want   func(*account.User)
	}{
		{"password", "", account.UserPassword, true, func(u *account.User) { u.PasswordHash = "new" }},
		{"admin", "", account.UserAdmin, false, func(u *account.User) { u.Admin = true }},
		{"admin", "admin", "", false, func(u *account.User) { u.Admin = true }},
		{"no admin", "admin", account.UserNoAdmin, false, func(u *account.User) { u.Admin = false }},
		{"no admin", "", "", false, func(*account.User) {}},
		{"disable", "", account.UserDisable, true, func(u *account.User) { u.DisabledAt = 9 }},
		{"disable", "disable", "", false, func(u *account.User) { u.DisabledAt = 8 }},
		{"enable", "disable", account.UserEnable, false, func(u *account.User) { u.DisabledAt = 0 }},
		{"enable", "", "", false, func(*account.User) {}},
		{"sign out", "", account.UserSignOut, true, func(*account.User) {}},
		{"sign in", "", account.UserSignIn, false, func(u *account.User) { u.SignedInAt = 9 }},
		{"sign in", "sign in", account.UserSignIn, false, func(u *account.User) { u.SignedInAt = 9 }},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name+" after "+tt.before, func(t *testing.T) {
				empty(t, db)
				enrol(t, db, account.User{ID: "usr_0", Email: "root@example.org", Admin: true},
					account.User{ID: "usr_1", Email: "ann@example.org", PasswordHash: "old"})
				if tt.before != "" {
					must(t, userChanges(t)[tt.before](db, account.By{At: 8}))
				}
				want := mustFindUser(t, db, "usr_1")
				audits := audit(t, db, "usr_1")
				saveSessions(t, db, account.Session{ID: "own", UserID: "usr_1", ExpiresAt: 100}, account.Session{ID: "other", UserID: "usr_0", ExpiresAt: 100})
				err := userChanges(t)[tt.name](db, account.By{At: 9, Actor: "usr_0", Detail: "why", From: "::1"})
				must(t, err)
				if tt.want(&want); tt.ends {
					want.Epoch++
				}
				wantSame(t, "stored user", want, mustFindUser(t, db, "usr_1"))
				if tt.action != "" {
					audits = append([]account.AuditEntry{{At: 9, Actor: "usr_0", Action: tt.action, Object: "usr_1", Detail: "why", From: "::1"}}, audits...)
				}
				wantSame(t, "audit", audits, audit(t, db, "usr_1"))
				wantSession(t, db, "own", !tt.ends)
				wantSession(t, db, "other", true)
			})
		}
	})
}

func TestChangesOfUnknownUsers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for name, change := range userChanges(t) {
			if err := change(db, account.By{}); !errors.Is(err, account.ErrNotFound) {
				t.Errorf("%s: %v, want ErrNotFound", name, err)
			}
		}
	})
}

func TestTheLastAdminStays(t *testing.T) {
	t.Parallel()
	ann := account.User{ID: "usr_1", Email: "ann@example.org", Admin: true}
	bob := account.User{ID: "usr_2", Email: "bob@example.org", Admin: true}
	disabled, plain := bob, bob
	disabled.DisabledAt, plain.Admin = 1, false
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, action := range []string{"no admin", "disable", "delete"} {
			for _, tt := range []struct {
				name  string
				other account.User
				last  bool
			}{{"beside another one", bob, false}, {"beside a disabled one", disabled, true}, {"beside a plain user", plain, true}} {
				t.Run(action+" "+tt.name, func(t *testing.T) {
					empty(t, db)
					enrol(t, db, ann, tt.other)
					err := userChanges(t)[action](db, account.By{At: 9})
					if errors.Is(err, account.ErrLastAdmin) != tt.last || (err != nil) != tt.last {
						t.Errorf("error %v; is this the last administrator: %v", err, tt.last)
					}
					if tt.last && mustFindUser(t, db, ann.ID) != ann {
						t.Error("a refused change has left a trace")
					}
				})
			}
		}
		empty(t, db)
		enrol(t, db, ann, disabled)
		if err := db.Accounts.SetAdmin(t.Context(), disabled.ID, false, account.By{}); err != nil {
			t.Errorf("a disabled administrator may be removed: %v", err)
		}
	})
}

// TestKeysStopWithTheirUser checks that a user's active keys stop and resume
// with the user, and that keys suspended or revoked before do not.
func TestKeysStopWithTheirUser(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"}, account.User{ID: "usr_2", Email: "bob@example.org"})
		status := map[string]account.Status{}
		add := func(draft account.Draft, want account.Status) account.Key {
			k := issue(t, db, draft, 1)
			status[draft.Name] = want
			return k
		}
		active := add(account.Draft{Name: "active", UserID: "usr_1"}, account.StatusSuspended)
		add(account.Draft{Name: "expired", UserID: "usr_1", ExpiresAt: 5}, account.StatusExpired)
		suspended := add(account.Draft{Name: "suspended", UserID: "usr_1"}, account.StatusSuspended)
		revoked := add(account.Draft{Name: "revoked", UserID: "usr_1"}, account.StatusRevoked)
		resumed := add(account.Draft{Name: "resumed", UserID: "usr_1"}, account.StatusSuspended)
		add(account.Draft{Name: "another's", UserID: "usr_2"}, account.StatusActive)
		add(account.Draft{Name: "nobody's"}, account.StatusActive)
		_, err1 := db.Accounts.SuspendKey(ctx, suspended.ID, "abuse", account.By{At: 6})
		_, err2 := db.Accounts.SuspendKey(ctx, resumed.ID, "abuse", account.By{At: 6})
		_, err3 := db.Accounts.RevokeKey(ctx, revoked.ID, account.By{At: 6})
		_, seq, err4 := db.Accounts.KeysSince(ctx, account.Mark{})
		err5 := db.Accounts.DisableUser(ctx, "usr_1", account.By{At: 9, Actor: "usr_0", Detail: "spam"})
		must(t, errors.Join(err1, err2, err3, err4, err5))
		wantStatuses(t, db, status)
		changed, seq, err := db.Accounts.KeysSince(ctx, seq)
		if len(changed) != 1 || changed[0].ID != active.ID || changed[0].SuspendReason != account.SuspendedWithUser || err != nil {
			t.Errorf("changed: %+v, %v; want the active key", changed, err)
		}
		want := account.AuditEntry{At: 9, Actor: "usr_0", Action: account.KeySuspend, Object: active.ID, Detail: account.SuspendedWithUser}
		wantSame(t, "audit entry of the key", want, audit(t, db, active.ID)[0])

		// Resuming a key of a disabled user removes only the key's own
		// suspension.
		k, err := db.Accounts.ResumeKey(ctx, resumed.ID, account.By{At: 10})
		if err != nil || k.SuspendedAt == 0 || k.SuspendReason != account.SuspendedWithUser {
			t.Errorf("a key resumed while its user is disabled: %+v, %v", k, err)
		}
		must(t, db.Accounts.EnableUser(ctx, "usr_1", account.By{At: 11}))
		status["active"], status["resumed"] = account.StatusActive, account.StatusActive
		wantStatuses(t, db, status)
		if changed, _, err := db.Accounts.KeysSince(ctx, seq); len(changed) != 2 || err != nil {
			t.Errorf("%d keys changed, %v; want 2", len(changed), err)
		}
	})
}

// wantStatuses checks that the keys of these names are in these states at 9.
func wantStatuses(t *testing.T, db *sqldb.DB, want map[string]account.Status) {
	t.Helper()
	keys, err := db.Accounts.ListKeys(t.Context(), "", 100)
	must(t, err)
	got := map[string]account.Status{}
	for _, k := range keys {
		got[k.Name] = k.Status(9)
	}
	wantSame(t, "states", want, got, cmpopts.EquateEmpty())
}
