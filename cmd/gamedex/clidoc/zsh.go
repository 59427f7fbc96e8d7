package clidoc

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

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
		if words := values(f); words != nil {
			fmt.Fprintf(&s, "\t--%s)\n\t\tcompadd -- %s\n\t\treturn ;;\n", f.Name, strings.Join(words, " "))
		} else if takesValue(f) {
			fmt.Fprintf(&s, "\t--%s)\n\t\t_files\n\t\treturn ;;\n", f.Name)
		}
	}
	s.WriteString("\tesac\n\tcase $command in\n")
	for _, c := range all {
		fmt.Fprintf(&s, "\t%s)\n\t\titems=(\n", quoted(c.path))
		for _, item := range described(c) {
			fmt.Fprintf(&s, "\t\t\t%s\n", quoted(strings.ReplaceAll(item.word, ":", `\:`)+":"+item.help))
		}
		s.WriteString("\t\t) ;;\n")
	}
	fmt.Fprintf(&s, "\tesac\n\t_describe %s items || _files\n}\n\n", program.Name)
	fmt.Fprintf(&s, "if [ \"$funcstack[1]\" = %s ]; then\n\t%[1]s \"$@\"\nelse\n\tcompdef %[1]s %s\nfi\n", function, program.Name)
	return s.String()
}

// item is a word with what it means.
type item struct{ word, help string }

// described returns what wordsOf returns, with what the words mean.
func described(c command) []item {
	help := map[string]string{}
	for _, child := range c.Children {
		help[child.Name] = summary(child.Help)
	}
	for _, f := range flagsOf(c) {
		help["--"+f.Name] = summary(f.Help)
	}
	var items []item
	for _, word := range wordsOf(c) {
		items = append(items, item{word, help[word]})
	}
	return items
}
