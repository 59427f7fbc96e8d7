package dashboard_test

import (
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestTemplatesAreUsed checks that every page is rendered somewhere, and that
// every part is in a page.
func TestTemplatesAreUsed(t *testing.T) {
	t.Parallel()
	words, files := sourceWords(t), templateFiles(t)
	placed := map[string]bool{}
	for _, action := range templateActions(t) {
		if part := regexp.MustCompile(`\{\{-?\s*(?:template|block) "([^"]+)"`).FindStringSubmatch(action); part != nil {
			placed[part[1]] = true
		}
	}
	placed["person"] = true // the script fetches it
	for name, content := range files {
		if !words[name] && !strings.HasPrefix(name, "part-") && name != "layout" {
			t.Errorf("nothing renders %s.html", name)
		}
		for _, part := range regexp.MustCompile(`\{\{define "([^"]+)"`).FindAllStringSubmatch(content, -1) {
			if !placed[part[1]] {
				t.Errorf("%s.html: no page has the part %s", name, part[1])
			}
		}
	}
}

// TestClassesHaveRules checks that the style has every class that a page names.
// It leaves out classes that a template composes.
func TestClassesHaveRules(t *testing.T) {
	t.Parallel()
	rules := styleClasses(t)
	action := regexp.MustCompile(`(?s)\{\{.*?\}\}`)
	for name, content := range templateFiles(t) {
		// A quote inside of an action does not end an attribute.
		content = action.ReplaceAllStringFunc(content, func(s string) string { return strings.ReplaceAll(s, `"`, "'") })
		for _, attribute := range regexp.MustCompile(`class="([^"]*)"`).FindAllStringSubmatch(content, -1) {
			for class := range strings.FieldsSeq(action.ReplaceAllString(attribute[1], " ")) {
				if !rules[class] && !strings.HasSuffix(class, "-") {
					t.Errorf("%s.html: the style has no rule for class %s", name, class)
				}
			}
		}
	}
}

// TestRulesHaveClasses checks that a page, the code or the script names every
// class in the style.
func TestRulesHaveClasses(t *testing.T) {
	t.Parallel()
	named := sourceWords(t)
	for literal := range maps.Clone(named) { // markup that the program writes, too
		for _, word := range strings.FieldsFunc(literal, func(r rune) bool { return strings.ContainsRune(` "<>=`, r) }) {
			named[word] = true
		}
	}
	text := assetTexts(t, "*.js")
	for _, content := range templateFiles(t) {
		text += content
	}
	for _, word := range regexp.MustCompile(`[a-z][a-z0-9-]*`).FindAllString(text, -1) {
		named[word] = true
	}
	for class := range styleClasses(t) {
		// The grounds of covers are numbered.
		if !named[class] && !regexp.MustCompile(`^ground-[1-6]$`).MatchString(class) {
			t.Errorf("nothing uses the class %s", class)
		}
	}
}

func assetTexts(t *testing.T, pattern string) (text string) {
	t.Helper()
	names, err := filepath.Glob("web/assets/" + pattern)
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		text += readFile(t, name)
	}
	return text
}

func styleClasses(t *testing.T) map[string]bool {
	t.Helper()
	rules := regexp.MustCompile(`(?s)/\*.*?\*/`).ReplaceAllString(assetTexts(t, "*.css"), "")
	classes := map[string]bool{}
	for _, selector := range regexp.MustCompile(`[^{}]*\{`).FindAllString(rules, -1) {
		for _, class := range regexp.MustCompile(`\.([a-z][a-z0-9-]*)`).FindAllStringSubmatch(selector, -1) {
			classes[class[1]] = true
		}
	}
	return classes
}
