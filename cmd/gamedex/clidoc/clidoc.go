package clidoc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells are the shells that Completion knows.
var Shells = []string{"bash", "zsh", "fish"}

// Completion returns the completion script of a program for one of Shells.
func Completion(shell string, program *kong.Node) (string, error) {
	switch shell {
	case "bash":
		return bash(program), nil
	case "zsh":
		return zsh(program), nil
	case "fish":
		return fish(program), nil
	}
	return "", fmt.Errorf("no completion for the shell %q: one of %s", shell, strings.Join(Shells, ", "))
}

// command is one command with its path below the program: "key create", or "" for the
// program itself.
type command struct {
	path string
	*kong.Node
}

// commandsOf returns the program and all commands below it, parents first.
func commandsOf(program *kong.Node) []command {
	all := []command{{"", program}}
	for i := 0; i < len(all); i++ {
		for _, child := range all[i].Children {
			if !child.Hidden {
				all = append(all, command{strings.TrimSpace(all[i].path + " " + child.Name), child})
			}
		}
	}
	return all
}

// paths returns the paths of all commands but the program.
func paths(all []command) []string {
	var names []string
	for _, c := range all[1:] {
		names = append(names, c.path)
	}
	return names
}

// flagsOf returns the flags of a command, those of its parents included.
func flagsOf(c command) []*kong.Flag {
	var flags []*kong.Flag
	for _, group := range c.AllFlags(true) {
		flags = append(flags, group...)
	}
	return flags
}

// everyFlag returns each flag of the program once.
func everyFlag(all []command) []*kong.Flag {
	var flags []*kong.Flag
	for _, c := range all {
		for _, f := range flagsOf(c) {
			if !slices.ContainsFunc(flags, func(g *kong.Flag) bool { return g.Name == f.Name }) {
				flags = append(flags, f)
			}
		}
	}
	return flags
}

// takesValue reports whether a word follows the flag.
func takesValue(f *kong.Flag) bool { return !f.IsBool() && !f.IsCounter() }

// values returns the words that a flag accepts, if they are few and known.
func values(f *kong.Flag) []string {
	if f.Enum == "" {
		return nil
	}
	return f.EnumSlice()
}

// summary returns the first sentence of a help text, without its full stop.
func summary(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}

// quoted returns a text as one word of bash and zsh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
