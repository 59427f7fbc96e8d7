package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gamedex/internal/node/overrides"
	"gamedex/internal/registry"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/transfer"
)

type copyCommand struct {
	To string `required:"" env:"GAMEDEX_COPY_TO" placeholder:"DSN" help:"Empty database to fill, as for --database. Set a DSN with a password in the environment, where other users do not see it."`
}

// Run copies the whole database into an empty one, all or nothing. It refuses to while a
// process serves from it: later changes, and counts that the process has not stored yet,
// would be lost.
func (k *copyCommand) Run(ctx context.Context, p *program, c *commands) error {
	if err := sqldb.CheckDSN(k.To); err != nil {
		return fmt.Errorf("--to: %w", err)
	}
	p.onData = "" // hints say which of the two databases they are about
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		bar := newBar(p.Stderr, false)
		plan := copyPlan{from: db, overrides: c.overridesFile(), to: k.To, options: c.options(p, true), progress: func(at transfer.Progress) {
			bar.show("", at.Done, at.All, fmt.Sprintf("table %s: %d of %d rows", at.Table, at.Done, at.All))
		}}
		copied, note, err := plan.copy(ctx)
		bar.end()
		if note != "" {
			p.warn(p.hint(note))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(p.Stdout, copied)
		return err
	})
}

// copyPlan says what is copied, and where.
type copyPlan struct {
	from      *sqldb.DB
	overrides string         // the file beside From, if that is a file
	to        string         // DSN of an empty database
	options   engine.Options // of opening it
	progress  func(transfer.Progress)
}

// copy copies the database and returns what was copied. note is what the operator still
// has to do, or "".
func (p copyPlan) copy(ctx context.Context) (copied, note string, err error) {
	release, err := claimDatabase(ctx, p.from)
	if err != nil {
		return "", "", fmt.Errorf("copy %s: %w", p.from.Name, err)
	}
	defer release()
	to, err := sqldb.Open(ctx, p.to, p.options)
	if err != nil {
		return "", "", fmt.Errorf("--to: %w", err)
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	counts, err := p.from.Copy(ctx, to, p.progress)
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("copy: interrupted; nothing was copied to %s: repeat the command", to.Name)
	}
	if err != nil {
		return "", "", err
	}
	note, err = p.aboutOverrides(ctx, to)
	return describeCopy(counts, to.Name), note, err
}

// claimDatabase returns an error if another process uses the database. Until release is called,
// no process can begin to serve from a database in a file.
func claimDatabase(ctx context.Context, db *sqldb.DB) (release func(), err error) {
	all, err := db.Nodes.ListNodes(ctx)
	if err != nil {
		return nil, err
	}
	loading, err := db.Nodes.LoadingUntil(ctx)
	switch {
	case err != nil:
		return nil, err
	case loading > all.At:
		return nil, errors.New("an import is running; wait until it ends (10 seconds if it was killed)")
	case db.File != nil:
		return claimDatabaseFile(ctx, db)
	}
	var names []string
	for _, n := range all.Live() {
		names = append(names, n.Name)
	}
	if len(names) > 0 {
		return nil, fmt.Errorf("in use by %s; stop all processes that use it first (one that was killed counts as running for %v)", registry.Named(names), registry.LiveFor)
	}
	return func() {}, nil
}

// claimDatabaseFile checks the locks of the file instead of the list of nodes: the system
// releases the locks of a killed process at once.
func claimDatabaseFile(ctx context.Context, db *sqldb.DB) (release func(), err error) {
	alone, joined, err := db.File.Join(ctx)
	if err != nil {
		return nil, err
	}
	if !alone {
		return nil, errors.Join(errors.New("in use by another gamedex process; stop that process first"), joined.Close())
	}
	counters, err := db.File.LockCounters()
	if err != nil {
		return nil, errors.Join(err, joined.Close())
	}
	return func() { counters.Close(); joined.Close() }, nil
}

// describeCopy returns a sentence about what was copied.
func describeCopy(counts transfer.Counts, to string) string {
	var parts []string
	for _, row := range []struct{ table, name string }{
		{"listing", "listings"}, {"history", "rows of history"}, {"person", "users"}, {"api_key", "keys"},
		{"usage", "usage"}, {"audit", "audit entries"},
	} {
		parts = append(parts, fmt.Sprintf("%s %d", row.name, counts[row.table]))
	}
	return fmt.Sprintf("copied %d rows to %s: %s", counts.All(), to, strings.Join(parts, ", "))
}

// aboutOverrides returns how to copy the overrides, or "" if both databases have the same.
func (p copyPlan) aboutOverrides(ctx context.Context, to *sqldb.DB) (string, error) {
	file := ""
	if to.File != nil {
		file = filepath.Join(filepath.Dir(to.File.Path()), filepath.Base(p.overrides))
	}
	old, err := overrides.Of(p.from, p.overrides).Read(ctx)
	if err != nil {
		return fmt.Sprintf("the overrides were not compared: %v", err), nil
	}
	copied, err := overrides.Of(to, file).Read(ctx)
	if err != nil || copied.Hash() == old.Hash() {
		return "", err
	}
	take := fmt.Sprintf("cp %s %s", p.overrides, file)
	switch {
	case p.from.File == nil:
		take = "with the old database, gamedex overrides export > " + file
	case to.File == nil && old.Len() == 0:
		take = "with the new database, gamedex overrides import " + os.DevNull
	case to.File == nil:
		take = "with the new database, gamedex overrides import " + p.overrides
	}
	return fmt.Sprintf("the copy has overrides of %d products, and the original of %d; to copy them: %s", copied.Len(), old.Len(), take), nil
}
