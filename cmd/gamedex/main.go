// Command gamedex stores what game stores list and serves it as an HTTP/JSON
// API. `gamedex --help` lists its commands, doc/config.md their flags.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/alecthomas/kong"

	"gamedex/internal/node/datadir"
	"gamedex/internal/node/overrides"
	"gamedex/internal/serve"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

func main() {
	p := &program{
		Name: calledAs(os.Args[0]), Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		Now: time.Now, Exit: os.Exit,
	}
	os.Exit(p.run(untilSignal(), os.Args[1:]))
}

// errInterrupted is the cause of a context that Ctrl-C ended.
var errInterrupted = errors.New("interrupted")

// untilSignal returns a context that ends with the first signal to stop. A second
// signal ends the process at once.
func untilSignal() context.Context {
	ctx, end := context.WithCancelCause(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup ignores it
		signal.Notify(signals, syscall.SIGHUP) // the terminal was closed
	}
	go func() {
		first := <-signals
		signal.Stop(signals)
		if first != syscall.SIGTERM { // somebody waits at the terminal, or has closed it
			end(errInterrupted)
		}
		end(context.Canceled)
	}()
	return ctx
}

// program is the environment that a command runs in.
type program struct {
	Name           string // as the user called it, for hints; empty: gamedex
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Now            func() time.Time
	OwnClock       bool // see node.Config
	Exit           func(int)

	onData string          // flags that select the same data, for hints
	log    *serve.LogQueue // Stderr of serve; otherwise nil
	notice func(string)    // writes a warning for the operator; nil: to Stderr
}

// commands is the command line (doc/config.md). Flags are never renamed.
type commands struct {
	DataDir  string `default:"${data}" placeholder:"DIR" help:"Folder that holds the database, the snapshots and overrides.ndjson."`
	Database string `placeholder:"DSN" help:"Database of listings and keys: sqlite:PATH (default: gamedex.db in the data folder), or postgres://USER@HOST/DATABASE. Set a DSN with a password in the environment, where other users do not see it; PGPASSWORD and ~/.pgpass work too."`

	SchemaMode string `name:"migrate" default:"auto" enum:"auto,off" help:"Schema of the database: auto brings it up to date, off refuses one that is missing or older (see gamedex migrate)."`

	ShowVersion kong.VersionFlag `name:"version" env:"-" help:"Print the version and exit."`

	Serve      serveCommand      `cmd:"" help:"Run the service: the API and the dashboard, the index builder, and the collectors."`
	Import     importCommand     `cmd:"" help:"Import listings from files into the database; also works while a server runs."`
	Export     exportCommand     `cmd:"" help:"Write the listings to standard output in the feed format."`
	History    historyCommand    `cmd:"" help:"Export or import the past prices of listings."`
	Key        keyCommand        `cmd:"" help:"Create, list, revoke, suspend and resume API keys."`
	User       userCommand       `cmd:"" help:"Create, invite, list, disable and delete the users of the dashboard."`
	Collect    collectCommand    `cmd:"" help:"Read the stores once, or show what would be read."`
	Rates      ratesCommand      `cmd:"" help:"Import a table of exchange rates, or fetch one now."`
	Nodes      nodesCommand      `cmd:"" help:"List the processes (gamedex serve) that use the database, and warn of what is wrong with them."`
	Platform   platformCommand   `cmd:"" help:"Override the status of a platform."`
	Overrides  overridesCommand  `cmd:"" help:"Import or export the overrides in a PostgreSQL database."`
	Explain    explainCommand    `cmd:"" help:"Show which listings form a card, and by which rule."`
	MCP        mcpCommand        `cmd:"" name:"mcp" help:"Let an assistant read the games and prices of a running service, over the Model Context Protocol."`
	Backup     backupCommand     `cmd:"" help:"Back up the database while it is in use."`
	Copy       copyCommand       `cmd:"" help:"Copy the database into an empty one, in a file or on a server. Stop all services first."`
	Migrate    migrateCommand    `cmd:"" help:"Create the database, or migrate its schema."`
	Check      checkCommand      `cmd:"" help:"Verify the database and the snapshots."`
	Openapi    openapiCommand    `cmd:"" help:"Print the OpenAPI document of the HTTP API."`
	Licenses   licensesCommand   `cmd:"" help:"Print the licences of everything linked into this program."`
	Completion completionCommand `cmd:"" help:"Print the completion script of a shell."`
	Man        manCommand        `cmd:"" help:"Print the manual page."`
	Version    versionCommand    `cmd:"" help:"Print the version."`
	Help       helpCommand       `cmd:"" help:"Show the help of a command."`
}

// description is the head of --help.
const description = `Game prices of two stores in every country, as an HTTP/JSON API you run yourself.

Start with sample data:

	gamedex serve --demo

Or with your own:

	gamedex import listings.ndjson
	gamedex key create --name mine
	gamedex serve

The common flags and those of serve can also be set by environment variables: --data-dir by GAMEDEX_DATA_DIR.`

// Exit statuses: 0 done, 1 failed or partly done, 2 the command line is wrong.
const (
	statusDone   = 0
	statusFailed = 1
	statusUsage  = 2
)

// errPartly ends a command with status 1 without another message.
var errPartly = errors.New("partly done")

// usageError ends a command with status 2: it cannot work with these flags.
type usageError struct{ error }

// run runs one command line and returns the exit status. Without arguments it
// prints the help on standard error.
func (p *program) run(ctx context.Context, args []string) int {
	var c commands
	parser, err := newParser(&c, p)
	if err != nil {
		fmt.Fprintf(p.Stderr, "gamedex: %v\n", err)
		return statusFailed
	}
	if len(args) == 0 {
		parser.Stdout = p.Stderr
		p.printHelp(parser, nil)
		return statusUsage
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		fmt.Fprintf(p.Stderr, "gamedex: %s\n", p.hint(aboutLine(err)))
		return statusUsage
	}
	p.onData = c.onData()
	parsed.BindTo(ctx, (*context.Context)(nil))
	defer p.closeLog()
	if err := parsed.Run(p, &c, parser); err != nil {
		if !errors.Is(err, errPartly) {
			fmt.Fprintf(p.Stderr, "gamedex: %s\n", p.hint(err.Error()))
		}
		if _, wrong := errors.AsType[usageError](err); wrong {
			return statusUsage
		}
		return statusFailed
	}
	return statusDone
}

// logTime limits how long the process waits at its end until its log has been read.
const logTime = time.Second

func (p *program) closeLog() {
	if p.log != nil {
		p.log.Close(logTime)
	}
}

// aboutLine returns what is wrong with a command line, and the help of the command that it
// was for, as far as it was parsed.
func aboutLine(err error) string {
	text, path, takesCommand := err.Error(), "gamedex", true
	if wrong, ok := errors.AsType[*kong.ParseError](err); ok && wrong.Context.Selected() != nil {
		command := wrong.Context.Selected()
		path, takesCommand = command.FullPath(), len(command.Children) > 0
	}
	if argument, ok := strings.CutPrefix(text, "unexpected argument "); ok && takesCommand {
		text = "unknown command " + argument
	}
	if argument, ok := strings.CutPrefix(text, `expected "<`); ok {
		text = `missing "<` + argument
	}
	return fmt.Sprintf("%s (see %s --help)", text, path)
}

func newParser(c *commands, p *program) (*kong.Kong, error) {
	return kong.New(c,
		kong.Name("gamedex"),
		kong.Description(description),
		kong.DefaultEnvars("GAMEDEX"),
		kong.KindMapper(reflect.Int, kong.MapperFunc(mapInt)),
		kong.TypeMapper(reflect.TypeFor[time.Duration](), kong.MapperFunc(mapDuration)),
		kong.PostBuild(onlyServeReadsTheEnvironment),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Writers(p.Stdout, p.Stderr),
		kong.Exit(p.Exit),
		kong.Vars{"version": version, "data": defaultDataDir},
	)
}

// onlyServeReadsTheEnvironment removes the variables of flags that neither serve nor
// all commands have, unless they name their command: a variable that was set for the
// service must not change what a command does.
func onlyServeReadsTheEnvironment(k *kong.Kong) error {
	ofServe := map[string]bool{}
	for _, command := range k.Model.Children {
		if command.Name == "serve" {
			for _, f := range command.Flags {
				ofServe[f.Name] = true
			}
		}
	}
	for _, command := range k.Model.Leaves(false) {
		for _, f := range command.Flags {
			own := func(name string) bool { return strings.HasPrefix(name, "GAMEDEX_"+strings.ToUpper(command.Name)+"_") }
			if !ofServe[f.Name] && !slices.ContainsFunc(f.Envs, own) {
				f.Envs, f.Value.Tag.Envs = nil, nil
			}
		}
	}
	return nil
}

// dsn returns the DSN of the database.
func (c *commands) dsn() string {
	if c.Database == "" {
		return "sqlite:" + filepath.Join(c.DataDir, "gamedex.db")
	}
	return c.Database
}

// withDatabase opens the database for one command, and closes it afterwards. With create it
// makes a database that does not exist yet.
func (c *commands) withDatabase(ctx context.Context, p *program, create bool, work func(*sqldb.DB) error) error {
	file, inFile := strings.CutPrefix(c.dsn(), "sqlite:")
	_, missing := os.Stat(file)
	db, err := c.open(ctx, p, c.options(p, create))
	if err != nil {
		return err
	}
	if inFile && errors.Is(missing, fs.ErrNotExist) {
		p.warn("created the database " + file + "; to use that of a service, give its --data-dir")
	}
	return errors.Join(work(db), db.Close())
}

// open opens the database. Only then does it make the data folder private: a wrong path must
// not change the permissions of a folder that has nothing to do with gamedex.
func (c *commands) open(ctx context.Context, p *program, opts engine.Options) (*sqldb.DB, error) {
	dsn := c.dsn()
	if err := sqldb.CheckDSN(dsn); err != nil {
		return nil, fmt.Errorf("--database: %w", err)
	}
	db, err := sqldb.Open(ctx, dsn, opts)
	if err != nil {
		return nil, err
	}
	if err := c.keepPrivate(p); err != nil {
		return nil, errors.Join(err, db.Close())
	}
	return db, nil
}

// keepPrivate removes the access of other users to the data folder and a database in a file.
func (c *commands) keepPrivate(p *program) error {
	file, inFile := strings.CutPrefix(c.dsn(), "sqlite:")
	if !inFile {
		file = ""
	}
	changed, err := datadir.KeepPrivate(c.DataDir, file, string(c.serverFile()))
	if len(changed) > 0 {
		p.warn("other users of this machine had access to " + strings.Join(changed, ", ") + "; now only the owner has it")
	}
	return err
}

func (c *commands) options(p *program, create bool) engine.Options {
	return engine.Options{Create: create, KeepSchema: c.SchemaMode == "off", Now: p.Now, Warn: p.warn}
}

// warn writes a message to the operator; the command continues.
func (p *program) warn(text string) {
	if p.notice != nil {
		p.notice(text)
		return
	}
	fmt.Fprintf(p.Stderr, "gamedex: %s\n", text)
}

func (c *commands) serverFile() datadir.ServerFile {
	return datadir.ServerFile(filepath.Join(c.DataDir, "server.json"))
}

func (c *commands) overridesFile() string { return filepath.Join(c.DataDir, "overrides.ndjson") }

// overrides returns where the operator's corrections are.
func (c *commands) overrides(db *sqldb.DB) overrides.Location {
	return overrides.Of(db, c.overridesFile())
}

// calledAs returns how the user started the program, whose first argument is arg0.
func calledAs(arg0 string) string {
	if strings.Contains(filepath.ToSlash(arg0), "/go-build") { // a temporary file of go run
		return "go run ./cmd/gamedex"
	}
	return arg0
}

// These match the commands in a message: those that work on a data folder or a database,
// and the others.
var (
	hintedOnData = regexp.MustCompile(`\bgamedex( (?:backup|check|collect|copy|explain|export|history|import|key|mcp|migrate|nodes|overrides|platform|rates|serve|user)\b)`)
	hintedOthers = regexp.MustCompile(`\bgamedex( (?:--help|completion|help|licenses|man|openapi|version)\b)`)
)

// hint returns a message whose commands can be copied: they begin with the program's name
// as the user typed it, and have the flags that select the same data.
func (p *program) hint(text string) string {
	name := strings.ReplaceAll(cmp.Or(p.Name, "gamedex"), "$", "$$")
	text = hintedOthers.ReplaceAllString(text, name+"$1")
	return hintedOnData.ReplaceAllString(text, name+strings.ReplaceAll(p.onData, "$", "$$")+"$1")
}

const defaultDataDir = "./data"

// onData returns the flags that select the same data for another command, each after a
// space. It leaves out a DSN with a password: passwords belong in the environment.
func (c *commands) onData() (flags string) {
	if c.DataDir != defaultDataDir {
		flags += " --data-dir " + quoted(c.DataDir)
	}
	if u, err := url.Parse(c.Database); c.Database != "" && err == nil && !strings.Contains(u.Query().Encode(), "password") { // sslpassword too
		if _, secret := u.User.Password(); !secret {
			flags += " --database " + quoted(c.Database)
		}
	}
	return flags
}

// quoted returns an argument quoted for a shell, if necessary.
func quoted(arg string) string {
	if strings.ContainsFunc(arg, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:=@%+,"+string(filepath.Separator), r)
	}) {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
}
