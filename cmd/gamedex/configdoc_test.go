package main

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alecthomas/kong"

	"gamedex/internal/testing/golden"
)

// TestConfigDoc checks that doc/config.md describes the flags.
func TestConfigDoc(t *testing.T) {
	golden.Check(t, "../../doc/config.md", configDoc(t))
}

func configDoc(t *testing.T) string {
	t.Helper()
	model := docParser(t).Model.Node
	var doc strings.Builder
	doc.WriteString("# Commands and settings\n\nGenerated from the command line by `make update`; a test compares them.\n" +
		"The flags of `serve` and the common ones can be set by environment variables. A flag on the command line overrides its variable.\n\n## For all commands\n\n")
	writeFlags(&doc, model)
	writeCommands(&doc, model, "gamedex")
	return doc.String()
}

func writeCommands(doc *strings.Builder, parent *kong.Node, path string) {
	for _, command := range parent.Children {
		name := path + " " + command.Name
		if len(command.Children) > 0 {
			writeCommands(doc, command, name)
			continue
		}
		usage := name
		for _, arg := range command.Positional {
			usage += " " + arg.Summary()
		}
		fmt.Fprintf(doc, "\n## `%s`\n\n%s\n", usage, command.Help)
		for _, arg := range command.Positional {
			fmt.Fprintf(doc, "\n`%s`: %s\n", arg.Summary(), arg.Help)
		}
		if len(command.Flags) > 0 {
			doc.WriteString("\n")
			writeFlags(doc, command)
		}
		if example, ok := jsonExamples[name]; ok {
			doc.WriteString("\nAn example of `--json`:\n\n```json\n")
			if err := writeJSON(doc, example); err != nil {
				panic(err)
			}
			doc.WriteString("```\n")
		}
	}
}

func writeFlags(doc *strings.Builder, n *kong.Node) {
	doc.WriteString("| flag | environment | default | |\n|---|---|---|---|\n")
	for _, f := range n.Flags {
		if f.Name == "help" || f.Name == "version" {
			continue
		}
		value := ""
		if f.HasDefault {
			value = "`" + f.Default + "`"
		}
		environment := ""
		if len(f.Envs) > 0 {
			environment = "`" + strings.Join(f.Envs, "`, `") + "`"
		}
		fmt.Fprintf(doc, "| `--%s` | %s | %s | %s |\n", f.Name, environment, value, f.Help)
	}
}
