package sqldb_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/listings"
	"gamedex/internal/testing/enginetest"
)

func TestMain(m *testing.M) {
	if err := enginetest.TempInMemory(); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// A testEngine creates databases of one kind. Every test of behaviour runs on all
// engines.
type testEngine struct {
	name string
	// dsn returns the name of a new, empty database, which can be opened twice.
	dsn func(t testing.TB) string
}

// engines returns SQLite, and PostgreSQL where it is found or required. In the full world
// it also returns PostgreSQL behind PgBouncer, which takes as long again.
func engines() []testEngine {
	list := []testEngine{sqliteEngine}
	if enginetest.Wanted("postgres") {
		list = append(list, testEngine{"PostgreSQL", postgresDSN})
		if fullWorld() && enginetest.Wanted("pgbouncer") {
			list = append(list, testEngine{"PgBouncer", pgBouncerDSN})
		}
	}
	return list
}

var sqliteEngine = testEngine{"SQLite", func(t testing.TB) string {
	return "sqlite:" + filepath.Join(t.TempDir(), "data", "gamedex.db")
}}

// postgresDSN returns the name of a database on the server that all tests share.
func postgresDSN(t testing.TB) string {
	return enginetest.SharedPostgres(t).OwnDSN(postgresDatabase(t))
}

// pgBouncerDSN is postgresDSN behind a pooler, which gives a session to several
// connections in turn. The pooler is the database's own: it ends before the database is
// used again.
func pgBouncerDSN(t testing.TB) string {
	name := postgresDatabase(t)
	return enginetest.SharedPostgres(t).NewPgBouncer(t).OwnDSN(name)
}

// postgresDatabase makes an empty database on the server that all tests share.
func postgresDatabase(t testing.TB) (name string) {
	return enginetest.SharedPostgres(t).CopyDatabase(t, "gamedex", func(dsn string) error {
		db, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true})
		if err != nil {
			return err
		}
		return db.Close()
	})
}

// TestPostgresIsFound is skipped where the tests run on SQLite only.
func TestPostgresIsFound(t *testing.T) { enginetest.Need(t, "postgres") }

// onEach runs a test of behaviour on an empty database of each engine, in parallel: most
// of the time is spent waiting for PostgreSQL. A pooler makes no difference to one handle.
func onEach(t *testing.T, test func(t *testing.T, db *sqldb.DB)) {
	for _, e := range engines() {
		if e.name != "PgBouncer" {
			t.Run(e.name, func(t *testing.T) {
				t.Parallel()
				test(t, open(t, e.dsn(t)))
			})
		}
	}
}

// empty deletes what tests store, apart from facts and prose. It takes a fraction of the time
// of a new database.
func empty(t *testing.T, db *sqldb.DB) {
	t.Helper()
	must(t, db.Write(t.Context(), "empty", func(tx *engine.Tx) error {
		for _, table := range []string{"listing", "history", "lost_price", "collection", "sweep", "sweep_item", "lease", "api_key", "person",
			"identity", "link", "watch", "session", "webhook", "webhook_game", "webhook_message", "webhook_try", "audit", "quota_state", "rates", "rates_day"} {
			if _, err := tx.Exec(t.Context(), "DELETE FROM "+table); err != nil {
				return err
			}
		}
		return nil
	}))
}

// onEachEngine is onEach for a test that names its databases.
func onEachEngine(t *testing.T, test func(t *testing.T, e testEngine)) {
	for _, e := range engines() {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			test(t, e)
		})
	}
}

// beside starts n calls at once. Each gets its own handle of the database.
func beside(t *testing.T, dsn string, n int, call func(mine *sqldb.DB, i int)) *sync.WaitGroup {
	t.Helper()
	var all sync.WaitGroup
	for i := range n {
		mine := open(t, dsn)
		all.Go(func() { call(mine, i) })
	}
	return &all
}

// open opens a database, creating it if necessary, until the test ends.
func open(t testing.TB, dsn string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true})
	must(t, err)
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return watchLocks(t, db)
}

// bare opens a database that nothing watches.
func bare(t *testing.T, dsn string) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), dsn, engine.Options{Create: true})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// execute runs statements, without the stores.
func execute(t *testing.T, db *sqldb.DB, statements ...string) {
	t.Helper()
	for _, text := range statements {
		if _, err := db.Exec(t.Context(), "execute", text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
	}
}

// save stores listings and checks the counts.
func save(t *testing.T, db *sqldb.DB, want catalog.SaveCounts, ls ...catalog.Listing) {
	t.Helper()
	got, err := db.Listings.Save(t.Context(), ls)
	must(t, err)
	if got != want {
		t.Errorf("Save counted %+v, want %+v", got, want)
	}
}

func generation(t *testing.T, db *sqldb.DB) int64 {
	t.Helper()
	_, g, err := db.Listings.Newest(t.Context())
	must(t, err)
	return g
}

// exported returns the listings that Export passes to its callback.
func exported(t *testing.T, db *sqldb.DB, f listings.Filter) []catalog.Listing {
	t.Helper()
	var ls []catalog.Listing
	must(t, db.Listings.Export(t.Context(), f, func(l *catalog.Listing) error {
		ls = append(ls, *l)
		return nil
	}))
	return ls
}
