package main

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/alecthomas/kong"

	"gamedex/cmd/gamedex/clidoc"
	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
)

// version is the version of this program, in /health, `gamedex version` and
// `gamedex --version`: the newest one in CHANGELOG.md.
const version = "0.3.0"

type versionCommand struct {
	JSON bool `help:"Print version, commit, time of the commit, Go version, schema of the database, format of snapshots and version of the API as JSON."`
}

// versionInfo is what `gamedex version --json` prints.
type versionInfo struct {
	Version        string `json:"version"`
	Commit         string `json:"commit"`   // empty: not built in a git checkout
	Modified       bool   `json:"modified"` // the checkout had changes that were not committed
	Time           string `json:"time"`     // of the commit, RFC 3339
	Go             string `json:"go"`
	Schema         int64  `json:"schema"`         // of the database
	SnapshotFormat int    `json:"snapshotFormat"` // that this program writes; it also reads the one before
	Contract       string `json:"contract"`       // version of the OpenAPI document
}

// Run prints the version alone on a line, or everything about it as JSON.
func (v *versionCommand) Run(p *program) error {
	if !v.JSON {
		_, err := fmt.Fprintln(p.Stdout, version)
		return err
	}
	info := versionInfo{Version: version, Schema: sqldb.SchemaVersion(), SnapshotFormat: index.Format, Contract: api.ContractVersion()}
	if built, ok := debug.ReadBuildInfo(); ok {
		info.addBuild(built)
	}
	return json.NewEncoder(p.Stdout).Encode(info)
}

// addBuild adds what the Go command recorded about the build.
func (v *versionInfo) addBuild(built *debug.BuildInfo) {
	v.Go = built.GoVersion
	for _, s := range built.Settings {
		switch s.Key {
		case "vcs.revision":
			v.Commit = s.Value
		case "vcs.time":
			v.Time = s.Value
		case "vcs.modified":
			v.Modified = s.Value == "true"
		}
	}
}

type helpCommand struct {
	Command []string `arg:"" optional:"" help:"Command, for example key create."`
}

// Run prints the help of the command, or of the program.
func (h *helpCommand) Run(p *program, parser *kong.Kong) error {
	return p.printHelp(parser, h.Command)
}

// printHelp prints what --help prints for a command. It does not exit.
func (p *program) printHelp(parser *kong.Kong, command []string) error {
	traced, err := kong.Trace(parser, command)
	if err != nil {
		return err
	}
	if traced.Error != nil {
		return fmt.Errorf("no command %q; gamedex help lists the commands", strings.Join(command, " "))
	}
	return traced.PrintUsage(false)
}

// licenseTexts is made by TestLicenses -update from the modules that are
// linked into the program, with the data that those modules carry.
//
//go:embed notices/licenses.txt
var licenseTexts string

type licensesCommand struct{}

// Run prints the licence of every linked module.
func (licensesCommand) Run(p *program) error {
	_, err := fmt.Fprint(p.Stdout, licenseTexts)
	return err
}

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a script that the shell sources.
func (c *completionCommand) Run(p *program, parser *kong.Kong) error {
	_, err := fmt.Fprint(p.Stdout, clidoc.Shells[c.Shell](parser.Model.Node))
	return err
}

type manCommand struct{}

// Run prints the page as man reads it: gamedex man | man -l -
func (manCommand) Run(p *program, parser *kong.Kong) error {
	_, err := fmt.Fprint(p.Stdout, clidoc.Man(parser.Model.Node, version))
	return err
}
