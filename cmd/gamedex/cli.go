package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"

	"gamedex/internal/sqldb"
)

// version of this program, as /health and `gamedex version` tell it.
const version = "0.1.0"

// program is what a command may use of the outside world.
type program struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Now            func() time.Time
	Exit           func(int)
}

// commands is the command line: design.md section 7. Flags are never renamed.
type commands struct {
	DataDir  string `default:"./data" placeholder:"DIR" help:"Folder that holds the database, the snapshots and overrides.ndjson."`
	Database string `placeholder:"DSN" help:"Where listings and keys are kept: sqlite:PATH (default: gamedex.db in the data folder)."`

	Serve    serveCommand    `cmd:"" help:"Run the service: HTTP API, index builder, operations listener."`
	Import   importCommand   `cmd:"" help:"Read listings in the feed format into the database; works beside a running server."`
	Export   exportCommand   `cmd:"" help:"Write the listings to standard output in the feed format."`
	Key      keyCommand      `cmd:"" help:"Create, list, revoke, suspend and resume API keys."`
	User     userCommand     `cmd:"" help:"Create, invite, list, disable and delete the users of the dashboard."`
	Collect  collectCommand  `cmd:"" help:"Read the stores once, or tell what would be read."`
	Rates    ratesCommand    `cmd:"" help:"Exchange rates: import a table, or ask the provider now."`
	Platform platformCommand `cmd:"" help:"What the API says of a platform's state."`
	Explain  explainCommand  `cmd:"" help:"Tell which listings made a card, by which rule."`
	Backup   backupCommand   `cmd:"" help:"Write an online copy of the database."`
	Check    checkCommand    `cmd:"" help:"Verify the database and the snapshots."`
	Openapi  openapiCommand  `cmd:"" help:"Print the OpenAPI document of the HTTP API."`
	Licenses licensesCommand `cmd:"" help:"Print the licences of everything linked into this program."`
	Version  versionCommand  `cmd:"" help:"Print the version."`
}

// description is the head of --help.
const description = `Game prices of two stores in every country, as an HTTP/JSON API you run yourself.

Start with sample data:

	gamedex serve --demo

Or with your own:

	gamedex import listings.ndjson
	gamedex key create --name mine
	gamedex serve

Every flag has an environment twin: --data-dir is GAMEDEX_DATA_DIR.`

// Exit statuses: 0 done, 1 failed or partly done, 2 the command line is wrong.
const (
	statusDone   = 0
	statusFailed = 1
	statusUsage  = 2
)

// errPartly ends a command with status 1 after it has said everything itself.
var errPartly = errors.New("partly done")

// run carries out one command line and returns the exit status.
func (p *program) run(ctx context.Context, args []string) int {
	var c commands
	parser, err := newParser(&c, p)
	if err != nil {
		fmt.Fprintf(p.Stderr, "gamedex: %v\n", err)
		return statusFailed
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(p.Stderr, "gamedex: %v (see %s --help)\n", err, meant(err))
		return statusUsage
	}
	parsed.BindTo(ctx, (*context.Context)(nil))
	switch err := parsed.Run(p, &c); {
	case err == nil:
		return statusDone
	case errors.Is(err, errPartly):
		return statusFailed
	default:
		fmt.Fprintf(p.Stderr, "gamedex: %v\n", err)
		return statusFailed
	}
}

// meant is the command that a wrong command line was for, as far as it was read.
func meant(err error) string {
	var wrong *kong.ParseError
	if errors.As(err, &wrong) && wrong.Context.Selected() != nil {
		return wrong.Context.Selected().FullPath()
	}
	return "gamedex"
}

func newParser(c *commands, p *program) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("gamedex"),
		kong.Description(description),
		kong.DefaultEnvars("GAMEDEX"),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(p.Exit),
	)
}

// dsn is the database's name with its default filled in.
func (c *commands) dsn() string {
	if c.Database != "" {
		return c.Database
	}
	return "sqlite:" + filepath.Join(c.DataDir, "gamedex.db")
}

// open opens the database; only serve and import create one.
func (c *commands) open(ctx context.Context, create bool) (*sqldb.DB, error) {
	return sqldb.Open(ctx, c.dsn(), sqldb.Options{Create: create})
}

// with opens the database for one command.
func (c *commands) with(ctx context.Context, create bool, work func(*sqldb.DB) error) error {
	db, err := c.open(ctx, create)
	if err != nil {
		return err
	}
	return errors.Join(work(db), db.Close())
}

func (c *commands) overridesFile() string { return filepath.Join(c.DataDir, "overrides.ndjson") }

type versionCommand struct{}

// Run prints the version alone on a line.
func (versionCommand) Run(p *program) error {
	_, err := fmt.Fprintln(p.Stdout, version)
	return err
}
