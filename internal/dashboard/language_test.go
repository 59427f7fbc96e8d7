package dashboard_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
)

// TestMessagesAgree checks that all languages have the same texts, with the
// same arguments, and all plural forms.
func TestMessagesAgree(t *testing.T) {
	t.Parallel()
	english, codes := messages(t, "en"), languageCodes(t)
	if want := []string{"en", "ru", "uk"}; !slices.Equal(codes, want) {
		t.Fatalf("languages: %q, want %q", codes, want)
	}
	for _, code := range codes {
		texts := messages(t, code)
		if diff := cmp.Diff(slices.Sorted(maps.Keys(english)), slices.Sorted(maps.Keys(texts))); diff != "" {
			t.Errorf("keys of English and %s: (-en +%s)\n%s", code, code, diff)
		}
		for key, text := range texts {
			if text == "" {
				t.Errorf("%s: %s is empty", code, key)
			}
			if code != "en" && regexp.MustCompile(`[A-Za-z]{2}`).MatchString(text) && !regexp.MustCompile(`\p{Cyrillic}`).MatchString(text) {
				t.Errorf("%s: %s is not translated: %q", code, key, text)
			}
			if diff := cmp.Diff(arguments(english[key]), arguments(text)); diff != "" {
				t.Errorf("%s: %s: arguments: (-en +%s)\n%s", code, key, code, diff)
			}
			stem, plural := strings.CutSuffix(key, ".one")
			for _, form := range []string{".few", ".many", ".other"} {
				if other, ok := texts[stem+form]; plural && !ok {
					t.Errorf("%s: %s: there is no %s", code, key, form)
				} else if diff := cmp.Diff(arguments(text), arguments(other)); plural && diff != "" {
					t.Errorf("%s: %s%s: arguments: (-one +this)\n%s", code, stem, form, diff)
				}
			}
		}
	}
}

func languageCodes(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("web", "messages", "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".json")
	}
	return files
}

// TestMessagesAreUsed checks that every text is shown somewhere, and that every
// key that is used has a text.
func TestMessagesAreUsed(t *testing.T) {
	t.Parallel()
	texts := messages(t, "en")
	words, composed := sourceWords(t), composedKeys(t)
	for _, key := range composed {
		if _, ok := texts[key]; !ok {
			t.Errorf("there is no text %s", key)
		}
	}
	areas := map[string]bool{}
	for key := range texts {
		area, _, _ := strings.Cut(key, ".")
		areas[area] = true
		stem := regexp.MustCompile(`\.(one|few|many|other)$`).ReplaceAllString(key, "")
		if !words[key] && !words[stem] && !slices.Contains(composed, key) {
			t.Errorf("nothing shows the text %s", key)
		}
	}
	key := regexp.MustCompile(`^([a-z]+)(\.[a-z0-9-]*[a-z0-9])+$`)
	for word := range words {
		part := key.FindStringSubmatch(word)
		_, whole := texts[word]
		_, counted := texts[word+".one"]
		if part != nil && areas[part[1]] && !whole && !counted {
			t.Errorf("there is no text %s", word)
		}
	}
}

// composedKeys returns the keys that are composed when a page is made. The
// sources contain a prefix of them, or a format.
func composedKeys(t *testing.T) []string {
	purposes := constants(t, "../account", "Purpose")
	forms := append([]string{"signup"}, purposes...)
	statuses := []string{catalog.Operational.String(), catalog.Degraded.String(), catalog.Outage.String()}
	var types, cardTypes []string
	for i := catalog.Game; i.String() != ""; i++ {
		types = append(types, i.String())
		if i != catalog.Base {
			cardTypes = append(cardTypes, i.String())
		}
	}
	groups := []string{"account", "catalog", "service", "webhooks"}
	guides := []string{"errors", "first-request", "ids", "limits", "polling"}
	words, known := sourceWords(t), map[string]bool{}
	var keys []string
	for _, c := range []struct {
		source string
		gap    []string
	}{
		{"admin.link.purpose.%s", purposes},
		{"admin.platform.%s", append([]string{"automatic"}, statuses...)},
		{"audit.%s", constants(t, "../account", "Action")},
		{"docs.group.%s", groups},
		{"docs.group.%s.about", groups},
		{"docs.guide.%s", guides},
		{"docs.guide.%s.about", guides},
		{"docs.guide.%s.text", guides},
		{"docs.operation.%s", slices.Collect(maps.Keys(documentSummaries(t)))},
		{"docs.in.%s", []string{"header", "path", "query"}},
		{"error.title.%d", []string{"400", "401", "403", "404", "405", "413", "422", "429", "500", "503"}},
		{"explore.type.", types},
		{"explore.types.", cardTypes},
		{"join.lead.", forms},
		{"join.submit.", forms},
		{"join.title.", forms},
		{"join.welcome-", purposes},
		{"keys.status.%s", constants(t, "../account", "Status")},
		{"status.job.state.%s", []string{"failed", "stopped", "running", "waiting"}},
		{"status.means.%s", statuses},
		{"status.word.%s", statuses},
		{"verdict.word.", []string{"good", "ordinary", "not-best", "not-known", "doubtful"}},
		{"usage.%s-column", []string{"hours", "days"}},
		{"wrong.", []string{"email", "expires", "limit-day", "limit-minute", "name", "password", "permissions"}},
	} {
		if known[c.source] = true; !words[c.source] {
			t.Errorf("no key is composed from %s", c.source)
		}
		before, after, _ := strings.Cut(strings.NewReplacer("%s", "%", "%d", "%").Replace(c.source), "%")
		for _, word := range c.gap {
			keys = append(keys, before+word+after)
		}
	}
	for word := range words {
		if regexp.MustCompile(`^[a-z]+\.([a-z.-]*%[sd][a-z.-]*|[a-z.-]*[.-]|)$`).MatchString(word) && !known[word] {
			t.Errorf("%s: a key is composed from it, but this test does not list it", word)
		}
	}
	return keys
}

// messages returns the texts of a language. A key that comes twice hides a
// text.
func messages(t *testing.T, code string) map[string]string {
	t.Helper()
	name := filepath.Join("web", "messages", code+".json")
	content, texts := readFile(t, name), map[string]string{}
	if err := json.Unmarshal([]byte(content), &texts); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if lines := strings.Count(content, "\n") - 2; lines != len(texts) {
		t.Errorf("%s: %d lines for %d texts", name, lines, len(texts))
	}
	return texts
}

func arguments(text string) []string {
	var all []string
	next := 1
	for _, verb := range regexp.MustCompile(`%(?:\[(\d+)\])?(.?)`).FindAllStringSubmatch(text, -1) {
		if verb[2] == "%" {
			continue
		}
		if n, err := strconv.Atoi(verb[1]); err == nil {
			next = n
		}
		all = append(all, fmt.Sprint(next, verb[2]))
		next++
	}
	slices.Sort(all)
	return slices.Compact(all)
}

func sourceWords(t *testing.T) map[string]bool {
	t.Helper()
	words := map[string]bool{}
	for _, action := range templateActions(t) {
		for _, quoted := range regexp.MustCompile(`"[^"]*"`).FindAllString(action, -1) {
			words[strings.Trim(quoted, `"`)] = true
		}
	}
	for _, folder := range pageFolders {
		for _, file := range goFiles(t, folder) {
			ast.Inspect(file, func(n ast.Node) bool {
				if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
					word, _ := strconv.Unquote(literal.Value)
					words[word] = true
				}
				return true
			})
		}
	}
	return words
}

// templateActions returns what is between braces in the templates, without
// comments.
func templateActions(t *testing.T) []string {
	t.Helper()
	var all []string
	for _, content := range templateFiles(t) {
		for _, action := range regexp.MustCompile(`(?s)\{\{.*?\}\}`).FindAllString(content, -1) {
			if !strings.Contains(action, "/*") {
				all = append(all, action)
			}
		}
	}
	return all
}

// pageFolders are the packages that have texts, templates or both.
var pageFolders = []string{".", "web", "home", "signin", "keys", "browse", "deals", "explore", "game", "reference", "status", "admin", "webhooks"}

func templateFiles(t *testing.T) map[string]string {
	t.Helper()
	var paths []string
	var err error
	for _, folder := range pageFolders {
		found, globErr := filepath.Glob(filepath.Join(folder, "templates", "*.html"))
		paths, err = append(paths, found...), errors.Join(err, globErr)
	}
	if err != nil || len(paths) == 0 {
		t.Fatalf("templates: %v, %v", paths, err)
	}
	files := map[string]string{}
	for _, path := range paths {
		files[strings.TrimSuffix(filepath.Base(path), ".html")] = readFile(t, path)
	}
	return files
}

func goFiles(t *testing.T, folder string) []*ast.File {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil || len(paths) == 0 {
		t.Fatalf("Go files: %v, %v", paths, err)
	}
	var files []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	return files
}

// constants returns the values of a package's constants of a type of texts.
func constants(t *testing.T, folder, typeName string) []string {
	t.Helper()
	var values []string
	for _, file := range goFiles(t, folder) {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || len(spec.Values) != 1 {
				return true
			}
			kind, _ := spec.Type.(*ast.Ident)
			literal, _ := spec.Values[0].(*ast.BasicLit)
			if kind != nil && kind.Name == typeName && literal != nil {
				value, _ := strconv.Unquote(literal.Value)
				values = append(values, value)
			}
			return true
		})
	}
	if len(values) == 0 {
		t.Fatalf("%s has no constants of type %s", folder, typeName)
	}
	return values
}
