package subjects

import (
	"errors"
	"io"
	"os"
	"testing"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/sample"
	"gamedex/internal/testing/enginetest"
)

// newPostgres starts a server for this test.
func newPostgres(t *testing.T) harness.Postgres {
	t.Helper()
	enginetest.Need(t, "postgres")
	dir, err := enginetest.NewFolder() // with a short path, which the server may enter
	if err != nil {
		t.Fatal(err)
	}
	r, err := harness.NewRun(dir, "../..", true, 1, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(r.Close(), os.RemoveAll(dir)); err != nil {
			t.Error(err)
		}
	})
	server, err := r.Postgres(t.Context(), "fsync=off")
	if err != nil {
		t.Fatal(err)
	}
	return server
}

func TestPostgresImportAndUpsertsStoreEveryRow(t *testing.T) {
	server := newPostgres(t)
	in, err := newImportInput(sample.New(1, 150))
	if err != nil {
		t.Fatal(err)
	}
	results := harness.NewResults()
	err = inDatabase(t.Context(), server, func(dsn string) error { return in.runImports(t.Context(), dsn, inPostgres, server.PID, results) })
	if err != nil {
		t.Error(err)
	}
	err = inDatabase(t.Context(), server, func(dsn string) error {
		db, err := alternatives.OpenPostgresUpserts(t.Context(), dsn)
		if err != nil {
			return err
		}
		return in.runUpserts(t.Context(), db, inPostgres, server.PID, results)
	})
	if err != nil {
		t.Error(err)
	}
	for _, name := range []string{importNew, importSame, importSeen, importRepriced, upsertNew, upsertAgain} {
		if f, ok := results.Of(inPostgres+name, harness.RowsRate); !ok || f.Median <= 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
}
