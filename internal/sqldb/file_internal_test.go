package sqldb

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// Whoever opens a new database must not have to turn its log on: two who do
// that at once fail each other, whatever their patience.
func TestANewFileHasItsLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gamedex.db")
	if err := create(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// "File format write version" and "read version": 2 is a write-ahead log.
	if got := header[18:20]; !bytes.Equal(got, []byte{2, 2}) {
		t.Errorf("format versions %v, want 2 and 2", got)
	}
	for _, left := range []string{path + "-wal", path + "-shm", path + ".new"} {
		if _, err := os.Stat(left); err == nil {
			t.Errorf("%s is left behind", filepath.Base(left))
		}
	}
}
