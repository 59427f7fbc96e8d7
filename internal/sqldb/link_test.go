package sqldb_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

var (
	setupLink  = account.Link{Hash: [32]byte{1}, Purpose: account.LinkSetup, CreatedBy: "cli:ann", CreatedAt: 1, ExpiresAt: 100}
	inviteLink = account.Link{Hash: [32]byte{2}, Purpose: account.LinkInvite, Email: "bob@example.org", Admin: true, CreatedBy: "usr_1", CreatedAt: 2, ExpiresAt: 100}
	resetLink  = account.Link{Hash: [32]byte{3}, Purpose: account.LinkReset, UserID: "usr_1", CreatedBy: "usr_1", CreatedAt: 3, ExpiresAt: 100}
)

func saveLinks(t *testing.T, db *sqldb.DB, links ...account.Link) {
	t.Helper()
	for _, l := range links {
		must(t, db.Accounts.SaveLink(t.Context(), l, account.By{At: l.CreatedAt, Actor: l.CreatedBy}))
	}
}

func wantLinks(t *testing.T, db *sqldb.DB, want ...account.Link) {
	t.Helper()
	got, err := db.Accounts.OpenLinks(t.Context(), 50)
	must(t, err)
	wantSame(t, "open links", want, got)
}

func TestLinksRoundTrip(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"})
		old := account.Link{Hash: [32]byte{9}, Purpose: account.LinkInvite, Email: "old@example.org", ExpiresAt: 50}
		saveLinks(t, db, setupLink, inviteLink, resetLink, old)
		wantLinks(t, db, resetLink, inviteLink, setupLink)
		for _, want := range []account.Link{setupLink, inviteLink, resetLink} {
			got, found, err := db.Accounts.FindLink(ctx, want.Hash, 99)
			if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
				t.Errorf("FindLink: %v, %v (-want +got):\n%s", found, err, diff)
			}
			if _, found, err := db.Accounts.FindLink(ctx, want.Hash, 100); found || err != nil {
				t.Errorf("%s, expired: found %v, %v", want.Purpose, found, err)
			}
		}
		if _, found, err := db.Accounts.FindLink(ctx, [32]byte{77}, 1); found || err != nil {
			t.Errorf("an unknown link: found %v, %v", found, err)
		}
		wantActions(t, db, "setup", account.LinkCreate)
		wantActions(t, db, "bob@example.org", account.LinkCreate)
		wantActions(t, db, "usr_1", account.LinkCreate, account.UserCreate)
	})
}

func TestNewLinkReplacesOldOne(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"})
		saveLinks(t, db, setupLink, inviteLink, resetLink)
		setup, invite, reset, other := setupLink, inviteLink, resetLink, inviteLink
		setup.Hash[1], invite.Hash[1], reset.Hash[1] = 1, 1, 1
		invite.Admin, setup.CreatedBy, reset.ExpiresAt = false, "cli:bob", 200
		other.Hash, other.Email = [32]byte{4}, "eve@example.org"
		saveLinks(t, db, setup, invite, reset, other)
		wantLinks(t, db, reset, invite, other, setup)
		if _, found, _ := db.Accounts.FindLink(t.Context(), inviteLink.Hash, 1); found {
			t.Error("the link that was replaced is still open")
		}
	})
}

// TestAddedLinkReplacesNone checks that of several processes which add a link for the
// same, one does, until that link has expired.
func TestAddedLinkReplacesNone(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		db := open(t, dsn)
		add := func(db *sqldb.DB, n byte, at int64) bool {
			l := setupLink
			l.Hash, l.CreatedAt, l.ExpiresAt = [32]byte{n}, at, at+99
			added, err := db.Accounts.AddLink(t.Context(), l, account.By{At: at, Actor: "serve"})
			if err != nil {
				t.Error(err)
			}
			return added
		}
		var added atomic.Int32
		beside(t, dsn, 4, func(mine *sqldb.DB, i int) {
			if add(mine, byte(i), 1) {
				added.Add(1)
			}
		}).Wait()
		if links, err := db.Accounts.OpenLinks(t.Context(), 99); added.Load() != 1 || len(links) != 1 || err != nil {
			t.Errorf("%d links added, %d open, %v; want 1", added.Load(), len(links), err)
		}
		if add(db, 8, 99) || !add(db, 9, 100) {
			t.Error("a link replaced one that was open, or did not replace one that had expired")
		}
		wantActions(t, db, "setup", account.LinkCreate, account.LinkCreate)
	})
}

func TestLinksForUnknownUsers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for want, l := range map[string]account.Link{
			"has no email address":      {Purpose: account.LinkInvite, UserID: "usr_1"},
			`link for "reset"`:          {Purpose: account.LinkReset, Email: "ann@example.org"},
			`link for "tea"`:            {Purpose: "tea", Email: "ann@example.org"},
			account.ErrNotFound.Error(): {Purpose: account.LinkReset, UserID: "usr_x"},
		} {
			wantError(t, db.Accounts.SaveLink(t.Context(), l, account.By{}), want)
		}
		wantLinks(t, db)
	})
}

func TestRevokeLink(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		saveLinks(t, db, setupLink, inviteLink)
		for _, l := range []account.Link{setupLink, inviteLink} {
			must(t, db.Accounts.RevokeLink(t.Context(), l.Hash, account.By{At: 5}))
			wantIs(t, "revoked again", db.Accounts.RevokeLink(t.Context(), l.Hash, account.By{At: 6}), account.ErrLinkGone)
		}
		wantLinks(t, db)
		wantActions(t, db, "setup", account.LinkRevoke, account.LinkCreate)
		wantActions(t, db, "bob@example.org", account.LinkRevoke, account.LinkCreate)
	})
}

func TestAcceptLink(t *testing.T) {
	t.Parallel()
	ann := account.User{ID: "usr_1", Email: "ann@example.org", PasswordHash: "a"}
	bob := account.User{ID: "usr_2", Email: "eve@example.org", PasswordHash: "b", CreatedAt: 7}
	first, invited := bob, bob
	first.Admin = true
	invited.Email, invited.Admin = inviteLink.Email, true
	plain := inviteLink
	plain.Admin = false
	wantsMore, notMore := bob, invited
	wantsMore.Admin, notMore.Admin = true, false
	taken := ann
	taken.Email = inviteLink.Email
	tests := []struct {
		name  string
		there *account.User
		link  account.Link
		at    int64
		with  account.User
		fails error
		want  account.User
	}{
		{"set-up", nil, setupLink, 50, bob, nil, first},
		{"invitation with an address and rights", nil, inviteLink, 50, bob, nil, invited},
		{"invitation without rights", nil, plain, 50, wantsMore, nil, notMore},
		{"set-up when there is a user", &ann, setupLink, 50, bob, account.ErrLinkGone, ann},
		{"too late", nil, inviteLink, 100, bob, account.ErrLinkGone, bob},
		{"the address is taken", &taken, inviteLink, 50, bob, account.ErrEmailTaken, bob},
		{"a link of another kind", &ann, resetLink, 50, bob, account.ErrLinkGone, bob},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				if tt.there != nil {
					enrol(t, db, *tt.there)
				}
				saveLinks(t, db, tt.link)
				err := db.Accounts.AcceptLink(t.Context(), tt.link.Hash, tt.with, account.By{At: tt.at, Actor: tt.with.ID})
				if !errors.Is(err, tt.fails) {
					t.Fatalf("error %v, want %v", err, tt.fails)
				}
				got, err := db.Accounts.FindUser(t.Context(), tt.with.ID)
				if tt.fails != nil {
					if !errors.Is(err, account.ErrNotFound) {
						t.Errorf("the user was created: %+v, %v", got, err)
					}
					wantLinks(t, db, tt.link)
					return
				}
				must(t, err)
				wantSame(t, "stored user", tt.want, got)
				wantActions(t, db, tt.with.ID, account.UserCreate)
				err = db.Accounts.AcceptLink(t.Context(), tt.link.Hash, account.User{ID: "usr_3", Email: "c@example.org"}, account.By{At: tt.at})
				if !errors.Is(err, account.ErrLinkGone) {
					t.Errorf("used again: %v, want ErrLinkGone", err)
				}
			})
		}
	})
}

// TestSetupEndsWithTheFirstUser checks that the creation of the first user, in any
// way, ends the set-up.
func TestSetupEndsWithTheFirstUser(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		saveLinks(t, db, setupLink, inviteLink)
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"})
		wantLinks(t, db, inviteLink)
	})
}

func TestAcceptReset(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org", PasswordHash: "old", Epoch: 3})
		saveLinks(t, db, resetLink, inviteLink)
		saveSessions(t, db, account.Session{ID: "own", UserID: "usr_1", ExpiresAt: 100})
		for _, l := range []struct {
			hash [32]byte
			at   int64
		}{{inviteLink.Hash, 50}, {resetLink.Hash, 100}, {[32]byte{77}, 50}} {
			if _, err := db.Accounts.AcceptReset(ctx, l.hash, "new", account.By{At: l.at}); !errors.Is(err, account.ErrLinkGone) {
				t.Errorf("link %d at %d: %v, want ErrLinkGone", l.hash[0], l.at, err)
			}
		}
		wantSession(t, db, "own", true)
		want := account.User{ID: "usr_1", Email: "ann@example.org", PasswordHash: "new", Epoch: 4}
		got, err := db.Accounts.AcceptReset(ctx, resetLink.Hash, "new", account.By{At: 50})
		if got != want || err != nil || mustFindUser(t, db, "usr_1") != want {
			t.Errorf("AcceptReset = %+v, %v; want %+v", got, err, want)
		}
		wantSession(t, db, "own", false)
		wantLinks(t, db, inviteLink)
		wantActions(t, db, "usr_1", account.UserPassword, account.LinkCreate, account.UserCreate)
	})
}

// TestResetEnds checks that a reset link becomes invalid when the password changes in
// another way or the user is disabled, and that a link for a disabled user is
// refused.
func TestResetEnds(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"})
		ofAnother := inviteLink
		ofAnother.CreatedBy = "usr_2"
		for _, name := range []string{"password", "disable"} {
			saveLinks(t, db, resetLink, ofAnother)
			must(t, userChanges(t)[name](db, account.By{At: 5}))
			wantLinks(t, db, ofAnother)
		}
		saveLinks(t, db, resetLink)
		wantIs(t, "a disabled user's reset", one(db.Accounts.AcceptReset(t.Context(), resetLink.Hash, "new", account.By{At: 50})), account.ErrLinkGone)
	})
}
