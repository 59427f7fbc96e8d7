package clidoc

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// bash returns a script to source, or to install as
// /usr/share/bash-completion/completions/PROGRAM.
func bash(program *kong.Node) string {
	var s strings.Builder
	all := commandsOf(program)
	function := "_" + program.Name
	fmt.Fprintf(&s, "# bash completion of %s. Generated: %[1]s completion bash\n\n%s() {\n", program.Name, function)
	s.WriteString("\tlocal current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= words= word\n")
	s.WriteString("\tfor word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n")
	writePaths(&s, all)
	s.WriteString("\tdone\n\tcase $before in\n")
	for _, f := range everyFlag(all) {
		if words := values(f); words != nil {
			fmt.Fprintf(&s, "\t--%s)\n\t\twords=%s ;;\n", f.Name, quoted(strings.Join(words, " ")))
		} else if takesValue(f) {
			fmt.Fprintf(&s, "\t--%s)\n\t\treturn ;;\n", f.Name)
		}
	}
	s.WriteString("\t*)\n\t\tcase $command in\n")
	for _, c := range all {
		fmt.Fprintf(&s, "\t\t%s)\n\t\t\twords=%s ;;\n", quoted(c.path), quoted(strings.Join(wordsOf(c), " ")))
	}
	s.WriteString("\t\tesac ;;\n\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\" || true))\n}\n\n")
	fmt.Fprintf(&s, "complete -o default -F %s %s\n", function, program.Name)
	return s.String()
}

// writePaths writes the lines that add a word to the path of the command, for bash and
// zsh.
func writePaths(s *strings.Builder, all []command) {
	s.WriteString("\t\tcase \"${command:+$command }$word\" in\n\t\t")
	for i, path := range paths(all) {
		if i > 0 {
			s.WriteString(" | ")
		}
		s.WriteString(quoted(path))
	}
	s.WriteString(")\n\t\t\tcommand=\"${command:+$command }$word\" ;;\n\t\tesac\n")
}

// wordsOf returns what can follow a command: its commands, the words of its arguments,
// and its flags.
func wordsOf(c command) []string {
	var words []string
	for _, child := range c.Children {
		if !child.Hidden {
			words = append(words, child.Name)
		}
	}
	for _, arg := range c.Positional {
		if arg.Enum != "" {
			words = append(words, arg.EnumSlice()...)
		}
	}
	for _, f := range flagsOf(c) {
		words = append(words, "--"+f.Name)
	}
	return words
}
