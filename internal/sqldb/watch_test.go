package sqldb_test

import (
	"fmt"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/sqldb"
)

// TestWatchedGames watches games, sees their prices, and follows one whose id changes, also to a game that
// is watched already. What somebody else watches stays.
func TestWatchedGames(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx, repo := t.Context(), db.Accounts
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"}, account.User{ID: "usr_2", Email: "bob@example.org"})
		fresh := func(game string) account.Watch {
			return account.Watch{Game: game, Price: account.SeenPrice{Amount: account.NotSeen}, Prior: account.NotSeen}
		}
		wants := func(user string, want ...account.Watch) {
			t.Helper()
			got, err := repo.Watched(ctx, user)
			must(t, err)
			wantSame(t, "watched by "+user, want, got)
		}
		for _, game := range []string{"pcstore/a", "consolestore/OLD", "pcstore/gone", "pcstore/a"} {
			must(t, repo.Watch(ctx, "usr_1", game))
		}
		must(t, repo.Watch(ctx, "usr_2", "consolestore/OLD"))
		wants("usr_1", fresh("consolestore/OLD"), fresh("pcstore/a"), fresh("pcstore/gone"))
		wantIs(t, "a user who does not exist", repo.Watch(ctx, "usr_3", "pcstore/a"), account.ErrNotFound)

		seen, _ := fresh("pcstore/a").See(account.SeenPrice{Region: "TR", Currency: "TRY", Amount: 83940}, 1000, nil)
		must(t, repo.Unwatch(ctx, "usr_1", "pcstore/gone"))
		must(t, repo.SaveSeen(ctx, "usr_1", []account.Watch{seen, fresh("pcstore/gone")}))
		must(t, repo.MoveWatches(ctx, "usr_1", map[string]string{"consolestore/OLD": "consolestore/NEW"}))
		wants("usr_1", fresh("consolestore/NEW"), seen)
		must(t, repo.MoveWatches(ctx, "usr_1", map[string]string{"consolestore/NEW": "pcstore/a"}))
		wants("usr_1", seen)
		wants("usr_2", fresh("consolestore/OLD"))

		for i := 1; i < account.MaxWatched; i++ {
			must(t, repo.Watch(ctx, "usr_1", fmt.Sprintf("pcstore/game-%03d", i)))
		}
		wantIs(t, "one game too many", repo.Watch(ctx, "usr_1", "pcstore/one-more"), account.ErrTooManyWatched)
		must(t, repo.Watch(ctx, "usr_1", "pcstore/a")) // is among them
		changes := func() (n int64) {
			t.Helper()
			_, err := db.FindRow(ctx, "read counter", "SELECT value FROM counter WHERE name = 'person_change'", nil, []any{&n})
			must(t, err)
			return n
		}
		list, err := repo.Watched(ctx, "usr_1")
		must(t, err)
		for i := range list {
			list[i].Price.Amount, list[i].SeenAt = int64(i), 2000
		}
		before := changes()
		must(t, repo.SaveSeen(ctx, "usr_1", append(list, fresh("pcstore/gone"))))
		wants("usr_1", list...)
		if after := changes(); after != before { // would wait for every change of a user
			t.Errorf("seen prices locked all users: %d changes, then %d", before, after)
		}
		must(t, repo.DeleteUser(ctx, "usr_1", account.By{At: 6, Actor: "usr_2"}))
		wants("usr_1")
		wants("usr_2", fresh("consolestore/OLD"))
	})
}
