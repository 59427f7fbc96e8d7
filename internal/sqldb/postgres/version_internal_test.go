package postgres

import (
	"strings"
	"testing"

	"gamedex/internal/sqldb/engine"
	"gamedex/internal/testing/enginetest"
)

// TestRefusesOldServers changes only the version that a real server reports.
func TestRefusesOldServers(t *testing.T) {
	t.Parallel()
	server := enginetest.SharedPostgres(t)
	db, err := Open(t.Context(), server.OwnDSN(server.NewDatabase(t, "")), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	s, err := db.readServer(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.check(db.name); err != nil {
		t.Errorf("PostgreSQL %s: %v", s.version, err)
	}
	s.number, s.version = 140018, "14.18"
	if err := s.check(db.name); err == nil || !strings.HasSuffix(err.Error(), " is on PostgreSQL 14.18; gamedex needs version 15 or later: upgrade the server") {
		t.Errorf("PostgreSQL 14.18: error %v", err)
	}
}
