package sqldb_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

func saveSessions(t *testing.T, db *sqldb.DB, sessions ...account.Session) {
	t.Helper()
	for _, s := range sessions {
		must(t, db.Accounts.SaveSession(t.Context(), s))
	}
}

func wantSession(t *testing.T, db *sqldb.DB, id string, want bool) {
	t.Helper()
	if _, found, err := db.Accounts.FindSession(t.Context(), id, 0); found != want || err != nil {
		t.Errorf("session %s: found %v, %v; want %v", id, found, err, want)
	}
}

func TestSessions(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		first := account.Session{ID: "s", Body: []byte("first"), ExpiresAt: 10}
		later := account.Session{ID: "s", UserID: "usr_1", Body: []byte("\x00body\xff"), ExpiresAt: 20}
		for _, want := range []account.Session{first, later} {
			saveSessions(t, db, want)
			got, found, err := db.Accounts.FindSession(ctx, "s", want.ExpiresAt-1)
			if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
				t.Errorf("FindSession: %v, %v (-want +got):\n%s", found, err, diff)
			}
		}
		if _, found, err := db.Accounts.FindSession(ctx, "s", 20); found || err != nil {
			t.Errorf("an expired session: found %v, %v", found, err)
		}
		saveSessions(t, db, account.Session{ID: "without a body", ExpiresAt: 10})
		later.Body = []byte("renewed")
		if alive, err := db.Accounts.RenewSession(ctx, later); !alive || err != nil {
			t.Errorf("renewing: %v, %v", alive, err)
		}
		if got, _, _ := db.Accounts.FindSession(ctx, "s", 1); string(got.Body) != "renewed" {
			t.Errorf("the renewed session has the body %q", got.Body)
		}
		for range 2 {
			must(t, db.Accounts.DeleteSession(ctx, "s"))
		}
		if alive, err := db.Accounts.RenewSession(ctx, later); alive || err != nil {
			t.Errorf("renewing an ended session: %v, %v", alive, err)
		}
		wantSession(t, db, "s", false)
		wantSession(t, db, "without a body", true)
	})
}

// TestDeleteExpired checks that expired sessions are deleted, even more than one
// transaction deletes, and that valid ones stay.
func TestDeleteExpired(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		execute(t, db, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
			INSERT INTO session (id, user_id, body, expires_at) SELECT 'old' || i, '', '', i FROM n`)
		saveSessions(t, db, account.Session{ID: "good", ExpiresAt: 1201})
		for i, at := range []int64{1200, 1201} {
			l := account.Link{Hash: [32]byte{byte(i)}, Purpose: account.LinkInvite, Email: fmt.Sprint(i, "@example.org"), ExpiresAt: at}
			must(t, db.Accounts.SaveLink(t.Context(), l, account.By{}))
		}
		must(t, db.Accounts.DeleteExpired(t.Context(), 1200))
		for id, want := range map[string]bool{"old1": false, "old700": false, "old1200": false, "good": true} {
			wantSession(t, db, id, want)
		}
		links, err := db.Accounts.OpenLinks(t.Context(), 0)
		if err != nil || len(links) != 1 || links[0].Email != "1@example.org" {
			t.Errorf("links %+v, %v; want the valid one", links, err)
		}
	})
}
