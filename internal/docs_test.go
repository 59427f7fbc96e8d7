package internal_test

import (
	"cmp"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// pageLimits has the most words that each document may have, as wc counts them. A folder
// stands for its pages together. Documents that are not here are only checked for broken
// links.
var pageLimits = map[string]int{
	"CONTRIBUTING.md":      1000,
	"README.md":            900,
	"doc/assistants.md":    300,
	"doc/clients.md":       250,
	"doc/contract.md":      6500,
	"doc/dependencies.md":  875,
	"doc/design.md":        2500,
	"doc/feed.md":          2000,
	"doc/install.md":       1000,
	"doc/mirror.md":        500,
	"doc/operations":       8000,
	"doc/operations.md":    250,
	"doc/privacy.md":       700,
	"doc/reliability.md":   1500,
	"doc/scale.md":         1500,
	"doc/security.md":      1500,
	"doc/titles-to-ids.md": 500,
	"doc/webhooks.md":      500,
	"doc/words.md":         1000,
}

// allWords is the most words of the README and doc/ together, without decisions and what is
// generated.
const allWords = 28_300

// The limits of every document above.
const (
	longestCell      = 25  // words of a table's cell
	longestLine      = 120 // characters of a line that is neither in a table nor code
	longestParagraph = 90  // words of a paragraph or of an item of a list
)

// textBlock is a paragraph, an item of a list, a heading or a row of a table.
type textBlock struct {
	line int
	kind blockKind
	text string
}

type blockKind int

const (
	paragraph blockKind = iota
	heading
	row
)

var (
	startsItem = regexp.MustCompile(`^\s*([-*]|\d+\.) `)
	codeSpan   = regexp.MustCompile("`[^`]*`")
	mdLink     = regexp.MustCompile(`\[[^\]]*\]\(([^)\s]+)\)`)
)

// blocks splits a document into its blocks, without code.
func blocks(page string) (found []textBlock) {
	code, open := false, false
	for i, line := range strings.Split(page, "\n") {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "```"):
			code, open = !code, false
		case code || text == "":
			open = false
		case strings.HasPrefix(text, "#"):
			found, open = append(found, textBlock{i + 1, heading, strings.TrimLeft(text, "# ")}), false
		case strings.HasPrefix(text, "|"):
			found, open = append(found, textBlock{i + 1, row, text}), false
		case !open || startsItem.MatchString(line):
			found, open = append(found, textBlock{i + 1, paragraph, text}), true
		default:
			found[len(found)-1].text += " " + text
		}
	}
	return found
}

// anchors returns the anchors of a document's headings, as GitHub makes them.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	drop := regexp.MustCompile(`[^\p{L}\p{N}\s_-]`)
	for _, b := range blocks(page) {
		if b.kind != heading {
			continue
		}
		anchor := strings.ReplaceAll(strings.ToLower(drop.ReplaceAllString(b.text, "")), " ", "-")
		for n, first := 1, anchor; found[anchor]; n++ {
			anchor = first + "-" + strconv.Itoa(n)
		}
		found[anchor] = true
	}
	return found
}

// documents returns the text of the repository's documents by their path from its root.
func documents(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() && (name == "testdata" || name == "node_modules" || strings.HasPrefix(name, ".") && path != "..") {
			return fs.SkipDir
		}
		if filepath.Ext(name) != ".md" {
			return nil
		}
		text, err := os.ReadFile(path)
		rel, _ := filepath.Rel("..", path)
		pages[filepath.ToSlash(rel)] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

// TestDocumentLimits checks that documents have at most as many words as they may have, and
// no long lines, paragraphs or cells.
func TestDocumentLimits(t *testing.T) {
	pages := documents(t)
	for _, limited := range slices.Sorted(maps.Keys(pageLimits)) {
		words, found := 0, false
		for _, page := range slices.Sorted(maps.Keys(pages)) {
			if page == limited || strings.HasPrefix(page, limited+"/") {
				found = true
				words += len(strings.Fields(pages[page]))
				checkForm(t, page, pages[page])
			}
		}
		if !found {
			t.Errorf("there is no document %s", limited)
		}
		if words > pageLimits[limited] {
			t.Errorf("%s has %d words, at most %d are allowed: what can go?", limited, words, pageLimits[limited])
		}
	}
}

// TestAllDocuments checks that the documents together stay short.
func TestAllDocuments(t *testing.T) {
	words := 0
	for page, text := range documents(t) {
		if page == "README.md" || strings.HasPrefix(page, "doc/") && !strings.HasPrefix(page, "doc/decisions/") && page != "doc/config.md" {
			words += len(strings.Fields(text))
		}
	}
	if words > allWords {
		t.Errorf("the README and doc/ have %d words, at most %d are allowed", words, allWords)
	}
}

// checkForm reports the lines, paragraphs and cells of a document that are too long.
func checkForm(t *testing.T, page, text string) {
	t.Helper()
	for _, b := range blocks(text) {
		parts, limit := []string{b.text}, longestParagraph
		if b.kind == row {
			parts, limit = strings.Split(strings.ReplaceAll(b.text, `\|`, ""), "|"), longestCell
		}
		longest := slices.MaxFunc(parts, func(a, b string) int { return cmp.Compare(len(strings.Fields(a)), len(strings.Fields(b))) })
		if words := len(strings.Fields(longest)); words > limit {
			t.Errorf("%s:%d: %d words in one piece, at most %d are allowed", page, b.line, words, limit)
		}
	}
	code := false
	for i, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
		}
		if n := utf8.RuneCountInString(line); n > longestLine && !code && !strings.HasPrefix(line, "|") {
			t.Errorf("%s:%d: a line of %d characters, at most %d are allowed", page, i+1, n, longestLine)
		}
	}
}

// TestDocumentLinks checks that every link to a file of the repository leads to one, and its
// anchor to a heading.
func TestDocumentLinks(t *testing.T) {
	pages := documents(t)
	for page, text := range pages {
		for _, b := range blocks(text) {
			for _, link := range mdLink.FindAllStringSubmatch(codeSpan.ReplaceAllString(b.text, "code"), -1) {
				checkLink(t, pages, page, b.line, link[1])
			}
		}
	}
}

// checkLink reports a link that leads nowhere.
func checkLink(t *testing.T, pages map[string]string, page string, line int, link string) {
	t.Helper()
	if strings.Contains(link, "://") || strings.HasPrefix(link, "mailto:") {
		return
	}
	file, anchor, anchored := strings.Cut(link, "#")
	target := page
	if file != "" {
		target = filepath.ToSlash(filepath.Join(filepath.Dir(page), file))
		if _, err := os.Stat(filepath.Join("..", target)); err != nil {
			t.Errorf("%s:%d: there is no %s", page, line, link)
			return
		}
	}
	if anchored && !anchors(pages[target])[anchor] {
		t.Errorf("%s:%d: %s has no heading for %s", page, line, target, link)
	}
}
