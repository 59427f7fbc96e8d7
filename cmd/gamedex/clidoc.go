package main

import (
	"fmt"

	"github.com/alecthomas/kong"

	"gamedex/cmd/gamedex/clidoc"
)

type completionCommand struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run prints a script that the shell sources.
func (c *completionCommand) Run(p *program, parser *kong.Kong) error {
	script, err := clidoc.Completion(c.Shell, parser.Model.Node)
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.Stdout, script)
	return err
}

type manCommand struct{}

// Run prints the page as man reads it: gamedex man | man -l -
func (manCommand) Run(p *program, parser *kong.Kong) error {
	_, err := fmt.Fprint(p.Stdout, clidoc.Man(parser.Model.Node, version))
	return err
}
