package move

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"gamedex/internal/database"
	"gamedex/internal/node/overrides"
	"gamedex/internal/registry"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/transfer"
)

// Plan says what is copied, and where.
type Plan struct {
	From      *database.DB
	Overrides string        // the file beside From, if that is a file
	To        string        // DSN of an empty database
	Options   sqldb.Options // of opening it
	Progress  func(transfer.Progress)
}

// Run copies the database and returns what was copied. note says what an operator still
// has to do; "" if that is nothing.
func (p Plan) Run(ctx context.Context) (copied, note string, err error) {
	release, err := claim(ctx, p.From)
	if err != nil {
		return "", "", fmt.Errorf("copy %s: %w", p.From.Name, err)
	}
	defer release()
	to, err := database.Open(ctx, p.To, p.Options)
	if err != nil {
		return "", "", fmt.Errorf("--to: %w", err)
	}
	copied, note, err = p.run(ctx, to)
	return copied, note, errors.Join(err, to.Close())
}

func (p Plan) run(ctx context.Context, to *database.DB) (copied, note string, err error) {
	counts, err := p.From.Copy(ctx, to, p.Progress)
	if errors.Is(err, context.Canceled) {
		err = fmt.Errorf("copy: interrupted; nothing was copied to %s: repeat the command", to.Name)
	}
	if err != nil {
		return "", "", err
	}
	note, err = p.aboutOverrides(ctx, to)
	return describe(counts, to.Name), note, err
}

// claim refuses a database that somebody works with. Until release is called, no process
// can begin to answer requests with one in a file.
func claim(ctx context.Context, db *database.DB) (release func(), err error) {
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
		return claimFile(ctx, db)
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

// claimFile asks the system who uses a file: unlike the list of nodes, it knows at once
// who was killed.
func claimFile(ctx context.Context, db *database.DB) (release func(), err error) {
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

// describe returns what was copied, in a sentence.
func describe(counts transfer.Counts, to string) string {
	var parts []string
	for _, row := range []struct{ table, name string }{
		{"listing", "listings"}, {"history", "rows of history"}, {"person", "users"}, {"api_key", "keys"},
		{"usage", "usage"}, {"audit", "audit entries"},
	} {
		parts = append(parts, fmt.Sprintf("%s %d", row.name, counts[row.table]))
	}
	return fmt.Sprintf("copied %d rows to %s: %s", counts.All(), to, strings.Join(parts, ", "))
}

// aboutOverrides returns how to take the overrides along; "" if the copy has the same.
func (p Plan) aboutOverrides(ctx context.Context, to *database.DB) (string, error) {
	file := ""
	if to.File != nil {
		file = filepath.Join(filepath.Dir(to.File.Path()), filepath.Base(p.Overrides))
	}
	old, err := overrides.Of(p.From, p.Overrides).Read(ctx)
	if err != nil {
		return fmt.Sprintf("the overrides were not compared: %v", err), nil
	}
	copied, err := overrides.Of(to, file).Read(ctx)
	if err != nil || copied.Hash() == old.Hash() {
		return "", err
	}
	take := fmt.Sprintf("cp %s %s", p.Overrides, file)
	switch {
	case p.From.File == nil:
		take = "with the old database, gamedex overrides export > " + file
	case to.File == nil && old.Len() == 0:
		take = "with the new database, gamedex overrides import " + os.DevNull
	case to.File == nil:
		take = "with the new database, gamedex overrides import " + p.Overrides
	}
	return fmt.Sprintf("the copy has overrides of %d products, and the original of %d; to copy them: %s", copied.Len(), old.Len(), take), nil
}
