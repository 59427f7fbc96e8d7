package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"gamedex/internal/api"
	"gamedex/internal/bucket"
	"gamedex/internal/builder"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/node"
	"gamedex/internal/node/overrides"
	"gamedex/internal/publish"
	"gamedex/internal/snapshot"
	"gamedex/internal/sqldb"
)

type explainCommand struct {
	JSON bool   `name:"json" help:"Print one JSON object."`
	ID   string `arg:"" help:"Card id (a gameId or a slug) or a product id."`
}

// Run merges the listings in the database and explains one card.
func (e *explainCommand) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		overrides, err := c.overrides(db).Read(ctx)
		if err != nil {
			return err
		}
		server, err := c.serverFile().Read()
		if err != nil {
			return err
		}
		cards, err := builder.Explain(ctx, node.NewDatabase(db, p.Now), db.Listings, overrides, server.ActiveRegions, e.ID)
		if err != nil {
			return err
		}
		if e.JSON {
			return writeJSON(p.Stdout, showExplained(cards))
		}
		for i := range cards {
			if _, err = fmt.Fprint(p.Stdout, cards[i].Text); err != nil {
				return err
			}
		}
		return nil
	})
}

type backupCommand struct {
	File string `arg:"" help:"File to write; it must not exist yet."`
}

// Run copies the database, which other processes may use meanwhile.
func (b *backupCommand) Run(ctx context.Context, p *program, c *commands) error {
	if sqldb.OnServer(c.dsn()) {
		return usageError{errors.New("backup: copies databases in files only; back up one on a server with its own tool: pg_dump --format=custom --file=FILE DSN (doc/operations/postgresql.md)")}
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		if err := db.File.Backup(ctx, b.File); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.Stdout, "backup written to %s\n", b.File)
		return err
	})
}

type migrateCommand struct{}

// Run opens the database as serve does with --migrate auto.
func (migrateCommand) Run(ctx context.Context, p *program, c *commands) error {
	c.SchemaMode = "auto"
	return c.withDatabase(ctx, p, true, func(db *sqldb.DB) error {
		_, err := fmt.Fprintf(p.Stdout, "database %s: up to date\n", db.Name)
		return err
	})
}

type checkCommand struct {
	bucketFlag
	JSON bool `name:"json" help:"Print one JSON object."`
}

// Run verifies everything that is stored and prints what is damaged.
func (k *checkCommand) Run(ctx context.Context, p *program, c *commands) error {
	snapshots, err := k.bucket(c)
	if err != nil {
		return err
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		r := &checkReport{Found: []finding{}}
		if !k.JSON {
			r.text = p.Stdout
		}
		err := c.check(ctx, p, db, snapshots, r)
		if !k.JSON {
			return err
		}
		r.Good = err == nil
		return errors.Join(writeJSON(p.Stdout, r), err)
	})
}

func (c *commands) check(ctx context.Context, p *program, db *sqldb.DB, snapshots node.Bucket, r *checkReport) error {
	faults, err := db.Check(ctx)
	if err != nil {
		return err
	}
	for _, fault := range faults {
		r.add("database", db.Name, "damaged", fault)
	}
	if len(faults) > 0 {
		return fmt.Errorf("database %s is damaged: stop the server and restore a backup, or import the listings into a new one", db.Name)
	}
	r.add("database", db.Name, "good", "")
	if err := c.checkListings(ctx, p, db, r); err != nil {
		return err
	}
	return checkSnapshots(ctx, snapshots, r)
}

// checkReport is what check has found.
type checkReport struct {
	Good  bool      `json:"good"`
	Found []finding `json:"found"`

	text io.Writer // where each finding is printed at once; nil: nowhere
}

// finding is what check says of one part.
type finding struct {
	Part   string `json:"part"`   // database, overrides, listings or snapshot
	Name   string `json:"name"`   // of the database or the overrides, the number of the snapshot
	Status string `json:"status"` // good, damaged, warning, otherVersion
	Text   string `json:"text"`   // empty: all of Status says it
}

func (r *checkReport) add(part, name, status, text string) {
	r.Found = append(r.Found, finding{part, name, status, text})
	if r.text != nil {
		fmt.Fprintf(r.text, "%s: %s\n", strings.TrimSpace(part+" "+name), cmp.Or(text, status))
	}
}

// checkListings adds what is wrong with the overrides, and how many cards stay alone for
// lack of names. Neither damages anything, so neither is an error.
func (c *commands) checkListings(ctx context.Context, p *program, db *sqldb.DB, r *checkReport) error {
	from := c.overrides(db)
	overrides, err := from.Read(ctx)
	if err != nil {
		r.add("overrides", from.String(), "warning", strings.TrimPrefix(err.Error(), "overrides "+from.String()+": "))
		return nil
	}
	unmatched, lone, err := builder.AboutListings(ctx, node.NewDatabase(db, p.Now), overrides)
	switch {
	case err != nil:
		return err
	case unmatched != "":
		r.add("overrides", from.String(), "warning", unmatched)
	case overrides.Len() > 0:
		r.add("overrides", from.String(), "good", "")
	}
	if lone != "" {
		r.add("listings", "", "warning", lone)
	}
	return nil
}

// checkSnapshots opens the snapshots of all manifests.
func checkSnapshots(ctx context.Context, at node.Bucket, r *checkReport) error {
	b, err := at.Open(ctx, false)
	if errors.Is(err, bucket.ErrUnreachable) {
		return errors.Join(err, b.Close())
	}
	if err != nil {
		return err
	}
	defer b.Close()
	numbers, err := publish.Numbers(ctx, b)
	if err != nil {
		return err
	}
	if len(numbers) == 0 && r.text != nil {
		fmt.Fprintf(r.text, "snapshots in %s: none yet; gamedex serve makes them\n", at)
	}
	damaged := 0
	for _, seq := range numbers {
		name := strconv.FormatInt(seq, 10)
		err := checkSnapshot(ctx, b, seq)
		var other *snapshot.VersionError
		var newer *publish.NewerError
		switch {
		case err == nil:
			r.add("snapshot", name, "good", "")
		case errors.As(err, &other), errors.As(err, &newer): // an earlier one is replaced by serve
			r.add("snapshot", name, "otherVersion", "of another version of gamedex")
		default:
			damaged++
			r.add("snapshot", name, "damaged", err.Error())
		}
	}
	if damaged > 0 {
		where := "that folder"
		if at.S3 != nil {
			where = "the objects there"
		}
		return fmt.Errorf("%d of %d snapshots in %s are damaged: a running process with the role build publishes the newest again within minutes, and deletes old ones later; if check still says so in an hour, delete %s while the server is stopped; it is rebuilt from the database", damaged, len(numbers), at, where)
	}
	return nil
}

// checkSnapshot opens the snapshot that a manifest names.
func checkSnapshot(ctx context.Context, b bucket.Bucket, seq int64) error {
	m, err := publish.ReadManifest(ctx, b, seq)
	if err != nil {
		return err
	}
	cards, err := b.Get(ctx, m.Catalog)
	if err != nil {
		return err
	}
	prices, err := b.Get(ctx, m.Prices)
	if err != nil {
		return err
	}
	snap, err := index.Open(cards, prices)
	if err != nil || len(m.Lows) == 0 {
		return err
	}
	lows := make([]*index.Lows, len(m.Lows))
	for i, name := range m.Lows {
		blob, err := b.Get(ctx, name)
		if err != nil {
			return err
		}
		if lows[i], err = index.OpenLows(blob); err != nil {
			return err
		}
	}
	_, err = snap.WithLows(lows...)
	return err
}

type openapiCommand struct {
	PublicURL string `placeholder:"URL" help:"URL of the service, for the server and the contact in the document."`
}

// Run prints the document that a service at --public-url serves as /openapi.json.
func (c *openapiCommand) Run(p *program) error {
	if err := checkPublicURL(c.PublicURL); err != nil {
		return err
	}
	_, err := p.Stdout.Write(api.OpenAPIAt(c.PublicURL))
	return err
}

type platformCommand struct {
	Set platformSet `cmd:"" help:"Override the status of a platform; auto removes the override."`
}

type platformSet struct {
	Platform string `arg:"" help:"consolestore or pcstore."`
	Status   string `arg:"" enum:"operational,degraded,outage,auto" help:"operational, degraded, outage or auto."`
}

// Run sets the override; running servers show it within a second.
func (s *platformSet) Run(ctx context.Context, p *program, c *commands) error {
	platform, err := catalog.ParsePlatform(s.Platform)
	if err != nil {
		return err
	}
	status := s.Status
	if status == "auto" {
		status = ""
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		if err := db.Nodes.SetPlatform(ctx, platform, status, node.ByCommand(p.Now())); err != nil {
			return err
		}
		_, err := fmt.Fprintf(p.Stdout, "%s: %s\n", platform, s.Status)
		return err
	})
}

type overridesCommand struct {
	Import overridesImport `cmd:"" help:"Replace all overrides with those in a file; running servers use them within seconds."`
	Export overridesExport `cmd:"" help:"Write the overrides to standard output, as they were imported."`
}

type overridesImport struct {
	File string `arg:"" help:"File with the overrides (doc/feed.md)."`
}

// Run checks the whole file and replaces all overrides in one transaction.
func (o *overridesImport) Run(ctx context.Context, p *program, c *commands) error {
	file, err := os.Open(o.File)
	if err != nil {
		return fmt.Errorf("overrides: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, overrides.MaxFile+1))
	if err != nil {
		return fmt.Errorf("overrides %s: %w", o.File, err)
	}
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		rules, err := c.overrides(db).Import(ctx, o.File, text, node.ByCommand(p.Now()))
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(p.Stdout, "overrides of %d products\n", rules)
		return err
	})
}

type overridesExport struct{}

// Run prints the file that was imported last.
func (overridesExport) Run(ctx context.Context, p *program, c *commands) error {
	return c.withDatabase(ctx, p, false, func(db *sqldb.DB) error {
		text, err := c.overrides(db).Export(ctx)
		if err == nil {
			_, err = p.Stdout.Write(text)
		}
		return err
	})
}

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
