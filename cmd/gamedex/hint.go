package main

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"
)

// calledAs returns how a user calls the program that was started as arg0.
func calledAs(arg0 string) string {
	if strings.Contains(filepath.ToSlash(arg0), "/go-build") { // a temporary file of go run
		return "go run ./cmd/gamedex"
	}
	return arg0
}

// hinted finds the commands that a text tells the user to run.
var hinted = regexp.MustCompile(`\bgamedex( (?:--help|backup|check|collect|copy|explain|export|help|import|key|migrate|nodes|overrides|platform|rates|serve|user)\b)`)

// hint returns a text in which commands begin with the program's name as the user
// called it, so that they can be copied.
func (p *program) hint(text string) string {
	if p.Name == "" || p.Name == "gamedex" {
		return text
	}
	return hinted.ReplaceAllString(text, strings.ReplaceAll(p.Name, "$", "$$")+"$1")
}

// hintWriter rewrites the hints in what is written. Every Write has whole lines.
type hintWriter struct {
	io.Writer
	hint func(string) string
}

// Write implements io.Writer.
func (w hintWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(w.Writer, w.hint(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
