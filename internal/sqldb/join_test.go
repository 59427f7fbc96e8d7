package sqldb_test

import (
	"path/filepath"
	"testing"

	"gamedex/internal/sqldb"
)

// TestJoin checks that the first process is alone, that a second one is not, and that
// after both have left the next one is alone again.
func TestJoin(t *testing.T) {
	t.Parallel()
	dsn := "sqlite:" + filepath.Join(t.TempDir(), "gamedex.db")
	join := func(db *sqldb.DB, wantAlone bool) func() {
		t.Helper()
		alone, leave, err := db.File.Join(t.Context())
		if err != nil || alone != wantAlone {
			t.Fatalf("Join = alone %v, %v; want %v", alone, err, wantAlone)
		}
		return func() {
			must(t, leave.Close())
		}
	}
	one, two := bare(t, dsn), bare(t, dsn)
	for range 2 {
		leaveOne := join(one, true)
		leaveTwo := join(two, false)
		leaveThree := join(one, false)
		leaveOne()
		leaveThree()
		leaveFour := join(one, false)
		leaveTwo()
		leaveFour()
	}
}
