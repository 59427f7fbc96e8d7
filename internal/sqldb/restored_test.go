package sqldb_test

import (
	"context"
	"crypto/rand"
	"log/slog"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/bucket"
	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	"gamedex/internal/lease"
	"gamedex/internal/money"
	"gamedex/internal/publish"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/catalogtest"
	"gamedex/internal/testing/enginetest"
)

// buildSource is the database as a builder reads it.
type buildSource struct {
	*sqldb.DB
	*listings.Repository
}

func (s buildSource) Read(ctx context.Context, fn func(builder.Reading) error) error {
	return s.Repository.Read(ctx, func(r *listings.Reading) error { return fn(r) })
}

func (s buildSource) Rates(context.Context) (money.Rates, error) { return money.Rates{}, nil }

func (s buildSource) Loading(context.Context) (bool, error) { return false, nil }

// startBuilder runs a builder until the test ends. titles waits for a snapshot with this
// title.
func startBuilder(t *testing.T, db *sqldb.DB) (shown func(title string)) {
	t.Helper()
	folder, err := bucket.OpenFolder(t.TempDir())
	must(t, err)
	built := make(chan struct{}, 100)
	b := builder.New(builder.Config{
		Database: buildSource{db, db.Listings}, Publication: db.Nodes, ServedIDs: db.Listings, Bucket: folder,
		Leases:    lease.Holder{Repository: db.Nodes, ID: rand.Text(), TTL: 3 * time.Second},
		Overrides: func(context.Context) (override.Set, error) { return override.Set{}, nil },
		States:    func(context.Context, string) ([]index.PlatformState, error) { return nil, nil },
		Now:       time.Now, Clock: time.Now, Log: slog.New(slog.DiscardHandler), OnBuild: func(builder.Report) { built <- struct{}{} },
	})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- b.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		must(t, <-ended)
		must(t, folder.Close())
	})
	var live index.Live
	follower := publish.NewFollower(folder, &live, func(err error) { t.Error(err) })
	return func(title string) {
		t.Helper()
		for {
			select {
			case <-built:
			case <-time.After(await.Patience):
				t.Fatalf("no snapshot with %q", title)
			}
			if _, err := follower.Poll(t.Context()); err != nil {
				t.Fatal(err)
			}
			if v := live.View(); v.Len() == 1 && v.Card(0).Title() == title {
				return
			}
		}
	}
}

// tool runs a program of the server's.
func tool(t *testing.T, name string, args ...string) {
	t.Helper()
	server, err := enginetest.Find("postgres")
	must(t, err)
	server, err = filepath.EvalSymlinks(server)
	must(t, err)
	if out, err := exec.Command(filepath.Join(filepath.Dir(server), name), args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", name, err, out)
	}
}

// replaced is a database that becomes an older one while processes have it open.
type replaced struct {
	dsn     string
	save    func() // what is stored after it gets lost
	replace func()
}

// restored is a database that is dropped and restored from a dump.
func restored(t *testing.T) replaced {
	s := enginetest.SharedPostgres(t)
	name := s.NewDatabase(t, "")
	dump := filepath.Join(t.TempDir(), "dump")
	return replaced{s.OwnDSN(name),
		func() { tool(t, "pg_dump", "--format=custom", "--file="+dump, s.DSN(name, "postgres")) },
		func() {
			s.Exec(t, "postgres", "DROP DATABASE "+name+" WITH (FORCE)", "CREATE DATABASE "+name+" OWNER gamedex")
			tool(t, "pg_restore", "--dbname="+s.DSN(name, "postgres"), dump)
		}}
}

// restoredInto is a database into which a dump is restored, over what is in it.
func restoredInto(t *testing.T) replaced {
	s := enginetest.SharedPostgres(t)
	dsn, dump := s.OwnDSN(s.NewDatabase(t, "")), filepath.Join(t.TempDir(), "dump")
	return replaced{dsn,
		func() { tool(t, "pg_dump", "--format=custom", "--file="+dump, dsn) },
		func() { tool(t, "pg_restore", "--clean", "--single-transaction", "--dbname="+dsn, dump) }}
}

// promoted is a database whose standby is promoted without the last commits.
func promoted(t *testing.T) replaced {
	primary := enginetest.NewPostgres(t)
	name := primary.NewDatabase(t, "")
	standby := primary.NewStandby(t)
	return replaced{enginetest.OneOf(name, primary, standby),
		func() { primary.LeaveBehind(t, standby) },
		func() {
			must(t, primary.Kill())
			standby.Restart(t)
			standby.Promote(t)
		}}
}

// TestOlderDatabase replaces a database by an older one, and stores something else under
// the same numbers. What processes know of the lost data is noticed: keys are refused, the
// snapshot is built again, and new listings do not refer to lost contents.
func TestOlderDatabase(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "postgres")
	for name, kind := range map[string]func(*testing.T) replaced{"restored": restored, "restored into": restoredInto, "promoted": promoted} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			testOlderDatabase(t, kind(t))
		})
	}
}

func testOlderDatabase(t *testing.T, r replaced) {
	db := bare(t, r.dsn)
	titled := func(title string) catalog.Listing {
		return catalogtest.Console("UA", "EP0001-PPSA00001_00-STARFORGE0000000", catalogtest.Title(title), catalogtest.Price("UAH", 99900))
	}
	issueTo := func(db *sqldb.DB) (account.Key, string) {
		k, token, err := account.Draft{Name: "k"}.Issue(int64(noon), rand.Reader)
		must(t, err)
		must(t, db.Accounts.CreateKey(t.Context(), k, account.By{}))
		return k, token
	}
	kept, keptToken := issueTo(db)
	r.save()
	_, lostToken := issueTo(db)
	save(t, db, catalog.SaveCounts{New: 1}, titled("Lost"))
	shown := startBuilder(t, db)
	shown("Lost")
	keys := account.NewCache(db.Accounts, func() int64 { return int64(noon) }, slog.New(slog.DiscardHandler))
	must(t, keys.Refresh(t.Context()))

	r.replace()
	other := bare(t, r.dsn)
	_, err := other.Accounts.RevokeKey(t.Context(), kept.ID, account.By{At: int64(noon)})
	must(t, err)
	save(t, other, catalog.SaveCounts{New: 1}, titled("Other"))
	shown("Other")
	for attempt := 0; ; attempt++ { // the first calls may get a connection that is broken
		if err = keys.Refresh(t.Context()); err == nil || attempt == 20 {
			break
		}
	}
	must(t, err)
	if k, err := keys.Find(t.Context(), keptToken); err != nil || k.Status(int64(noon)) != account.StatusRevoked {
		t.Errorf("the revoked key: %s, %v", k.Status(int64(noon)), err)
	}
	wantIs(t, "the lost key", one(keys.Find(t.Context(), lostToken)), account.ErrUnknown)
	again := titled("Lost")
	again.ObservedAt++
	save(t, db, catalog.SaveCounts{Changed: 1}, again)
	if ls := exported(t, db, listings.Filter{}); len(ls) == 0 || ls[len(ls)-1].Facts.Title != "Lost" {
		t.Errorf("stored %+v, want the title Lost", ls)
	}
	wantWhole(t, db)
	shown("Lost")
}
