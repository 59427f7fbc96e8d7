package main

import (
	"encoding/json"
	"fmt"
	"runtime/debug"

	"gamedex/internal/api"
	"gamedex/internal/index"
	"gamedex/internal/sqldb"
)

// version is the version of this program, in /health, `gamedex version` and
// `gamedex --version`: the newest one in CHANGELOG.md.
const version = "0.2.0"

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
	contract, err := api.ContractVersion()
	if err != nil {
		return err
	}
	info := versionInfo{Version: version, Schema: sqldb.SchemaVersion(), SnapshotFormat: index.Format, Contract: contract}
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
