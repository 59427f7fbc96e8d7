package main

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

var (
	docCode    = regexp.MustCompile("(?ms)^ *```[a-z]*\n(.*?)^ *```$")
	docSpan    = regexp.MustCompile("`gamedex ([^`\n]+)`")
	docCommand = regexp.MustCompile(`(?:^|\|\|? |&& |\$\()((?:[A-Z_]+=\S+ )*)(?:\./|\$ )?gamedex ([^|&<>#]+)`)
	shellWord  = regexp.MustCompile(`"([^"]*)"|'([^']*)'|(\S+)`)
)

// TestDocumentCommands checks that the commands of all documents exist, and that those in
// blocks of code have the flags and arguments that they need.
func TestDocumentCommands(t *testing.T) {
	commands := 0
	for _, pattern := range []string{"*.md", "doc/*.md", "doc/operations/*.md", "deploy/*.md"} {
		pages, err := filepath.Glob("../../" + pattern)
		if err != nil || len(pages) == 0 {
			t.Fatalf("%s: %d pages, %v", pattern, len(pages), err)
		}
		for _, page := range pages {
			text := read(t, page)
			for _, block := range docCode.FindAllStringSubmatch(text, -1) {
				for line := range strings.Lines(block[1]) {
					for _, found := range docCommand.FindAllStringSubmatch(strings.TrimSpace(line), -1) {
						commands++
						t.Run(filepath.Base(page)+" "+found[2], func(t *testing.T) { wantArguments(t, found[1], found[2]) })
					}
				}
			}
			for _, found := range docSpan.FindAllStringSubmatch(docCode.ReplaceAllString(text, ""), -1) {
				if !isCommand(t, strings.Fields(found[1])) {
					t.Errorf("%s: there is no command gamedex %s", page, found[1])
				}
			}
		}
	}
	if commands < 40 {
		t.Errorf("%d commands are too few: are the documents understood?", commands)
	}
}

// wantArguments reports what is wrong with the arguments of a command, which runs with the
// variables before it.
func wantArguments(t *testing.T, variables, line string) {
	t.Helper()
	for variable := range strings.FieldsSeq(variables) {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	var args []string
	for _, word := range shellWord.FindAllStringSubmatch(line, -1) {
		args = append(args, word[1]+word[2]+word[3])
	}
	if _, err := docParser(t).Parse(args); err != nil {
		t.Errorf("gamedex %s: %v", line, err)
	}
}

// isCommand reports whether words begin with a command, or with flags of all commands.
func isCommand(t *testing.T, words []string) bool {
	t.Helper()
	node := docParser(t).Model.Node
	for _, word := range words {
		if len(node.Children) == 0 || strings.HasPrefix(word, "-") {
			return true
		}
		i := slices.IndexFunc(node.Children, func(c *kong.Node) bool { return c.Name == word })
		if i < 0 {
			return false
		}
		node = node.Children[i]
	}
	return true
}

func docParser(t *testing.T) *kong.Kong {
	t.Helper()
	parser, err := newParser(&commands{}, &program{Stdout: &strings.Builder{}, Stderr: &strings.Builder{}})
	if err != nil {
		t.Fatal(err)
	}
	return parser
}
