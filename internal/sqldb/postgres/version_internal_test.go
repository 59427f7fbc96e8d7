package postgres

import (
	"strings"
	"testing"

	"gamedex/internal/enginetest"
	"gamedex/internal/sqldb"
)

// TestOpenRefusesOldServers asks the server for a version that it does not have yet.
func TestOpenRefusesOldServers(t *testing.T) {
	s := enginetest.SharedPostgres(t)
	_, err := open(t.Context(), s.OwnDSN(s.NewDatabase(t, "")), sqldb.Options{Create: true}, 990000)
	if err == nil || !strings.Contains(err.Error(), "is on PostgreSQL 1") || !strings.HasSuffix(err.Error(), "gamedex needs version 99 or later: upgrade the server") {
		t.Errorf("error %v", err)
	}
}
