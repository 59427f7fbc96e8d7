package node

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/nodes"
)

// TestMaintenanceKeepsRates checks that a table of rates that stays is kept for the day.
func TestMaintenanceKeepsRates(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	db := openAt(t, now)
	yesterday := catalog.MillisOf(now.AddDate(0, 0, -1))
	if _, err := db.Nodes.SaveRates(t.Context(), nodes.Rates{Body: []byte("{}"), Imported: true, Source: "import"}, true, yesterday); err != nil {
		t.Fatal(err)
	}
	n := &node{Config: Config{DB: db, Log: slog.New(slog.DiscardHandler)}}
	if err := n.maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if days := ratesOfDays(t, db, yesterday.Day()+9); len(days) != 2 || days[1].Day != yesterday.Day()+1 || days[1].Source != "import" {
		t.Errorf("tables of days: %+v", days)
	}
}

// openAt opens a new database whose clock shows now.
func openAt(t *testing.T, now time.Time) *sqldb.DB {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"),
		engine.Options{Create: true, Now: func() time.Time { return now }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// TestMaintenanceOfAWrongClock checks that a node whose clock is a year ahead deletes nothing that is young by the
// database's clock, and writes no rates of another day.
func TestMaintenanceOfAWrongClock(t *testing.T) {
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	db := openAt(t, now)
	at := catalog.MillisOf(now)
	if _, err := db.Nodes.SaveRates(t.Context(), nodes.Rates{Body: []byte("{}"), Imported: true, Source: "import"}, true, at); err != nil {
		t.Fatal(err)
	}
	if err := db.Nodes.SaveOverrides(t.Context(), []byte("{}"), account.By{At: int64(at), Actor: "cli:test"}); err != nil {
		t.Fatal(err)
	}
	entries := func() int {
		t.Helper()
		log, err := db.Accounts.SearchAudit(t.Context(), account.AuditQuery{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		return len(log)
	}
	before := entries()
	n := &node{Config: Config{DB: db, Now: func() time.Time { return now.AddDate(1, 0, 0) }, AuditRetention: 30, Log: slog.New(slog.DiscardHandler)}}
	if err := n.maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := entries(); before == 0 || after != before {
		t.Errorf("%d audit entries, want %d", after, before)
	}
	if days := ratesOfDays(t, db, at.Day()+999); len(days) != 1 {
		t.Errorf("tables of days: %+v", days)
	}
}
