package clidoc

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// fish returns a script to source, or to install as PROGRAM.fish in a folder of
// completions.
func fish(program *kong.Node) string {
	var s strings.Builder
	all := commandsOf(program)
	function := "__" + program.Name + "_command"
	fmt.Fprintf(&s, "# fish completion of %s. Generated: %[1]s completion fish\n\n", program.Name)
	fmt.Fprintf(&s, "function %s\n\tset -l path\n\tfor word in (commandline -opc)[2..]\n\t\tswitch (string join -- ' ' $path $word)\n\t\tcase", function)
	for _, path := range paths(all) {
		fmt.Fprintf(&s, " %s", fishQuoted(path))
	}
	s.WriteString("\n\t\t\tset -a path $word\n\t\tend\n\tend\n\tstring join -- ' ' $path\nend\n\n")
	for _, c := range all {
		condition := fmt.Sprintf("complete -c %s -n %s", program.Name, fishQuoted(fmt.Sprintf("test \"$(%s)\" = %q", function, c.path)))
		if len(c.Children) > 0 {
			condition += " -f"
		}
		writeFish(&s, condition, c)
	}
	return s.String()
}

// writeFish writes a line for each word that can follow a command.
func writeFish(s *strings.Builder, condition string, c command) {
	flags := map[string]*kong.Flag{}
	for _, f := range flagsOf(c) {
		flags["--"+f.Name] = f
	}
	for _, item := range described(c) {
		what := "-a " + fishQuoted(item.word)
		if f := flags[item.word]; f != nil {
			what = "-l " + f.Name
			if words := values(f); words != nil {
				what += " -x -a " + fishQuoted(strings.Join(words, " "))
			} else if takesValue(f) {
				what += " -r"
			}
		}
		fmt.Fprintf(s, "%s %s -d %s\n", condition, what, fishQuoted(item.help))
	}
}

// fishQuoted returns a text as one word of fish, whose backslash also works in quotes.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
