package lab

import (
	"database/sql"
	"fmt"

	_ "modernc.org/sqlite" // the driver of the service; it has FTS5
)

// SQLite opens a database file for measurements of reading, set up as one does
// for speed: write-ahead log, 256 MB of pages kept, the file mapped. It is
// closed with the lab.
func (l *Lab) SQLite(file string) (*sql.DB, error) {
	pool, err := sql.Open("sqlite", "file:"+file+"?_pragma=journal_mode(WAL)&_pragma=cache_size(-262144)&_pragma=mmap_size(1073741824)")
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", file, err)
	}
	l.AtEnd(pool.Close)
	pool.SetMaxOpenConns(1) // one caller, whose cache it is
	return pool, nil
}
