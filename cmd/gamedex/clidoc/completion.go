package clidoc

import (
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Shells has the function that returns the completion script of a program, by shell.
var Shells = map[string]func(program *kong.Node) string{"bash": bash, "zsh": zsh, "fish": fish}

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

// paths returns the quoted paths of all commands but the program.
func paths(all []command, quote func(string) string) (list []string) {
	for _, c := range all[1:] {
		list = append(list, quote(c.path))
	}
	return list
}

// flagsOf returns the flags of a command, those of its parents included.
func flagsOf(c command) []*kong.Flag { return slices.Concat(c.AllFlags(true)...) }

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

// takesValue reports whether an argument follows the flag.
func takesValue(f *kong.Flag) bool { return !f.IsBool() && !f.IsCounter() }

// values returns the values of a flag or an argument with an enum.
func values(v *kong.Value) []string {
	if v.Enum == "" {
		return nil
	}
	return v.EnumSlice()
}

// summary returns the first sentence of a help text, without its full stop.
func summary(help string) string {
	first, _, _ := strings.Cut(help, ". ")
	return strings.TrimSuffix(first, ".")
}

// quoted returns text as one token of bash and zsh.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

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
		if allowed := values(f.Value); allowed != nil {
			fmt.Fprintf(&s, "\t--%s)\n\t\twords=%s ;;\n", f.Name, quoted(strings.Join(allowed, " ")))
		} else if takesValue(f) {
			fmt.Fprintf(&s, "\t--%s)\n\t\treturn ;;\n", f.Name)
		}
	}
	s.WriteString("\t*)\n\t\tcase $command in\n")
	for _, c := range all {
		var words []string
		for _, next := range candidatesOf(c) {
			words = append(words, next.text)
		}
		fmt.Fprintf(&s, "\t\t%s)\n\t\t\twords=%s ;;\n", quoted(c.path), quoted(strings.Join(words, " ")))
	}
	s.WriteString("\t\tesac ;;\n\tesac\n\tCOMPREPLY=($(compgen -W \"$words\" -- \"$current\" || true))\n}\n\n")
	fmt.Fprintf(&s, "complete -o default -F %s %s\n", function, program.Name)
	return s.String()
}

// writePaths writes the lines that add a token to the path of the command, for bash and
// zsh.
func writePaths(s *strings.Builder, all []command) {
	fmt.Fprintf(s, "\t\tcase \"${command:+$command }$word\" in\n\t\t%s)\n\t\t\tcommand=\"${command:+$command }$word\" ;;\n\t\tesac\n",
		strings.Join(paths(all, quoted), " | "))
}

// candidate is what can follow a command: a command below it, the value of an argument, or a flag.
type candidate struct {
	text, help string
	flag       *kong.Flag // nil: it is none
}

func candidatesOf(c command) (all []candidate) {
	for _, child := range c.Children {
		if !child.Hidden {
			all = append(all, candidate{text: child.Name, help: summary(child.Help)})
		}
	}
	for _, arg := range c.Positional {
		for _, value := range values(arg) {
			all = append(all, candidate{text: value})
		}
	}
	for _, f := range flagsOf(c) {
		all = append(all, candidate{"--" + f.Name, summary(f.Help), f})
	}
	return all
}

// zsh returns a script to source, or to install as _PROGRAM in a folder of $fpath.
func zsh(program *kong.Node) string {
	var s strings.Builder
	all := commandsOf(program)
	function := "_" + program.Name
	fmt.Fprintf(&s, "#compdef %s\n# zsh completion of %[1]s. Generated: %[1]s completion zsh\n\n%s() {\n", program.Name, function)
	s.WriteString("\tlocal command= word\n\tlocal -a items\n\tfor word in ${words[2,CURRENT-1]}; do\n")
	writePaths(&s, all)
	s.WriteString("\tdone\n\tcase ${words[CURRENT-1]} in\n")
	for _, f := range everyFlag(all) {
		if allowed := values(f.Value); allowed != nil {
			fmt.Fprintf(&s, "\t--%s)\n\t\tcompadd -- %s\n\t\treturn ;;\n", f.Name, strings.Join(allowed, " "))
		} else if takesValue(f) {
			fmt.Fprintf(&s, "\t--%s)\n\t\t_files\n\t\treturn ;;\n", f.Name)
		}
	}
	s.WriteString("\tesac\n\tcase $command in\n")
	for _, c := range all {
		fmt.Fprintf(&s, "\t%s)\n\t\titems=(\n", quoted(c.path))
		for _, next := range candidatesOf(c) {
			fmt.Fprintf(&s, "\t\t\t%s\n", quoted(strings.ReplaceAll(next.text, ":", `\:`)+":"+next.help))
		}
		s.WriteString("\t\t) ;;\n")
	}
	fmt.Fprintf(&s, "\tesac\n\t_describe %s items || _files\n}\n\n", program.Name)
	fmt.Fprintf(&s, "if [ \"$funcstack[1]\" = %s ]; then\n\t%[1]s \"$@\"\nelse\n\tcompdef %[1]s %s\nfi\n", function, program.Name)
	return s.String()
}

// fish returns a script to source, or to install as PROGRAM.fish in a folder of
// completions.
func fish(program *kong.Node) string {
	var s strings.Builder
	all := commandsOf(program)
	function := "__" + program.Name + "_command"
	fmt.Fprintf(&s, "# fish completion of %s. Generated: %[1]s completion fish\n\n", program.Name)
	fmt.Fprintf(&s, "function %s\n\tset -l path\n\tfor word in (commandline -opc)[2..]\n\t\tswitch (string join -- ' ' $path $word)\n\t\tcase %s"+
		"\n\t\t\tset -a path $word\n\t\tend\n\tend\n\tstring join -- ' ' $path\nend\n\n", function, strings.Join(paths(all, fishQuoted), " "))
	for _, c := range all {
		condition := fmt.Sprintf("complete -c %s -n %s", program.Name, fishQuoted(fmt.Sprintf("test \"$(%s)\" = %q", function, c.path)))
		if len(c.Children) > 0 {
			condition += " -f"
		}
		writeFish(&s, condition, c)
	}
	return s.String()
}

// writeFish writes a line for each candidate of a command.
func writeFish(s *strings.Builder, condition string, c command) {
	for _, next := range candidatesOf(c) {
		what := "-a " + fishQuoted(next.text)
		if f := next.flag; f != nil {
			what = "-l " + f.Name
			if allowed := values(f.Value); allowed != nil {
				what += " -x -a " + fishQuoted(strings.Join(allowed, " "))
			} else if takesValue(f) {
				what += " -r"
			}
		}
		fmt.Fprintf(s, "%s %s -d %s\n", condition, what, fishQuoted(next.help))
	}
}

// fishQuoted returns text as one token of fish, where a backslash escapes in quotes too.
func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(text) + "'"
}
