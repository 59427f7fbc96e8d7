package postgres

import (
	"context"
	"strings"
)

// epochParts are the parts of the epoch. A promotion begins a timeline; the name of a
// log file begins with it (pg_control_checkpoint is late). A restore makes another
// database, or other tables in the same one.
var epochParts = []struct{ name, text string }{
	{"pg_control_system()", "(SELECT system_identifier::text FROM pg_control_system())"},
	{"pg_walfile_name(pg_current_wal_lsn())", "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)"},
	{"pg_database", "(SELECT oid::text FROM pg_database WHERE datname = current_database())"},
	{"to_regclass('counter')", "to_regclass('counter')::oid::text"},
}

// Epoch implements sqldb.Engine. On a standby its expression is an error, so that nothing
// is learned from one.
func (db *DB) Epoch() (text, gap string) { return db.epoch, db.epochGap }

// askEpoch sets the epoch to the parts that the role may ask for.
func (db *DB) askEpoch(ctx context.Context) error {
	var texts, gaps []string
	for _, part := range epochParts {
		var value string
		err := db.pool.QueryRow(ctx, "SELECT "+part.text).Scan(&value)
		switch {
		case err == nil:
			texts = append(texts, part.text)
		case code(err) == "" || isLost(err):
			return err
		default:
			gaps = append(gaps, part.name)
		}
	}
	db.epoch, db.epochGap = "'0'", strings.Join(gaps, ", ")
	if len(texts) > 0 {
		db.epoch = "(" + strings.Join(texts, " || '/' || ") + ")"
	}
	return nil
}
