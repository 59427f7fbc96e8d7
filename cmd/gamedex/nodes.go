package main

import (
	"context"

	"gamedex/internal/sqldb"
)

type nodesCommand struct {
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run prints the nodes that were seen within a day, and what is wrong with them.
func (n *nodesCommand) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		list, err := db.Nodes.ListNodes(ctx)
		switch {
		case err != nil:
			return err
		case n.JSON:
			return writeJSON(p.Stdout, list.Shown())
		}
		return list.WriteTable(p.Stdout)
	})
}
