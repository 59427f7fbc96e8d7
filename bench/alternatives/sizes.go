package alternatives

import (
	"context"
	"database/sql"
	"fmt"
)

// AllTables is the name of the sum in the sizes of tables.
const AllTables = "all tables"

// TableSizes returns how many bytes each table of a SQLite file has with its indexes.
func TableSizes(ctx context.Context, file string) (sizes map[string]float64, err error) {
	pool, err := sql.Open("sqlite", "file:"+file+"?mode=ro")
	if err != nil {
		return nil, fmt.Errorf("sizes of tables in %s: %w", file, err)
	}
	defer pool.Close()
	sizes = map[string]float64{}
	found, err := pool.QueryContext(ctx, "SELECT m.tbl_name, SUM(s.pgsize) FROM dbstat AS s JOIN sqlite_schema AS m ON m.name = s.name WHERE s.aggregate = TRUE GROUP BY m.tbl_name")
	if err != nil {
		return nil, fmt.Errorf("sizes of tables in %s: %w", file, err)
	}
	defer found.Close()
	for found.Next() {
		var table string
		var bytes float64
		if err := found.Scan(&table, &bytes); err != nil {
			return nil, err
		}
		sizes[table] = bytes
		sizes[AllTables] += bytes
	}
	if err := found.Err(); err != nil {
		return nil, fmt.Errorf("sizes of tables in %s: %w", file, err)
	}
	return sizes, nil
}
