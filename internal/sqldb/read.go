package sqldb

import (
	"context"
	"database/sql"
	"fmt"
)

// ReadTx is one consistent look at the database: a transaction that reads. It
// does not see what is saved meanwhile. It is valid until the function that
// Read was given returns, and for one goroutine.
type ReadTx struct {
	ctx context.Context
	tx  *sql.Tx
}

// Read runs fn with one look. It may last as long as it needs: others go on
// reading and writing. The error of fn is returned as it is.
func (db *DB) Read(ctx context.Context, fn func(*ReadTx) error) error {
	begun, err := db.reader.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return db.Failed("begin reading", err)
	}
	defer begun.Rollback()
	if err := fn(&ReadTx{ctx: ctx, tx: begun}); err != nil {
		if way := wayOut(err); way != "" {
			return fmt.Errorf("database %s %s: %w", db.path, way, err)
		}
		return err
	}
	return nil
}

// Query calls row for each row of the answer.
func (r *ReadTx) Query(text string, args []any, row func(*sql.Rows) error) error {
	rows, err := r.tx.QueryContext(r.ctx, text, args...)
	if err != nil {
		return err
	}
	return eachRow(rows, row)
}
