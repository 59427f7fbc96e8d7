package postgres_test

import (
	"testing"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/postgres"
	"gamedex/internal/testing/enginetest"
)

// epochOf returns the value of the epoch.
func epochOf(t *testing.T, db *postgres.DB) (value string) {
	t.Helper()
	text, _ := db.Epoch()
	must(t, db.Query(t.Context(), "SELECT "+text, nil, func(rows engine.Rows) error { return rows.Scan(&value) }))
	return value
}

// TestEpochs checks that all processes see one epoch, and that another database of the
// same server, or other tables in the same one, have another.
func TestEpochs(t *testing.T) {
	t.Parallel()
	dsn := newDatabase(t)
	one := epochOf(t, open(t, dsn))
	db := open(t, dsn)
	if again := epochOf(t, db); again != one {
		t.Errorf("epochs %q and %q of one database", one, again)
	}
	if other := epochOf(t, open(t, newDatabase(t))); other == one {
		t.Errorf("another database has the epoch %q too", one)
	}
	write(t, db, func(c engine.Conn) error {
		_, err := c.Exec(t.Context(), "ALTER TABLE counter RENAME TO former")
		if err == nil {
			_, err = c.Exec(t.Context(), "CREATE TABLE counter AS SELECT * FROM former")
		}
		return err
	})
	if restored := epochOf(t, db); restored == one {
		t.Errorf("another table has the epoch %q too", one)
	}
	if _, gap := db.Epoch(); gap != "" {
		t.Errorf("the epoch lacks %q", gap)
	}
}

// TestEpochOfALimitedRole checks that a role without some privileges reads which ones it
// lacks, and has an epoch of the rest.
func TestEpochOfALimitedRole(t *testing.T) {
	t.Parallel()
	s := enginetest.SharedPostgres(t)
	names := []string{s.NewDatabase(t, ""), s.NewDatabase(t, "")}
	var epochs []string
	for _, name := range names {
		s.Exec(t, name, "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC", "REVOKE EXECUTE ON FUNCTION pg_current_wal_lsn() FROM PUBLIC")
		db := open(t, s.OwnDSN(name))
		if _, gap := db.Epoch(); gap != "pg_control_system(), pg_walfile_name(pg_current_wal_lsn())" {
			t.Errorf("the epoch lacks %q", gap)
		}
		epochs = append(epochs, epochOf(t, db))
	}
	if epochs[0] == epochs[1] {
		t.Errorf("two databases have the epoch %q", epochs[0])
	}
}
