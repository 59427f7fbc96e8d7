package engine

import (
	"context"
	"fmt"
)

// MaxFaults is the number of faults after which Check stops.
const MaxFaults = 20

// Faults collects the faults of a database, one sentence each.
type Faults struct{ list []string }

// AddFault adds a sentence, up to MaxFaults.
func (f *Faults) AddFault(format string, args ...any) {
	if len(f.list) < MaxFaults {
		f.list = append(f.list, fmt.Sprintf(format, args...))
	}
}

// A Check reads a part of the database and adds its faults.
type Check func(*ReadTx, *Faults) error

// Check reads the whole database and returns its faults, at most MaxFaults sentences.
// It checks the engine's structure first, then runs checks. An error means that the
// check could not be completed.
func (db *DB) Check(ctx context.Context, checks ...Check) ([]string, error) {
	var faults Faults
	err := db.engine.Read(ctx, func(q Querier) error {
		if err := db.engine.CheckStructure(ctx, q, &faults); err != nil {
			return err
		}
		for _, check := range checks {
			if len(faults.list) >= MaxFaults {
				return nil
			}
			if err := check(&ReadTx{ctx, q}, &faults); err != nil {
				return err
			}
		}
		return nil
	})
	if damage := db.engine.Damage(err); damage != "" {
		faults.AddFault("%s", damage)
		return faults.list, nil
	}
	return faults.list, db.Failed("check database", err)
}
