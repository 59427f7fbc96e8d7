// Package webhooks holds the SQL of webhooks: subscriptions, what was last sent of their games, the
// message that is not delivered yet, and the last tries.
//
//	api ─► Create, Update, … ─► rows, with the next number of the counter webhook_change
//	                                  │ Since
//	sender ─► Load ─► Save ─► rows, if the version is still the one that was read
//
// Whatever the API or an owner changes raises the counter, which locks it, before it locks the row of the
// subscription. Every change raises the version of the row. Package accounts deletes the subscriptions of
// keys that it deletes.
//
// The package refuses to decide what is sent and when: package webhook does.
package webhooks

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"gamedex/internal/account"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/webhook"
)

// Repository runs the statements on a database.
type Repository struct{ db *engine.DB }

// New returns a repository in db.
func New(db *engine.DB) *Repository { return &Repository{db} }

const columns = "id, key_id, url, secret, created_at, deals, regions, kind, amount, off_at, off_reason, source, seq, at, " +
	"message_id, failures, next_try, ping, version"

var (
	insertWebhook = engine.Insert{Table: "webhook", Columns: columns + ", change"}
	upsertGame    = engine.Insert{Table: "webhook_game", Columns: "webhook_id, game, state",
		Then: "ON CONFLICT (webhook_id, game) DO UPDATE SET state = excluded.state"}
	upsertBody = engine.Insert{Table: "webhook_message", Columns: "webhook_id, body",
		Then: "ON CONFLICT (webhook_id) DO UPDATE SET body = excluded.body"}
	insertTry = engine.Insert{Table: "webhook_try", Columns: "webhook_id, number, at, message_id, status, error, took"}
)

const (
	lockKey    = "SELECT revoked_at FROM api_key WHERE id = $1 FOR UPDATE"
	countOfKey = "SELECT COUNT(*) FROM webhook WHERE key_id = $1"
	countAll   = "SELECT COUNT(*) FROM webhook"
	countDeals = "SELECT COUNT(DISTINCT deals) FROM webhook WHERE deals <> '' AND deals <> $1"
)

// Create stores a new subscription; see webhook.Repository. A revoked key counts as none.
func (repo *Repository) Create(ctx context.Context, s webhook.Subscription, served []webhook.Served) error {
	return repo.db.Write(ctx, "create webhook", func(t *engine.Tx) error {
		// Whatever deletes the key has its row locked before it deletes its webhooks.
		revoked := int64(1)
		err := t.Query(ctx, lockKey, []any{s.KeyID}, func(rows engine.Rows) error { return rows.Scan(&revoked) })
		if err != nil {
			return err
		}
		if revoked != 0 {
			return fmt.Errorf("key %s: %w", s.KeyID, account.ErrNotFound)
		}
		change, err := t.RaiseCounter(ctx, "webhook_change", 1)
		if err != nil {
			return err
		}
		if err := checkLimits(ctx, t, &s); err != nil {
			return err
		}
		_, err = t.InsertRow(ctx, &insertWebhook, s.ID, s.KeyID, s.URL, s.Secret, s.CreatedAt, s.Deals, webhook.RegionsText(s.Regions),
			string(s.When), s.Amount, s.OffAt, s.OffReason, int64(s.Cursor.Source), s.Cursor.Seq, s.Cursor.At,
			s.Message.ID, s.Message.Failures, s.Message.NextTry, engine.BoolInt(s.Ping), s.Version, change)
		if err != nil {
			return err
		}
		return saveServed(ctx, t, s.ID, served)
	})
}

// checkLimits returns an error if a new subscription is one too many.
func checkLimits(ctx context.Context, t *engine.Tx, s *webhook.Subscription) error {
	type limit struct {
		text string
		args []any
		most int
		err  error
	}
	limits := []limit{{countOfKey, []any{s.KeyID}, webhook.MaxOfKey, webhook.ErrTooMany}, {countAll, nil, webhook.MaxAll, webhook.ErrFull}}
	if s.Deals != "" {
		limits = append(limits, limit{countDeals, []any{s.Deals}, webhook.MaxDeals, webhook.ErrDealsFull})
	}
	for _, limit := range limits {
		n := 0
		if _, err := t.FindRow(ctx, limit.text, limit.args, []any{&n}); err != nil {
			return err
		}
		if n >= limit.most {
			return limit.err
		}
	}
	return nil
}

func saveServed(ctx context.Context, t *engine.Tx, id string, served []webhook.Served) error {
	_, err := t.InsertRows(ctx, &upsertGame, len(served), func(args []any, i int) []any {
		return append(args, id, served[i].Game, append([]byte{}, served[i].State...)) // never NULL
	})
	return err
}

// scan reads columns, and more after them.
func scan(rows engine.Rows, s *webhook.Subscription, more ...any) error {
	var regions string
	var source int64
	err := rows.Scan(append([]any{&s.ID, &s.KeyID, &s.URL, &s.Secret, &s.CreatedAt, &s.Deals, &regions, (*string)(&s.When), &s.Amount, &s.OffAt, &s.OffReason,
		&source, &s.Cursor.Seq, &s.Cursor.At, &s.Message.ID, &s.Message.Failures, &s.Message.NextTry, (*engine.Bool)(&s.Ping), &s.Version}, more...)...)
	s.Cursor.Source = uint64(source)
	if err == nil {
		s.Regions, err = webhook.ParseRegionsText(regions)
	}
	return err
}

const (
	selectOne   = "SELECT " + columns + " FROM webhook WHERE id = $1"
	selectOfKey = "SELECT " + columns + " FROM webhook WHERE key_id = $1 ORDER BY id"
	selectGames = "SELECT game FROM webhook_game WHERE webhook_id = $1 ORDER BY game"
)

// Find returns a subscription; see webhook.Repository.
func (repo *Repository) Find(ctx context.Context, id string) (webhook.Subscription, error) {
	list, err := repo.list(ctx, selectOne, id)
	if err == nil && len(list) == 0 {
		err = notFound(id)
	}
	if err != nil {
		return webhook.Subscription{}, err
	}
	return list[0], nil
}

// ListOf returns the subscriptions of a key, oldest first.
func (repo *Repository) ListOf(ctx context.Context, keyID string) ([]webhook.Subscription, error) {
	return repo.list(ctx, selectOfKey, keyID)
}

// list returns the subscriptions that a text finds, with their games.
func (repo *Repository) list(ctx context.Context, text, arg string) (list []webhook.Subscription, err error) {
	err = repo.db.Read(ctx, "list webhooks", func(q engine.Querier) error {
		list, err = readWithGames(ctx, q, text, arg)
		return err
	})
	return list, err
}

func read(ctx context.Context, q engine.Querier, text string, args ...any) ([]webhook.Subscription, error) {
	return engine.ListIn(ctx, q, text, args, func(rows engine.Rows, s *webhook.Subscription) error { return scan(rows, s) })
}

// readWithGames is read with the games of the subscriptions. Those that have the same game share its text.
func readWithGames(ctx context.Context, q engine.Querier, text string, args ...any) ([]webhook.Subscription, error) {
	list, err := read(ctx, q, text, args...)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for i := range list {
		s := &list[i]
		err := q.Query(ctx, selectGames, []any{s.ID}, func(rows engine.Rows) error {
			var game string
			err := rows.Scan(&game)
			if _, shared := texts[game]; !shared {
				texts[game] = game
			}
			s.Games = append(s.Games, texts[game])
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return list, nil
}

func notFound(id string) error { return fmt.Errorf("webhook %s: %w", id, account.ErrNotFound) }

// saveText stores what changes of a subscription, if it has the version.
const saveText = `UPDATE webhook SET url = $3, off_at = $4, off_reason = $5, source = $6, seq = $7, at = $8, message_id = $9,
	failures = $10, next_try = $11, ping = $12, version = version + 1 WHERE id = $1 AND version = $2`

func save(ctx context.Context, t *engine.Tx, s *webhook.Subscription) (saved bool, err error) {
	n, err := t.Exec(ctx, saveText, s.ID, s.Version, s.URL, s.OffAt, s.OffReason, int64(s.Cursor.Source), s.Cursor.Seq, s.Cursor.At,
		s.Message.ID, s.Message.Failures, s.Message.NextTry, engine.BoolInt(s.Ping))
	return n > 0, err
}

// Update changes a subscription; see webhook.Repository.
func (repo *Repository) Update(ctx context.Context, id string, change func(*webhook.Subscription) error) (webhook.Subscription, error) {
	if err := repo.update(ctx, id, change); err != nil {
		return webhook.Subscription{}, err
	}
	return repo.Find(ctx, id)
}

// TurnOffBy turns a subscription off for an administrator, which the audit log records.
func (repo *Repository) TurnOffBy(ctx context.Context, id string, by account.By) error {
	return repo.update(ctx, id, func(s *webhook.Subscription) error {
		s.TurnOff(by.At, webhook.OffByAdmin)
		return nil
	}, by.Entry(account.WebhookOff, id))
}

// update changes a subscription, and writes audit entries in the same transaction.
func (repo *Repository) update(ctx context.Context, id string, change func(*webhook.Subscription) error, entries ...account.AuditEntry) error {
	var refused error
	err := repo.db.Write(ctx, "change webhook", func(t *engine.Tx) error {
		var s webhook.Subscription
		refused = nil
		number, err := t.RaiseCounter(ctx, "webhook_change", 1)
		if err != nil {
			return err
		}
		err = t.Query(ctx, selectOne+" FOR UPDATE", []any{id}, func(rows engine.Rows) error { return scan(rows, &s) })
		if err != nil {
			return err
		}
		if s.ID == "" {
			return notFound(id)
		}
		if refused = change(&s); refused != nil {
			return refused
		}
		if _, err := save(ctx, t, &s); err != nil {
			return err
		}
		if _, err = t.Exec(ctx, "UPDATE webhook SET change = $1 WHERE id = $2", number, id); err != nil {
			return err
		}
		return accounts.WriteAudit(ctx, t, entries...)
	})
	return cmp.Or(refused, err)
}

// RequestPing requests a ping; see webhook.Repository.
func (repo *Repository) RequestPing(ctx context.Context, id string) error {
	_, err := repo.Update(ctx, id, func(s *webhook.Subscription) error {
		s.Ping = true
		return nil
	})
	return err
}

// Delete deletes a subscription with all that belongs to it.
func (repo *Repository) Delete(ctx context.Context, id string) error { return repo.delete(ctx, id) }

// DeleteBy is Delete for an administrator, which the audit log records.
func (repo *Repository) DeleteBy(ctx context.Context, id string, by account.By) error {
	return repo.delete(ctx, id, by.Entry(account.WebhookDelete, id))
}

func (repo *Repository) delete(ctx context.Context, id string, entries ...account.AuditEntry) error {
	return repo.db.Write(ctx, "delete webhook", func(t *engine.Tx) error {
		n, err := accounts.DeleteWebhooks(ctx, t, "id", []string{id})
		if err == nil && n == 0 {
			err = notFound(id)
		}
		if err != nil {
			return err
		}
		return accounts.WriteAudit(ctx, t, entries...)
	})
}

const selectTries = `SELECT at, message_id, status, error, took FROM webhook_try WHERE webhook_id = $1 ORDER BY number DESC`

// Tries returns the last tries of a subscription, newest first.
func (repo *Repository) Tries(ctx context.Context, id string) ([]webhook.Try, error) {
	return engine.List(ctx, repo.db, "list tries of a webhook", selectTries, []any{id}, func(rows engine.Rows, try *webhook.Try) error {
		return rows.Scan(&try.At, &try.MessageID, &try.Status, &try.Error, &try.Took)
	})
}

const selectSince = "SELECT " + columns + " FROM webhook WHERE change > $1"

// Since implements [webhook.Outbox].
func (repo *Repository) Since(ctx context.Context, since account.Mark) (list []webhook.Subscription, upTo account.Mark, err error) {
	upTo, err = accounts.ReadSince(ctx, repo.db, "read webhook changes", "webhook_change", since, func(q engine.Querier, upTo account.Mark) (err error) {
		if upTo.Epoch != since.Epoch || upTo.Change < since.Change {
			since.Change = 0
		}
		list, err = readWithGames(ctx, q, selectSince, since.Change)
		return err
	})
	return list, upTo, err
}

// IDs implements [webhook.Outbox].
func (repo *Repository) IDs(ctx context.Context) ([]string, error) {
	return engine.List(ctx, repo.db, "list ids of webhooks", selectIDs, nil, func(rows engine.Rows, id *string) error { return rows.Scan(id) })
}

const (
	selectIDs   = "SELECT id FROM webhook ORDER BY id"
	selectBody  = "SELECT body FROM webhook_message WHERE webhook_id = $1"
	selectState = "SELECT game, state FROM webhook_game WHERE game = ANY($2) AND webhook_id = $1"
)

// Load implements [webhook.Outbox].
func (repo *Repository) Load(ctx context.Context, id string, games []string) (s webhook.Subscription, states map[string][]byte, err error) {
	states = make(map[string][]byte, len(games))
	err = repo.db.Read(ctx, "load webhook", func(q engine.Querier) error {
		list, err := read(ctx, q, selectOne, id)
		if err != nil {
			return err
		}
		if len(list) == 0 {
			return notFound(id)
		}
		s = list[0]
		if s.Message.ID != "" {
			if _, err := engine.FindIn(ctx, q, selectBody, []any{id}, &s.Message.Body); err != nil {
				return err
			}
		}
		return q.Query(ctx, selectState, []any{id, games}, func(rows engine.Rows) error {
			var game string
			var state engine.RawBytes
			err := rows.Scan(&game, &state)
			states[game] = slices.Clone([]byte(state))
			return err
		})
	})
	return s, states, err
}

const (
	lastTry     = "SELECT COALESCE(MAX(number), 0) FROM webhook_try WHERE webhook_id = $1"
	forgetTries = "DELETE FROM webhook_try WHERE webhook_id = $1 AND number <= $2"
	deleteBody  = "DELETE FROM webhook_message WHERE webhook_id = $1"
	deleteGames = "DELETE FROM webhook_game WHERE game = ANY($2) AND webhook_id = $1"
)

// Save implements [webhook.Outbox].
func (repo *Repository) Save(ctx context.Context, s webhook.Subscription, with webhook.Outcome) (saved bool, err error) {
	err = repo.db.Write(ctx, "save webhook", func(t *engine.Tx) error {
		if saved, err = save(ctx, t, &s); err != nil || !saved {
			return err
		}
		switch {
		case s.Message.ID == "":
			_, err = t.Exec(ctx, deleteBody, s.ID)
		case with.NewMessage:
			_, err = t.InsertRow(ctx, &upsertBody, s.ID, s.Message.Body)
		}
		if err != nil {
			return err
		}
		if err := saveServed(ctx, t, s.ID, with.Served); err != nil {
			return err
		}
		if _, err := t.Exec(ctx, deleteGames, s.ID, with.Gone); err != nil || with.Try == nil {
			return err
		}
		var number int64
		if _, err := t.FindRow(ctx, lastTry, []any{s.ID}, []any{&number}); err != nil {
			return err
		}
		number++
		try := with.Try
		if _, err := t.InsertRow(ctx, &insertTry, s.ID, number, try.At, try.MessageID, try.Status, engine.Plain(try.Error), try.Took); err != nil {
			return err
		}
		_, err = t.Exec(ctx, forgetTries, s.ID, number-webhook.MaxTries)
		return err
	})
	return saved && err == nil, err
}
