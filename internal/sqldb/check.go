package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// maxFaults is the number of faults after which Check stops.
const maxFaults = 20

// Faults collects the faults of a database, one sentence each.
type Faults struct{ list []string }

// AddFault adds a sentence, up to maxFaults.
func (f *Faults) AddFault(format string, args ...any) {
	if len(f.list) < maxFaults {
		f.list = append(f.list, fmt.Sprintf(format, args...))
	}
}

// A Check reads a part of the database and adds its faults.
type Check func(*ReadTx, *Faults) error

// Check reads the whole database and returns its faults, at most 20 sentences. It
// checks the engine's structure first, then runs checks. An error means that the
// check could not be completed.
func (db *DB) Check(ctx context.Context, checks ...Check) ([]string, error) {
	var faults Faults
	err := db.Read(ctx, func(r *ReadTx) error {
		for _, check := range append([]Check{checkStructure}, checks...) {
			if err := check(r, &faults); err != nil || len(faults.list) >= maxFaults {
				return err
			}
		}
		return nil
	})
	switch {
	case isDamage(err):
		faults.AddFault("the file is damaged: %v", err)
	case err != nil:
		return faults.list, fmt.Errorf("check database: %w", err)
	}
	return faults.list, nil
}

// checkStructure checks that pages, indexes and rows agree.
func checkStructure(r *ReadTx, faults *Faults) error {
	return r.Query(fmt.Sprintf("PRAGMA integrity_check(%d)", maxFaults), nil, func(rows *sql.Rows) error {
		var verdict string
		err := rows.Scan(&verdict)
		if verdict != "ok" {
			faults.AddFault("the file is damaged: %s", verdict)
		}
		return err
	})
}
