package main

import (
	"context"
	"fmt"

	"gamedex/internal/database"
	"gamedex/internal/move"
	"gamedex/internal/sqldb/transfer"
)

type copyCommand struct {
	To string `required:"" env:"GAMEDEX_COPY_TO" placeholder:"DSN" help:"Empty database to fill, as for --database. Set a DSN with a password in the environment, where other users do not see it."`
}

// Run copies the whole database into an empty one.
func (k *copyCommand) Run(ctx context.Context, p *program, c *commands) error {
	if err := database.CheckDSN(k.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	p.onData = "" // hints say which of the two databases they are about
	return c.withDatabase(ctx, p, false, func(db *database.DB) error {
		bar := newBar(p.Stderr, false)
		plan := move.Plan{From: db, Overrides: c.overridesFile(), To: k.To, Options: c.options(p, true), Progress: func(at transfer.Progress) {
			bar.show("", at.Done, at.All, fmt.Sprintf("table %s: %d of %d rows", at.Table, at.Done, at.All))
		}}
		copied, note, err := plan.Run(ctx)
		bar.end()
		if note != "" {
			p.tell(p.hint(note))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.Stdout, copied)
		return err
	})
}
