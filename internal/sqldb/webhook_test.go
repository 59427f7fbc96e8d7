package sqldb_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/account"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/webhooks"
	"gamedex/internal/webhook"
)

var _ webhook.Repository = (*webhooks.Repository)(nil)

// newWebhook returns a subscription of a key with every field set, and what is served of its games.
func newWebhook(id, key string) (webhook.Subscription, []webhook.Served) {
	s := webhook.Subscription{
		ID: id, KeyID: key, URL: "https://shop.example/hook?t=1", Secret: "whsec_c2VjcmV0", CreatedAt: int64(noon),
		Filter: webhook.Filter{Games: []string{"consolestore/AB12CD34", "pcstore/elden-ring"}, When: webhook.WhenBelow, Amount: 1999, Deals: "?minDiscount=50&types=game",
			Regions: selection.Regions{Codes: []catalog.Region{selection.EuroArea, catalog.MustRegion("TR")}}},
		OffAt: 7, OffReason: "receiver is gone", Cursor: webhook.Cursor{Source: 1<<64 - 2, Seq: 1 << 40, At: int64(noon)},
		Message: webhook.Message{Failures: 3, NextTry: int64(noon) + 9}, Ping: true, Version: 1,
	}
	return s, []webhook.Served{{Game: s.Games[1], State: []byte{0, 1, 255}}, {Game: s.Games[0]}}
}

func TestWebhooks(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx, repo := t.Context(), db.Webhooks
		k := issue(t, db, account.Draft{Name: "k"}, 1000)
		first, served := newWebhook("whk_1", k.ID)
		must(t, repo.Create(ctx, first, served))
		got, err := repo.Find(ctx, first.ID)
		must(t, err)
		wantSame(t, "Find", first, got)
		list, mark, err := repo.Since(ctx, account.Mark{})
		must(t, err)
		wantSame(t, "Since", []webhook.Subscription{first}, list)
		if list, again, err := repo.Since(ctx, mark); len(list) > 0 || again != mark || err != nil {
			t.Errorf("nothing has changed: %v, %v, %v", list, again, err)
		}

		// A step of the sender: a message, another state, a game that moved.
		loaded, states, err := repo.Load(ctx, first.ID, first.Games)
		must(t, err)
		wantSame(t, "Load", map[string][]byte{first.Games[0]: {}, first.Games[1]: {0, 1, 255}}, states, cmpopts.EquateEmpty())
		loaded.Message, loaded.Cursor.Seq, loaded.Ping = webhook.Message{ID: "msg_1", Body: []byte(`{"a":1}`)}, 1<<40+1, false
		step := webhook.Outcome{Served: []webhook.Served{{Game: "pcstore/b", State: []byte{9}}, {Game: first.Games[1], State: []byte{8}}},
			Gone: first.Games[:1], NewMessage: true}
		if saved, err := repo.Save(ctx, loaded, step); !saved || err != nil {
			t.Fatalf("Save: %v, %v", saved, err)
		}
		if saved, err := repo.Save(ctx, loaded, webhook.Outcome{Gone: []string{"pcstore/b"}}); saved || err != nil {
			t.Errorf("Save of an older version: %v, %v", saved, err)
		}
		games := []string{"pcstore/b", "pcstore/elden-ring"}
		now, states, err := repo.Load(ctx, first.ID, append(games, "pcstore/none"))
		want := loaded
		want.Version++
		must(t, err)
		wantSame(t, "after Save", want, now)
		wantSame(t, "states after Save", map[string][]byte{games[0]: {9}, games[1]: {8}}, states)

		// The owner changes it: the sender hears of that, and what it had read is outdated.
		refused := errors.New("refused")
		if _, err := repo.Update(ctx, first.ID, func(*webhook.Subscription) error { return refused }); err != refused {
			t.Errorf("an error of change: %v", err)
		}
		updated, err := repo.Update(ctx, first.ID, func(s *webhook.Subscription) error {
			s.TurnOn()
			s.URL = "https://other.example"
			return nil
		})
		if err != nil || updated.OffAt != 0 || updated.URL != "https://other.example" || updated.Version != now.Version+1 || updated.Message.ID != "msg_1" {
			t.Errorf("Update: %v, %+v", err, updated)
		}
		must(t, repo.RequestPing(ctx, first.ID))
		list, _, err = repo.Since(ctx, mark)
		if err != nil || len(list) != 1 || !list[0].Ping || cmp.Diff(games, list[0].Games) != "" {
			t.Errorf("Since after changes: %v, %+v", err, list)
		}
		if saved, err := repo.Save(ctx, now, webhook.Outcome{}); saved || err != nil {
			t.Errorf("Save of what was read before the owner changed it: %v, %v", saved, err)
		}

		// The last tries are kept. A delivered message is gone.
		for i := range webhook.MaxTries + 2 {
			s, _, err := repo.Load(ctx, first.ID, nil)
			must(t, err)
			if i == webhook.MaxTries+1 {
				s.Message = webhook.Message{}
			}
			try := webhook.Try{At: int64(i), MessageID: "msg_1", Status: 500, Error: "bad \x00 text", Took: 12}
			if saved, err := repo.Save(ctx, s, webhook.Outcome{Try: &try}); !saved || err != nil {
				t.Fatalf("Save a try: %v, %v", saved, err)
			}
		}
		tries, err := repo.Tries(ctx, first.ID)
		if err != nil || len(tries) != webhook.MaxTries || tries[0].At != webhook.MaxTries+1 || tries[0].Status != 500 || tries[0].Error != "bad \uFFFD text" {
			t.Errorf("tries: %v, %d, %+v", err, len(tries), tries[:1])
		}
		if rows := count(t, db, "webhook_message"); rows != 0 {
			t.Errorf("%d bodies of delivered messages are stored", rows)
		}
		deletes(t, db, func() error { return repo.Delete(ctx, first.ID) })
		wantNoWebhook(t, db, first.ID)
	})
}

// deletes checks that a sender hears of webhooks that a change deletes, and returns the ids that are left.
func deletes(t *testing.T, db *sqldb.DB, change func() error) (left []string) {
	t.Helper()
	ctx, repo := t.Context(), db.Webhooks
	_, before, err := repo.Since(ctx, account.Mark{})
	must(t, err)
	must(t, change())
	_, after, err := repo.Since(ctx, before)
	must(t, err)
	if after == before {
		t.Error("webhooks were deleted, and the mark has not moved")
	}
	left, err = repo.IDs(ctx)
	must(t, err)
	return left
}

// wantNoWebhook checks that nothing of a webhook is stored, and that it is not found.
func wantNoWebhook(t *testing.T, db *sqldb.DB, id string) {
	t.Helper()
	for _, table := range []string{"webhook", "webhook_game", "webhook_message", "webhook_try"} {
		if n := count(t, db, table); n != 0 {
			t.Errorf("%d rows are left in %s", n, table)
		}
	}
	ctx, repo := t.Context(), db.Webhooks
	_, found := repo.Find(ctx, id)
	_, _, loaded := repo.Load(ctx, id, []string{"pcstore/a"})
	for what, err := range map[string]error{"Find": found, "Load": loaded, "RequestPing": repo.RequestPing(ctx, id), "Delete": repo.Delete(ctx, id)} {
		if !errors.Is(err, account.ErrNotFound) {
			t.Errorf("%s of a webhook that is not there: %v", what, err)
		}
	}
	if saved, err := repo.Save(ctx, webhook.Subscription{ID: id, Version: 1}, webhook.Outcome{Served: []webhook.Served{{Game: "a"}}}); saved || err != nil {
		t.Errorf("Save of a webhook that is not there: %v, %v", saved, err)
	}
}

func count(t *testing.T, db *sqldb.DB, table string) (n int) {
	t.Helper()
	_, err := db.FindRow(t.Context(), "count", "SELECT COUNT(*) FROM "+table, nil, []any{&n})
	must(t, err)
	return n
}

// TestWebhooksOfKey checks the limits, and that webhooks are deleted with their key or user.
func TestWebhooksOfKey(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx, repo := t.Context(), db.Webhooks
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org", Admin: true}, account.User{ID: "usr_2", Email: "bob@example.org", Admin: true})
		anns, bobs := issue(t, db, account.Draft{Name: "a", UserID: "usr_1"}, 1000), issue(t, db, account.Draft{Name: "b", UserID: "usr_2"}, 1000)
		var all sync.WaitGroup
		errs := make([]error, 2*webhook.MaxOfKey)
		for i := range errs {
			all.Go(func() {
				s, served := newWebhook(fmt.Sprintf("whk_%02d", i), anns.ID)
				errs[i] = repo.Create(ctx, s, served)
			})
		}
		all.Wait()
		refused := 0
		for _, err := range errs {
			if errors.Is(err, webhook.ErrTooMany) {
				refused++
			} else if err != nil {
				t.Error(err)
			}
		}
		list, err := repo.ListOf(ctx, anns.ID)
		if refused != webhook.MaxOfKey || len(list) != webhook.MaxOfKey || err != nil {
			t.Errorf("%d at once: %d were refused, %d are stored, %v", len(errs), refused, len(list), err)
		}
		s, served := newWebhook("whk_b", bobs.ID)
		must(t, repo.Create(ctx, s, served))
		if saved, err := repo.Save(ctx, withMessage(s), webhook.Outcome{NewMessage: true, Try: &webhook.Try{At: 1}}); !saved || err != nil {
			t.Fatal(saved, err)
		}
		left := deletes(t, db, func() error { return db.Accounts.DeleteUser(ctx, "usr_1", account.By{At: 2000, Actor: "usr_2"}) })
		wantSame(t, "after the user is deleted", []string{"whk_b"}, left)
		if list, err := repo.ListOf(ctx, anns.ID); len(list) > 0 || err != nil {
			t.Errorf("webhooks of a deleted user: %v, %v", list, err)
		}
		must(t, one(db.Accounts.RevokeKey(ctx, bobs.ID, account.By{At: 3000, Actor: "usr_2"})))
		if _, err := repo.Find(ctx, s.ID); err != nil {
			t.Errorf("a webhook of a revoked key: %v", err)
		}
		s.ID = "whk_c"
		wantIs(t, "another one for a revoked key", repo.Create(ctx, s, served), account.ErrNotFound)
		forget := func() error {
			_, err := db.Accounts.ForgetKeys(ctx, 4000)
			return err
		}
		deletes(t, db, forget)
		wantNoWebhook(t, db, "whk_b")
		_, before, err := repo.Since(ctx, account.Mark{})
		must(t, err)
		must(t, forget())
		if _, after, err := repo.Since(ctx, before); after != before || err != nil {
			t.Errorf("no key was forgotten, and the mark moved from %v to %v (%v)", before, after, err)
		}
	})
}

func withMessage(s webhook.Subscription) webhook.Subscription {
	s.Message = webhook.Message{ID: "msg_1", Body: []byte("{}")}
	return s
}

// TestListsOfWebhooks checks what pages list of many webhooks, and what an administrator does to one.
func TestListsOfWebhooks(t *testing.T) {
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx, repo := t.Context(), db.Webhooks
		owner := account.User{ID: "usr_1", Email: "Bob@example.org", CreatedAt: 1}
		must(t, db.Accounts.CreateUser(ctx, owner, account.By{At: 1}))
		bobs := issue(t, db, account.Draft{Name: "Night watch", UserID: owner.ID}, 1000)
		nobodys := issue(t, db, account.Draft{Name: "other"}, 1001)
		for i, k := range []account.Key{bobs, nobodys, bobs} {
			s, served := newWebhook(fmt.Sprint("whk_", i), k.ID)
			s.OffAt, s.OffReason = 0, ""
			must(t, repo.Create(ctx, s, served[:i%2+1]))
		}
		for i, status := range []int{500, 0, 204} {
			s, _, err := repo.Load(ctx, "whk_2", nil)
			must(t, err)
			try := webhook.Try{At: int64(100 + i), MessageID: "msg_1", Status: status, Took: 7}
			if saved, err := repo.Save(ctx, s, webhook.Outcome{Try: &try}); !saved || err != nil {
				t.Fatal(saved, err)
			}
		}
		ids := func(list []webhook.Listed, err error) (ids []string) {
			must(t, err)
			for i := range list {
				ids = append(ids, list[i].ID)
			}
			return ids
		}
		for _, c := range []struct {
			query, after string
			want         []string
		}{
			{"", "", []string{"whk_2", "whk_1"}}, {"", "whk_1", []string{"whk_0"}}, {"NIGHT", "", []string{"whk_2", "whk_0"}},
			{"bob@EXAMPLE", "", []string{"whk_2", "whk_0"}}, {nobodys.ID, "", []string{"whk_1"}}, {"k_1", "", []string{"whk_1"}}, {"shop.example", "", nil}, {"hook?t", "", nil},
		} {
			list, next, err := repo.Search(ctx, c.query, c.after, 2)
			if got := ids(list, err); !slices.Equal(got, c.want) || (next != "") != (c.query+c.after == "") {
				t.Errorf("Search(%q, after %q): %q, next %q, want %q", c.query, c.after, got, next, c.want)
			}
		}
		list, err := repo.ListOfKeys(ctx, []string{bobs.ID})
		if got := ids(list, err); !slices.Equal(got, []string{"whk_2", "whk_0"}) {
			t.Fatalf("of a key: %q", got)
		}
		if l := list[0]; l.GameCount != 1 || l.FirstGame != "pcstore/elden-ring" || l.Games != nil || l.Last.Status != 204 || l.LastFailure.At != 101 || l.KeyID != bobs.ID || l.Host() != "shop.example" {
			t.Errorf("the newest: %+v", l)
		}
		if l := list[1]; l.Last.At != 0 || l.LastFailure.At != 0 {
			t.Errorf("without tries: %+v", l)
		}
		owned, err := db.Accounts.OwnedKeys(ctx, []string{bobs.ID, nobodys.ID, "key_none"})
		if err != nil || len(owned) != 2 || owned[0].ID != nobodys.ID || owned[0].Email != "" || owned[1].Email != owner.Email {
			t.Errorf("OwnedKeys: %v, %+v", err, owned)
		}

		by := account.By{At: 5000, Actor: "usr_9", From: "192.0.2.1"}
		must(t, repo.TurnOffBy(ctx, "whk_0", by))
		if s, err := repo.Find(ctx, "whk_0"); err != nil || s.OffAt != by.At || s.OffReason != webhook.OffByAdmin {
			t.Errorf("turned off: %v, %+v", err, s)
		}
		if left := deletes(t, db, func() error { return repo.DeleteBy(ctx, "whk_0", by) }); !slices.Equal(left, []string{"whk_1", "whk_2"}) {
			t.Errorf("left: %q", left)
		}
		for _, change := range []func() error{func() error { return repo.TurnOffBy(ctx, "whk_0", by) }, func() error { return repo.DeleteBy(ctx, "whk_0", by) }} {
			wantIs(t, "of none", change(), account.ErrNotFound)
		}
		entries, err := db.Accounts.SearchAudit(ctx, account.AuditQuery{Object: "whk_0", Limit: 9})
		if err != nil || len(entries) != 2 || entries[1].Action != account.WebhookOff || entries[0].Action != account.WebhookDelete || entries[0].Actor != by.Actor {
			t.Errorf("audit: %v, %+v", err, entries)
		}
	})
}
