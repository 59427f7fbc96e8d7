package sqldb_test

import (
	"fmt"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/lease"
	"gamedex/internal/quota"
	"gamedex/internal/registry"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/sqldb/nodes"
	"gamedex/internal/sweep"
	"gamedex/internal/webhook"
)

// methodCall is a call of a method of a repository, in every form whose statements differ.
type methodCall struct {
	method string // "Listings.Save"
	call   func() error
}

// methodCalls returns calls of all methods of the repositories, on the database of
// fillForPlans, in the order in which they work.
func methodCalls(t *testing.T, db *sqldb.DB) []methodCall {
	return append(append(listingCalls(t, db), collectingCalls(t, db)...), append(append(peopleCalls(t, db), nodeCalls(t, db)...), webhookCalls(t, db)...)...)
}

// one drops what a call returns besides its error.
func one[T any](_ T, err error) error { return err }

func two[T, U any](_ T, _ U, err error) error { return err }

func listingCalls(t *testing.T, db *sqldb.DB) []methodCall {
	ctx, store, place := t.Context(), db.Listings, catalog.Region{'A', 'C'}
	read := func(fn func(r *listings.Reading) error) error { return store.Read(ctx, fn) }
	count := func(*catalog.Listing) error { return nil }
	return []methodCall{
		{"Listings.Save", func() error {
			var ls []catalog.Listing
			for i := range 40 {
				l := console("TR", fmt.Sprint("p", 1+i%30), noon+catalog.Millis(i)+1) // new contents, and lines of the same keys
				l.Region, l.Facts.Title = place, fmt.Sprint("Title ", i)
				ls = append(ls, l)
				seen := l
				seen.Product = fmt.Sprint("q", i)
				ls = append(ls, seen)
			}
			if err := one(store.Save(ctx, ls)); err != nil {
				return err
			}
			for i := range ls {
				ls[i].ObservedAt += 1000
				ls[i].FirstSeenAt = noon - catalog.Millis(i%2)
			}
			return one(store.Save(ctx, ls))
		}},
		{"Listings.NewSaving", func() error { return nil }}, // by Save
		{"Listings.SavedTotals", func() error { return one(store.SavedTotals(ctx)) }},
		{"Listings.Newest", func() error {
			_, _, err := store.Newest(ctx)
			return err
		}},
		{"Listings.Read", func() error {
			return read(func(r *listings.Reading) error {
				newest, err := r.Generation()
				if err == nil {
					_, err = r.Changes(newest-2, func(*catalog.Change) error { return nil })
				}
				if err == nil {
					_, err = r.Changes(0, func(*catalog.Change) error { return nil })
				}
				if err == nil {
					_, err = r.Listings()
				}
				if err == nil {
					err = r.NewFacts(100, func(int64, *catalog.Facts) error { return nil })
				}
				if err == nil {
					err = r.NewProse(100, func(int64, catalog.ProseFields) error { return nil })
				}
				if err == nil {
					err = r.AllSeries(func(history.Series) error { return nil })
				}
				if err == nil {
					keys := []catalog.Key{{Platform: catalog.ConsoleStore, Region: place, Product: "p3"}, {Platform: catalog.ConsoleStore, Region: place, Product: "p4"}}
					err = r.Series(keys, func(history.Series) error { return nil })
				}
				return err
			})
		}},
		{"Listings.Export", func() error {
			for _, f := range []listings.Filter{{}, {Platform: catalog.ConsoleStore}, {Platform: catalog.ConsoleStore, Region: place}} {
				if err := store.Export(ctx, f, count); err != nil {
					return err
				}
			}
			return nil
		}},
		{"Listings.RegionListings", func() error {
			return store.RegionListings(ctx, catalog.ConsoleStore, place, func(string, catalog.Millis) {})
		}},
		{"Listings.ListingCount", func() error { return one(store.ListingCount(ctx)) }},
		{"Listings.History", func() error {
			if err := one(store.History(ctx, catalog.Key{Platform: catalog.ConsoleStore, Region: place, Product: "p4"})); err != nil {
				return err
			}
			return one(store.History(ctx, catalog.Key{Platform: catalog.ConsoleStore, Region: place, Product: "p3"}))
		}},
		{"Listings.Histories", func() error {
			keys := []catalog.Key{{Platform: catalog.ConsoleStore, Region: place, Product: "p4"}, {Platform: catalog.ConsoleStore, Region: place, Product: "p3"}}
			return store.Histories(ctx, keys, noon, noon+1, func(history.Part) error { return nil })
		}},
		{"Listings.ExportHistory", func() error {
			return store.ExportHistory(ctx, listings.Filter{Platform: catalog.ConsoleStore, Region: place}, func(history.Series) error { return nil })
		}},
		{"Listings.SaveHistory", func() error {
			older := history.Series{Key: catalog.Key{Platform: catalog.ConsoleStore, Region: place, Product: "p4"}, Steps: []history.Step{history.StepGone(1)}}
			return one(store.SaveHistory(ctx, []history.Series{older}))
		}},
		{"Listings.Regions", func() error { return one(store.Regions(ctx)) }},
		{"Listings.Remember", func() error {
			return store.Remember(ctx, []catalog.Served{{Platform: catalog.ConsoleStore, ID: "id1", Product: "p1"}, {Platform: catalog.ConsoleStore, ID: "id1", Product: "p2"}})
		}},
		{"Listings.Served", func() error { return store.Served(ctx, func(catalog.Served) error { return nil }) }},
	}
}

func collectingCalls(t *testing.T, db *sqldb.DB) []methodCall {
	ctx, store := t.Context(), db.Sweeps
	var l lease.Lease
	prices := scope(sweep.Prices)
	jobs := func(kinds ...sweep.Kind) (list []sweep.State) {
		for _, k := range kinds {
			list = append(list, sweep.State{Scope: scope(k), Regions: []catalog.Region{turkey, {'A', 'C'}}, Active: true, Interval: 600_000})
		}
		return list
	}
	c := sweep.Collection{Platform: catalog.ConsoleStore, Since: noon, Interval: 600_000}
	return []methodCall{
		{"Sweeps.SetCollection", func() error { return store.SetCollection(ctx, c, jobs(sweep.Prices, sweep.Editions, sweep.AddOns)) }},
		{"Sweeps.StopCollection", func() error { return store.StopCollection(ctx, catalog.ConsoleStore, noon+1, "r") }},
		{"Sweeps.Collections", func() error { return one(store.Collections(ctx)) }},
		{"Sweeps.Leases", func() (err error) {
			l, _, err = store.Leases().Claim(ctx, "collect/"+prices.String(), "a", time.Hour)
			return err
		}},
		{"Sweeps.BeginSweep", func() error { return store.BeginSweep(ctx, l, prices, noon+1) }},
		{"Sweeps.SaveBatch", func() error {
			part := shown("TR", "p5", noon+5000)
			part.Region = catalog.Region{'A', 'C'}
			rules := sweep.Rules{Products: []string{"p1", "p2", "p3"}, Judge: func(parts []sweep.Part, _ []sweep.RegionPrice) ([]sweep.Part, []sweep.Doubt) {
				return parts, []sweep.Doubt{{Key: catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.Region{'A', 'E'}, Product: "p9"}, Doubtful: true}}
			}}
			return one(store.SaveBatch(ctx, l, sweep.Batch{Scope: prices, Regions: []catalog.Region{turkey, {'A', 'C'}}, At: noon + 5000,
				Parts: []sweep.Part{part}, Present: []string{"p6", "p7"}, Read: []string{"i1"}, Retry: []string{"i2"}, RetryAt: noon + 6000,
				Items:  []sweep.Item{{Kind: sweep.Editions, ID: "i5", Mark: "m"}, {Kind: sweep.Editions, ID: "new", Mark: "m"}},
				Cursor: "c", Requests: 1}, rules))
		}},
		{"Sweeps.DueItems", func() error { return one(store.DueItems(ctx, scope(sweep.Editions), noon+100, 20)) }},
		{"Sweeps.Sweeps", func() error { return one(store.Sweeps(ctx, noon, sweep.ManyItems)) }},
		{"Sweeps.Freshness", func() error { return one(store.Freshness(ctx)) }},
		{"Sweeps.FailSweep", func() error { return store.FailSweep(ctx, l, prices) }},
		{"Sweeps.SettlePrices", func() error {
			lost := sweep.Part{Listing: console("TR", "p1", noon+7000), Shows: sweep.ShowsPrice}
			lost.Region, lost.Price = prices.Region, nil
			batch := sweep.Batch{Scope: prices, Regions: []catalog.Region{prices.Region}, At: noon + 7000, Parts: []sweep.Part{lost}}
			if err := one(store.SaveBatch(ctx, l, batch, sweep.Rules{})); err != nil {
				return err
			}
			return one(store.SettlePrices(ctx, l, prices))
		}},
		{"Sweeps.NamedItems", func() error { return one(store.NamedItems(ctx, scope(sweep.Editions), []string{"i1", "i2"}, noon)) }},
		{"Sweeps.Missing", func() error { return one(store.Missing(ctx, prices)) }},
		{"Sweeps.FinishSweep", func() error { return one(store.FinishSweep(ctx, l, prices, noon+7000, true)) }},
		{"Sweeps.Hasten", func() error { return store.Hasten(ctx, []sweep.Scope{prices}) }},
		{"Sweeps.Leases", func() error {
			return one(store.Leases().Release(ctx, l))
		}},
		{"Sweeps.SetCollection", func() error {
			c.Interval = 300_000
			return store.SetCollection(ctx, c, jobs(sweep.Prices, sweep.Editions))
		}},
		{"Sweeps.EndCollection", func() error { return store.EndCollection(ctx, catalog.ConsoleStore) }},
	}
}

func nodeCalls(t *testing.T, db *sqldb.DB) []methodCall {
	ctx, store := t.Context(), db.Nodes
	var l lease.Lease
	return []methodCall{
		{"Nodes.Claim", func() (err error) { l, _, err = store.Claim(ctx, "build", "a", time.Hour); return err }},
		{"Nodes.Renew", func() error { return one(store.Renew(ctx, l, time.Hour)) }},
		{"Nodes.Release", func() error { return one(store.Release(ctx, l)) }},
		{"Nodes.ReleaseAll", func() error { return store.ReleaseAll(ctx) }},
		{"Nodes.FindLease", func() error { return two(store.FindLease(ctx, "build")) }},
		{"Nodes.MarkLoading", func() error { return store.MarkLoading(ctx, "i", int64(noon), int64(noon)+1) }},
		{"Nodes.LoadingUntil", func() error { return one(store.LoadingUntil(ctx)) }},
		{"Nodes.EndLoading", func() error { return store.EndLoading(ctx, "i") }},
		{"Nodes.KeepLoading", func() error { store.KeepLoading(ctx, "i", time.Now)(); return nil }},
		{"Nodes.ReserveRequests", func() error {
			for range 2 {
				if err := one(store.ReserveRequests(ctx, "host", 3, time.Second)); err != nil {
					return err
				}
			}
			return nil
		}},
		{"Nodes.SetPlatform", func() error {
			if err := store.SetPlatform(ctx, catalog.ConsoleStore, "outage", account.By{At: int64(noon)}); err != nil {
				return err
			}
			return store.SetPlatform(ctx, catalog.ConsoleStore, "", account.By{At: int64(noon)})
		}},
		{"Nodes.PlatformOverrides", func() error { return one(store.PlatformOverrides(ctx)) }},
		{"Nodes.Seq", func() error { return one(store.Seq(ctx)) }},
		{"Nodes.Advance", func() error { return one(store.Advance(ctx, 0)) }},
		{"Nodes.Raise", func() error { return one(store.Raise(ctx, 1<<33)) }},
		{"Nodes.Beat", func() error {
			_, _, err := store.Beat(ctx, registry.Node{ID: "n", Name: "n", Roles: []string{"api"}, Epoch: "e", Seq: 1 << 33}, time.Now)
			return err
		}},
		{"Nodes.Clock", func() error { return one(store.Clock(ctx)) }},
		{"Nodes.ListNodes", func() error { return one(store.ListNodes(ctx)) }},
		{"Nodes.RemoveNode", func() error { return store.RemoveNode(ctx, "n") }},
		{"Nodes.ForgetNodes", func() error { return store.ForgetNodes(ctx) }},
		{"Nodes.SaveOverrides", func() error { return store.SaveOverrides(ctx, []byte("{}"), account.By{At: int64(noon)}) }},
		{"Nodes.LoadOverrides", func() error { return two(store.LoadOverrides(ctx)) }},
		{"Nodes.OverridesHash", func() error { return one(store.OverridesHash(ctx)) }},
		{"Nodes.AgreeProfile", func() error { return two(store.AgreeProfile(ctx, catalog.ConsoleStore, "h", int64(noon))) }},
		{"Nodes.RegisterProfile", func() error {
			return store.RegisterProfile(ctx, []catalog.Platform{catalog.ConsoleStore}, "i", account.By{At: int64(noon)})
		}},
		{"Nodes.SaveRates", func() error {
			return one(store.SaveRates(ctx, nodes.Rates{Body: []byte("{}"), UpdatedAt: int64(noon), Source: "s"}, true, noon))
		}},
		{"Nodes.LoadRates", func() error { return two(store.LoadRates(ctx)) }},
		{"Nodes.KeepRates", func() error { return store.KeepRates(ctx, noon) }},
		{"Nodes.EachDayRates", func() error {
			return store.EachDayRates(ctx, noon.Day()-7, noon.Day(), func(history.DayRates) error { return nil })
		}},
		{"Nodes.AddDayRates", func() error {
			return one(store.AddDayRates(ctx, []history.DayRates{{Day: noon.Day() - 1, Body: []byte("{}"), Source: "s", TakenAt: noon}}))
		}},
		{"Nodes.RatesSource", func() error { return two(store.RatesSource(ctx)) }},
	}
}

func webhookCalls(t *testing.T, db *sqldb.DB) []methodCall {
	ctx, store := t.Context(), db.Webhooks
	s, served := newWebhook("whk_1", "key_15")
	return []methodCall{
		{"Webhooks.Create", func() error { return store.Create(ctx, s, served) }},
		{"Webhooks.Find", func() error { return one(store.Find(ctx, s.ID)) }},
		{"Webhooks.ListOf", func() error { return one(store.ListOf(ctx, s.KeyID)) }},
		{"Webhooks.Since", func() error { return two(store.Since(ctx, account.Mark{})) }},
		{"Webhooks.IDs", func() error { return one(store.IDs(ctx)) }},
		{"Webhooks.Load", func() error { return two(store.Load(ctx, s.ID, s.Games)) }},
		{"Webhooks.Save", func() error {
			return one(store.Save(ctx, withMessage(s), webhook.Outcome{Served: served, Gone: []string{"pcstore/x"}, NewMessage: true, Try: &webhook.Try{At: int64(noon)}}))
		}},
		{"Webhooks.Update", func() error {
			return one(store.Update(ctx, s.ID, func(s *webhook.Subscription) error { s.TurnOn(); return nil }))
		}},
		{"Webhooks.RequestPing", func() error { return store.RequestPing(ctx, s.ID) }},
		{"Webhooks.Tries", func() error { return one(store.Tries(ctx, s.ID)) }},
		{"Webhooks.ListOfKeys", func() error { return one(store.ListOfKeys(ctx, []string{s.KeyID})) }},
		{"Webhooks.Search", func() error { return two(store.Search(ctx, "", "", 10)) }},
		{"Webhooks.TurnOffBy", func() error { return store.TurnOffBy(ctx, s.ID, account.By{At: int64(noon)}) }},
		{"Webhooks.Delete", func() error { return store.Delete(ctx, s.ID) }},
		{"Webhooks.DeleteBy", func() error {
			if err := store.Create(ctx, s, served); err != nil {
				return err
			}
			return store.DeleteBy(ctx, s.ID, account.By{At: int64(noon)})
		}},
	}
}

func peopleCalls(t *testing.T, db *sqldb.DB) []methodCall {
	ctx, store := t.Context(), db.Accounts
	at, by := int64(noon)+2000, account.By{At: int64(noon) + 2000, Actor: "usr_1", From: "192.0.2.1"}
	hash := [32]byte{7}
	link := func(n byte, p account.Purpose, email, user string) account.Link {
		return account.Link{Hash: [32]byte{n}, Purpose: p, Email: email, UserID: user, CreatedBy: "usr_1", CreatedAt: at, ExpiresAt: at + 1_000_000}
	}
	session := account.Session{ID: "own", UserID: "usr_9", Body: []byte("b"), ExpiresAt: at + 1}
	return []methodCall{
		{"Accounts.AddAudit", func() error { return store.AddAudit(ctx, by.Entry("a", "o")) }},
		{"Accounts.SearchAudit", func() error {
			for _, q := range []account.AuditQuery{{}, {Object: "o7", Before: 1 << 40}, {Actor: "usr_7"}, {Action: "a7"}, {Object: "o7", Actor: "usr_7", Action: "a7"}} {
				q.Limit = 50
				if err := one(store.SearchAudit(ctx, q)); err != nil {
					return err
				}
			}
			return nil
		}},
		{"Accounts.ForgetAudit", func() error { return one(store.ForgetAudit(ctx, at+20_000)) }},
		{"Accounts.ShortenAddresses", func() error { return store.ShortenAddresses(ctx, at+40_000) }},
		{"Accounts.CreateUser", func() error {
			return store.CreateUser(ctx, account.User{ID: "usr_admin", Email: "admin@example.org", Admin: true, CreatedAt: at}, by)
		}},
		{"Accounts.FindUser", func() error { return one(store.FindUser(ctx, "usr_3")) }},
		{"Accounts.FindUserByEmail", func() error { return two(store.FindUserByEmail(ctx, "mail3@example.org")) }},
		{"Accounts.FindUserByIdentity", func() error { return two(store.FindUserByIdentity(ctx, "https://id.example", "s3")) }},
		{"Accounts.ListUsers", func() error { return one(store.ListUsers(ctx, "", "", 20)) }},
		{"Accounts.CountUsers", func() error { return one(store.CountUsers(ctx)) }},
		{"Accounts.AddIdentity", func() error { return store.AddIdentity(ctx, "usr_3", "https://id.example", "other", by) }},
		{"Accounts.SetPassword", func() error { return store.SetPassword(ctx, "usr_3", "phc", by) }},
		{"Accounts.EndSessions", func() error { return store.EndSessions(ctx, "usr_3", by) }},
		{"Accounts.Watched", func() error { return one(store.Watched(ctx, "usr_3")) }},
		{"Accounts.Watch", func() error { return store.Watch(ctx, "usr_3", "pcstore/a") }},
		{"Accounts.SaveSeen", func() error {
			return store.SaveSeen(ctx, "usr_3", []account.Watch{{Game: "pcstore/a"}})
		}},
		{"Accounts.MoveWatches", func() error {
			return store.MoveWatches(ctx, "usr_3", map[string]string{"pcstore/a": "pcstore/b"})
		}},
		{"Accounts.Unwatch", func() error { return store.Unwatch(ctx, "usr_3", "pcstore/b") }},
		{"Accounts.NoteSignIn", func() error { return store.NoteSignIn(ctx, "usr_3", by) }},
		{"Accounts.SetAdmin", func() error {
			if err := store.SetAdmin(ctx, "usr_3", true, by); err != nil {
				return err
			}
			return store.SetAdmin(ctx, "usr_3", false, by)
		}},
		{"Accounts.DisableUser", func() error { return store.DisableUser(ctx, "usr_3", by) }},
		{"Accounts.EnableUser", func() error { return store.EnableUser(ctx, "usr_3", by) }},
		{"Accounts.CreateKey", func() error {
			return store.CreateKey(ctx, account.Key{ID: "key_new", Hash: hash, UserID: "usr_4", CreatedAt: at, Permissions: 1}, by)
		}},
		{"Accounts.RenameKey", func() error { return one(store.RenameKey(ctx, "key_8", "n", by)) }},
		{"Accounts.SetKeyLimits", func() error { return one(store.SetKeyLimits(ctx, "key_8", 1, 2, by)) }},
		{"Accounts.SuspendKey", func() error { return one(store.SuspendKey(ctx, "key_8", "r", by)) }},
		{"Accounts.ResumeKey", func() error { return one(store.ResumeKey(ctx, "key_8", by)) }},
		{"Accounts.RevokeKey", func() error { return one(store.RevokeKey(ctx, "key_8", by)) }},
		{"Accounts.SaveKeyUses", func() error {
			return store.SaveKeyUses(ctx, []account.KeyUse{{KeyID: "key_10", At: at}, {KeyID: "key_11", At: at}})
		}},
		{"Accounts.FindKeyByHash", func() error { return two(store.FindKeyByHash(ctx, hash)) }},
		{"Accounts.FindKeyByID", func() error { return one(store.FindKeyByID(ctx, "key_9")) }},
		{"Accounts.ListKeys", func() error { return one(store.ListKeys(ctx, "", 20)) }},
		{"Accounts.KeysSince", func() error {
			_, upTo, err := store.KeysSince(ctx, account.Mark{})
			if err == nil {
				upTo.Change -= 2
				_, _, err = store.KeysSince(ctx, upTo)
			}
			return err
		}},
		{"Accounts.OwnedKeys", func() error { return one(store.OwnedKeys(ctx, []string{"key_15"})) }},
		{"Accounts.KeysOf", func() error { return one(store.KeysOf(ctx, "usr_5")) }},
		{"Accounts.SearchKeys", func() error { return two(store.SearchKeys(ctx, "", "", 20)) }},
		{"Accounts.SaveLink", func() error {
			for _, l := range []account.Link{link(1, account.LinkInvite, "a@example.org", ""), link(2, account.LinkInvite, "b@example.org", ""), link(3, account.LinkReset, "", "usr_5")} {
				if err := store.SaveLink(ctx, l, by); err != nil {
					return err
				}
			}
			return nil
		}},
		{"Accounts.AddLink", func() error { return one(store.AddLink(ctx, link(4, account.LinkInvite, "a@example.org", ""), by)) }},
		{"Accounts.FindLink", func() error { return two(store.FindLink(ctx, [32]byte{1}, at)) }},
		{"Accounts.OpenLinks", func() error { return one(store.OpenLinks(ctx, at)) }},
		{"Accounts.AcceptLink", func() error {
			return store.AcceptLink(ctx, [32]byte{1}, account.User{ID: "usr_invited", CreatedAt: at}, by)
		}},
		{"Accounts.AcceptReset", func() error { return one(store.AcceptReset(ctx, [32]byte{3}, "phc", by)) }},
		{"Accounts.RevokeLink", func() error { return store.RevokeLink(ctx, [32]byte{2}, by) }},
		{"Accounts.SaveSession", func() error { return store.SaveSession(ctx, session) }},
		{"Accounts.RenewSession", func() error { return one(store.RenewSession(ctx, session)) }},
		{"Accounts.FindSession", func() error { return two(store.FindSession(ctx, "own", at)) }},
		{"Accounts.DeleteSession", func() error { return store.DeleteSession(ctx, "own") }},
		{"Accounts.DeleteExpired", func() error { return store.DeleteExpired(ctx, at+20_000) }},
		{"Accounts.SaveQuota", func() error {
			return store.SaveQuota(ctx, []quota.State{{ID: "key_1", Spent: quota.Spent{Minute: at / 60_000, MinuteUsed: 1, DayUsed: 1}}})
		}},
		{"Accounts.LoadQuota", func() error { return one(store.LoadQuota(ctx, at/60_000)) }},
		{"Accounts.SaveUsage", func() error {
			rows := []quota.UsageRow{{KeyID: "key_1", Hour: at / 3_600_000, Route: "/r1", Outcome: quota.OutcomeOK, Count: 1 << 33}}
			return store.SaveUsage(ctx, quota.UsageBatch{Run: "run", Number: 1 << 33, At: at, Rows: rows})
		}},
		{"Accounts.SumUsage", func() error { return two(store.SumUsage(ctx, "key_1", at/3_600_000-24, "run")) }},
		{"Accounts.CountRequests", func() error {
			if err := one(store.CountRequests(ctx, "key_1", false, at/3_600_000-24)); err != nil {
				return err
			}
			return one(store.CountRequests(ctx, "usr_1", true, at/3_600_000-24))
		}},
		{"Accounts.UsageByHour", func() error { return one(store.UsageByHour(ctx, []string{"key_1", "key_2"}, at/3_600_000-24)) }},
		{"Accounts.ForgetRuns", func() error { return store.ForgetRuns(ctx, int64(noon)+10) }},
		{"Accounts.ForgetKeys", func() error { return one(store.ForgetKeys(ctx, int64(noon)+500)) }},
		{"Accounts.DeleteUser", func() error { return store.DeleteUser(ctx, "usr_6", by) }},
	}
}
