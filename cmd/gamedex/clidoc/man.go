package clidoc

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// Man returns the man page of a program, section 1: its head, its commands with their
// flags, and their environment variables.
func Man(program *kong.Node, version string) string {
	var s strings.Builder
	about, rest, _ := strings.Cut(program.Help, "\n\n")
	fmt.Fprintf(&s, ".TH %s 1 \"\" \"%s %s\" \"User Commands\"\n", strings.ToUpper(program.Name), program.Name, version)
	fmt.Fprintf(&s, ".SH NAME\n%s \\- %s\n", program.Name, roff(strings.TrimSuffix(about, ".")))
	fmt.Fprintf(&s, ".SH SYNOPSIS\n.B %s\n.I command\n[\\fIflags\\fR]\n.SH DESCRIPTION\n", program.Name)
	for i, paragraph := range strings.Split(rest, "\n\n") {
		if i > 0 {
			s.WriteString(".PP\n")
		}
		writeParagraph(&s, paragraph)
	}
	s.WriteString(".SH OPTIONS\nFor all commands:\n")
	writeManFlags(&s, program)
	s.WriteString(".SH COMMANDS\n")
	for _, c := range commandsOf(program)[1:] {
		if len(c.Children) == 0 {
			writeManCommand(&s, program.Name, c)
		}
	}
	s.WriteString(".SH EXIT STATUS\n0: done. 1: failed, or done in part. 2: the command line is wrong.\n")
	return s.String()
}

// writeParagraph writes a paragraph of the description; an indented one is an example.
func writeParagraph(s *strings.Builder, text string) {
	if !strings.HasPrefix(text, "\t") {
		fmt.Fprintf(s, "%s\n", roff(text))
		return
	}
	s.WriteString(".RS\n.nf\n")
	for line := range strings.Lines(text) {
		s.WriteString(roff(strings.TrimSpace(line)) + "\n")
	}
	s.WriteString(".fi\n.RE\n")
}

func writeManCommand(s *strings.Builder, program string, c command) {
	fmt.Fprintf(s, ".SS %s %s", program, c.path)
	for _, arg := range c.Positional {
		s.WriteString(" " + roff(arg.Summary()))
	}
	fmt.Fprintf(s, "\n%s\n", roff(c.Help))
	for _, arg := range c.Positional {
		fmt.Fprintf(s, ".TP\n\\fI%s\\fR\n%s\n", roff(arg.Summary()), roff(arg.Help))
	}
	writeManFlags(s, c.Node)
}

// writeManFlags writes the flags that a command has itself.
func writeManFlags(s *strings.Builder, n *kong.Node) {
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		fmt.Fprintf(s, ".TP\n\\fB\\-\\-%s\\fR", roff(f.Name))
		if takesValue(f) {
			fmt.Fprintf(s, " \\fI%s\\fR", roff(f.FormatPlaceHolder()))
		}
		fmt.Fprintf(s, "\n%s\n", roff(f.Help))
		if len(f.Envs) > 0 {
			fmt.Fprintf(s, "Environment: %s.\n", roff(strings.Join(f.Envs, ", ")))
		}
	}
}

// roff escapes a text for a line of its own or within one.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n", " ").Replace(text)
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		return `\&` + text
	}
	return text
}
