package accounts

import (
	"context"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/engine"
)

const (
	watchColumns = "user_id, game, region, currency, price, seen_at, prior, prior_at"
	watchesOf    = "SELECT game, region, currency, price, seen_at, prior, prior_at FROM watch WHERE user_id = $1 ORDER BY game"
)

var insertWatch = engine.Insert{Table: "watch", Columns: watchColumns, Then: "ON CONFLICT (user_id, game) DO NOTHING"}

// Watched returns the games that a user watches, by platform and id.
func (repo *Repository) Watched(ctx context.Context, userID string) ([]account.Watch, error) {
	return engine.List(ctx, repo.db, "list watched games", watchesOf, []any{userID}, func(rows engine.Rows, w *account.Watch) error {
		return rows.Scan(&w.Game, &w.Price.Region, &w.Price.Currency, &w.Price.Amount, &w.SeenAt, &w.Prior, &w.PriorAt)
	})
}

// Watch adds a game to those that a user watches, unless they do. It wraps account.ErrTooManyWatched if
// they watch as many as they may, and account.ErrNotFound if there is no such user.
func (repo *Repository) Watch(ctx context.Context, userID, game string) error {
	return repo.writeUsers(ctx, "watch a game", func(t *engine.Tx) error {
		if _, err := readUser(ctx, t, userID); err != nil {
			return err
		}
		others := 0
		if _, err := t.FindRow(ctx, "SELECT COUNT(*) FROM watch WHERE user_id = $1 AND game <> $2", []any{userID, game}, []any{&others}); err != nil {
			return err
		}
		if others >= account.MaxWatched {
			return account.ErrTooManyWatched
		}
		_, err := t.InsertRow(ctx, &insertWatch, userID, game, "", "", account.NotSeen, 0, account.NotSeen, 0)
		return err
	})
}

// Unwatch removes a game from those that a user watches.
func (repo *Repository) Unwatch(ctx context.Context, userID, game string) error {
	_, err := repo.db.Exec(ctx, "unwatch a game", "DELETE FROM watch WHERE user_id = $1 AND game = $2", userID, game)
	return err
}

const lockWatches = "SELECT game FROM watch WHERE user_id = $1 ORDER BY game FOR UPDATE"

var updateWatch = engine.Update{Table: "watch", Set: "region, currency, price, seen_at, prior, prior_at", Key: "user_id, game"}

// SaveSeen stores what a user saw of watched games. What they no longer watch stays so.
func (repo *Repository) SaveSeen(ctx context.Context, userID string, seen []account.Watch) error {
	return repo.db.Write(ctx, "save seen prices", func(t *engine.Tx) error {
		// Two pages of the user would lock rows in any order.
		if err := t.Query(ctx, lockWatches, []any{userID}, func(engine.Rows) error { return nil }); err != nil {
			return err
		}
		_, err := t.UpdateRows(ctx, &updateWatch, len(seen), func(args []any, i int) []any {
			w := seen[i]
			return append(args, w.Price.Region, w.Price.Currency, w.Price.Amount, w.SeenAt, w.Prior, w.PriorAt, userID, w.Game)
		})
		return err
	})
}

// MoveWatches replaces former ids of games that a user watches.
func (repo *Repository) MoveWatches(ctx context.Context, userID string, moved map[string]string) error {
	return repo.writeUsers(ctx, "move watched games", func(t *engine.Tx) error {
		for former, game := range moved {
			const copied = "INSERT INTO watch (" + watchColumns + ") SELECT user_id, $3, region, currency, price, seen_at, prior, prior_at" +
				" FROM watch WHERE user_id = $1 AND game = $2 ON CONFLICT (user_id, game) DO NOTHING"
			if _, err := t.Exec(ctx, copied, userID, former, game); err != nil {
				return err
			}
			if _, err := t.Exec(ctx, "DELETE FROM watch WHERE user_id = $1 AND game = $2", userID, former); err != nil {
				return err
			}
		}
		return nil
	})
}
