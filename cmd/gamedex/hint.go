package main

import (
	"cmp"
	"io"
	"net/url"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"
)

// calledAs returns how a user calls the program that was started as arg0.
func calledAs(arg0 string) string {
	if strings.Contains(filepath.ToSlash(arg0), "/go-build") { // a temporary file of go run
		return "go run ./cmd/gamedex"
	}
	return arg0
}

// These find the commands that a text tells the user to run: those that work on a data
// folder or a database, and the others.
var (
	hintedOnData = regexp.MustCompile(`\bgamedex( (?:backup|check|collect|copy|explain|export|history|import|key|migrate|nodes|overrides|platform|rates|serve|user)\b)`)
	hintedOthers = regexp.MustCompile(`\bgamedex( (?:--help|completion|help|licenses|man|openapi|version)\b)`)
)

// hint returns a text in which commands begin with the program's name as the user called
// it, and with the flags that make them work on the same data, so that they can be copied.
func (p *program) hint(text string) string {
	name := strings.ReplaceAll(cmp.Or(p.Name, "gamedex"), "$", "$$")
	text = hintedOthers.ReplaceAllString(text, name+"$1")
	return hintedOnData.ReplaceAllString(text, name+strings.ReplaceAll(p.onData, "$", "$$")+"$1")
}

const defaultDataDir = "./data"

// onData returns the flags that make another command work on the same data, each after a
// space. It leaves out a DSN with a password, which belongs in the environment.
func (c *commands) onData() (flags string) {
	if c.DataDir != defaultDataDir {
		flags += " --data-dir " + quoted(c.DataDir)
	}
	if u, err := url.Parse(c.Database); c.Database != "" && err == nil && !strings.Contains(u.Query().Encode(), "password") { // sslpassword too
		if _, secret := u.User.Password(); !secret {
			flags += " --database " + quoted(c.Database)
		}
	}
	return flags
}

// quoted returns an argument as a shell reads it.
func quoted(arg string) string {
	if strings.ContainsFunc(arg, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-_./:=@%+,"+string(filepath.Separator), r)
	}) {
		return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
	}
	return arg
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
