package internal_test

import (
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

// A bannedWord may not occur in names, comments and documents. Its first form is in the table
// "Not these" of doc/words.md.
type bannedWord struct {
	forms []string          // lower case; several words are a phrase
	names bool              // only names are checked: in a sentence it has its usual meaning
	not   map[string]string // files that may use it, and why
}

var bannedWords = []bannedWord{
	{forms: []string{"moment", "moments"}, not: map[string]string{
		"internal/index/internal/layout/doc.go": "a section of the snapshot has this name, which its format fixes",
		"bench/RESULTS.md":                      "the same section, measured",
	}},
	{forms: []string{"victim", "victims"}},
	{forms: []string{"leave alone"}, names: true},
	{forms: []string{"gate", "gates"}},
	{forms: []string{"floor", "floors"}, names: true, not: map[string]string{
		"bench/report/curve.go":  "math.Floor",
		"bench/report/panels.go": "math.Floor",
	}},
	{forms: []string{"piece", "pieces"}, names: true},
	{forms: []string{"told"}, names: true},
	{forms: []string{"heard"}, names: true},
	{forms: []string{"blind"}, names: true},
}

// wordsTable returns the rows of a table of doc/words.md below a heading, without the head.
func wordsTable(t *testing.T, heading string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("../doc/words.md")
	if err != nil {
		t.Fatal(err)
	}
	_, part, _ := strings.Cut(string(text), "\n## "+heading+"\n")
	part, _, _ = strings.Cut(part, "\n## ")
	for line := range strings.Lines(part) {
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) > 2 && !strings.HasPrefix(cells[1], "--") {
			rows = append(rows, cells[1:len(cells)-1])
		}
	}
	if len(rows) < 2 {
		t.Fatalf("doc/words.md has no table %q", heading)
	}
	return rows[1:]
}

// TestWordsAreTypes checks that every type in the list of words exists.
func TestWordsAreTypes(t *testing.T) {
	declared := declaredTypes(t)
	code := regexp.MustCompile("`([a-z]+\\.[A-Z][A-Za-z]*)`")
	for _, row := range wordsTable(t, "Use these") {
		for _, name := range code.FindAllStringSubmatch(row[1], -1) {
			if declared[name[1]] == "" {
				t.Errorf("doc/words.md names the type %s, which does not exist", name[1])
			}
		}
	}
}

// TestStoresAreGameStores checks that no type is called a store but those of game stores.
func TestStoresAreGameStores(t *testing.T) {
	games := []string{"consolestore.Store", "overview.Store", "pcstore.Store"}
	for name, file := range declaredTypes(t) {
		if strings.HasSuffix(name, "Store") && !slices.Contains(games, name) && name != "web.sessionStore" { // of scs
			t.Errorf("%s: the type %s is not a game store; doc/words.md has the term to use instead", file, name)
		}
	}
}

// declaredTypes returns the files of all types, by name: "index.View".
func declaredTypes(t *testing.T) map[string]string {
	t.Helper()
	declared := map[string]string{}
	for _, file := range goFiles(t) {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range parsed.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.TYPE {
				for _, s := range g.Specs {
					declared[parsed.Name.Name+"."+s.(*ast.TypeSpec).Name.Name] = file
				}
			}
		}
	}
	return declared
}

// TestBannedWords checks that names, comments and documents use the terms of doc/words.md.
func TestBannedWords(t *testing.T) {
	listed := map[string]bool{}
	for _, row := range wordsTable(t, "Not these") {
		for _, word := range regexp.MustCompile("`([^`]*)`").FindAllStringSubmatch(row[0], -1) {
			listed[strings.ToLower(word[1])] = true
		}
	}
	for _, b := range bannedWords {
		if !listed[b.forms[0]] {
			t.Errorf("doc/words.md does not say what to use instead of %q", b.forms[0])
		}
	}
	texts := map[string][]phrase{}
	for _, file := range goFiles(t) {
		texts[strings.TrimPrefix(file, "../")] = phrasesOf(t, file)
	}
	for page, text := range documents(t) {
		if page == "doc/words.md" || page == "CHANGELOG.md" { // the list itself, and what was released
			continue
		}
		for _, b := range blocks(text) {
			texts[page] = append(texts[page], phrase{line: b.line, text: wordsOf(b.text)})
		}
	}
	for _, b := range bannedWords {
		used := map[string]bool{}
		for file, phrases := range texts {
			for _, p := range phrases {
				if b.names && !p.name || !b.in(p.text) {
					continue
				}
				used[file] = true
				if b.not[file] == "" {
					t.Errorf("%s:%d: %q; doc/words.md has the term to use instead", file, p.line, b.forms[0])
				}
			}
		}
		for file := range b.not {
			if !used[file] {
				t.Errorf("%s no longer uses %q: remove the exception", file, b.forms[0])
			}
		}
	}
}

// in reports whether a text of wordsOf has the word.
func (b bannedWord) in(text string) bool {
	return slices.ContainsFunc(b.forms, func(form string) bool { return strings.Contains(text, " "+form+" ") })
}

// A phrase is a name, a comment or a block of a document.
type phrase struct {
	line int
	name bool
	text string // of wordsOf
}

// phrasesOf returns the names and comments of a Go file.
func phrasesOf(t *testing.T, file string) (all []phrase) {
	t.Helper()
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	var s scanner.Scanner
	s.Init(set.AddFile(file, -1, len(source)), source, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		if tok == token.EOF {
			return all
		}
		if tok == token.IDENT || tok == token.COMMENT {
			all = append(all, phrase{set.Position(pos).Line, tok == token.IDENT, wordsOf(text)})
		}
	}
}

// wordsOf splits a text and the names in it into words: "NewGate (old)" is " new gate old ".
func wordsOf(text string) string {
	var out strings.Builder
	out.WriteByte(' ')
	before := ' '
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r):
			if before != ' ' {
				out.WriteByte(' ')
			}
			before = ' '
			continue
		case unicode.IsUpper(r) && unicode.IsLower(before):
			out.WriteByte(' ')
		}
		out.WriteRune(unicode.ToLower(r))
		before = r
	}
	if before != ' ' {
		out.WriteByte(' ')
	}
	return out.String()
}

// goFiles returns the Go files of all modules.
func goFiles(t *testing.T) (files []string) {
	t.Helper()
	for _, folder := range []string{"cmd", "internal", "doc", "bench", "deploy", "tools"} {
		err := filepath.WalkDir(filepath.Join("..", folder), func(path string, d os.DirEntry, err error) error {
			if err == nil && d.Name() == "testdata" {
				return filepath.SkipDir
			}
			if err == nil && filepath.Ext(path) == ".go" && filepath.Base(path) != "words_test.go" {
				files = append(files, filepath.ToSlash(path))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return files
}
