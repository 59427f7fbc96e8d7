package subjects

import (
	"path/filepath"
	"testing"

	"github.com/jackc/pgx/v5"

	"gamedex/bench/sample"
	"gamedex/internal/sqldb/listings"
)

func TestReadsReadTheSame(t *testing.T) {
	const products = 600 // more than a batch of listings
	ctx, server := t.Context(), newPostgres(t)
	dsn, err := server.NewDatabase(ctx, "reads")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := pgx.Connect(ctx, dsn)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	for _, dsn := range []string{dsn, "sqlite:" + filepath.Join(t.TempDir(), "gamedex.db")} {
		db, stored, err := openFilled(ctx, dsn, sample.New(1, products))
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if n, err := firstRead(ctx, db); err != nil || n != stored || n != 4*products {
			t.Errorf("%s: %d rows of %d, %v", db.Name, n, stored, err)
		}
		if n, err := countChanges(ctx, db, 1); err != nil || n != stored-listings.MaxBatch {
			t.Errorf("%s: %d changes, %v", db.Name, n, err)
		}
	}
	if n, err := scanChanges(ctx, conn, 1); err != nil || n != 4*products-listings.MaxBatch {
		t.Errorf("%d rows in the bare scan, %v", n, err)
	}
}
