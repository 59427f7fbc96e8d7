package webhooks

import (
	"context"
	"slices"
	"strings"

	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/webhook"
)

const (
	listedColumns = columns + ", (SELECT COUNT(*) FROM webhook_game WHERE webhook_game.webhook_id = webhook.id), " +
		"COALESCE((SELECT MIN(game) FROM webhook_game WHERE webhook_game.webhook_id = webhook.id), '')"
	selectListed  = "SELECT " + listedColumns + " FROM webhook WHERE id = ANY($1)"
	selectOfKeys  = "SELECT " + listedColumns + " FROM webhook WHERE key_id = ANY($1)"
	selectTriesOf = "SELECT webhook_id, at, message_id, status, error, took FROM webhook_try WHERE webhook_id = ANY($1) ORDER BY webhook_id, number DESC"
)

// searchedWebhooks searches the subscriptions, newest first: never the URL, which may have a secret.
var searchedWebhooks = accounts.Search{What: "search webhooks", Text: `SELECT id, key_id, COALESCE((SELECT name FROM api_key WHERE api_key.id = webhook.key_id), ''),
	COALESCE((SELECT email FROM api_key JOIN person ON person.id = api_key.user_id WHERE api_key.id = webhook.key_id), '')
	FROM webhook WHERE id < $1 ORDER BY id DESC LIMIT $2`}

// ListOfKeys returns the subscriptions of some keys, newest first.
func (repo *Repository) ListOfKeys(ctx context.Context, keyIDs []string) ([]webhook.Listed, error) {
	return repo.listed(ctx, selectOfKeys, keyIDs)
}

// Search returns at most limit subscriptions of all keys, newest first, with ids before the id after ("": from the
// newest). With a query it returns only those that have it in their id, or in the id, the name or the owner's email
// address of their key. The rest is found with next as after; see [accounts.Search.Find].
func (repo *Repository) Search(ctx context.Context, query, after string, limit int) (list []webhook.Listed, next string, err error) {
	ids, next, err := searchedWebhooks.Find(ctx, repo.db, query, after, limit)
	if err != nil {
		return nil, "", err
	}
	list, err = repo.listed(ctx, selectListed, ids)
	return list, next, err
}

// listed returns the subscriptions that a text finds, newest first, with their last tries.
func (repo *Repository) listed(ctx context.Context, text string, of []string) (list []webhook.Listed, err error) {
	err = repo.db.Read(ctx, "list webhooks", func(q engine.Querier) error {
		var ids []string
		byID := map[string]int{}
		list = nil
		err := q.Query(ctx, text, []any{of}, func(rows engine.Rows) error {
			var l webhook.Listed
			err := scan(rows, &l.Subscription, &l.GameCount, &l.FirstGame)
			byID[l.ID] = len(list)
			list, ids = append(list, l), append(ids, l.ID)
			return err
		})
		if err != nil {
			return err
		}
		return q.Query(ctx, selectTriesOf, []any{ids}, func(rows engine.Rows) error {
			var id string
			var t webhook.Try
			err := rows.Scan(&id, &t.At, &t.MessageID, &t.Status, &t.Error, &t.Took)
			if i, ok := byID[id]; ok {
				l := &list[i]
				if l.Last.At == 0 {
					l.Last = t
				}
				if l.LastFailure.At == 0 && !t.Delivered() {
					l.LastFailure = t
				}
			}
			return err
		})
	})
	slices.SortFunc(list, func(a, b webhook.Listed) int { return strings.Compare(b.ID, a.ID) })
	return list, err
}
