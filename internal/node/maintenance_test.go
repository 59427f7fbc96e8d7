package node

import (
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/nodes"
)

// TestMaintenanceKeepsRates checks that a table of rates that stays is kept for the day.
func TestMaintenanceKeepsRates(t *testing.T) {
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
	yesterday := catalog.MillisOf(now.AddDate(0, 0, -1))
	if _, err := db.Nodes.SaveRates(t.Context(), nodes.Rates{Body: []byte("{}"), Imported: true, Source: "import"}, true, yesterday); err != nil {
		t.Fatal(err)
	}
	n := &node{Config: Config{DB: db, Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)}}
	if err := n.maintain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if days := ratesOfDays(t, db, yesterday.Day()+9); len(days) != 2 || days[1].Day != yesterday.Day()+1 || days[1].Source != "import" {
		t.Errorf("tables of days: %+v", days)
	}
}
