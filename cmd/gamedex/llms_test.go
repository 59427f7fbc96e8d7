package main

import (
	"net/http"
	"regexp"
	"strings"
	"testing"
)

// TestLLMs checks that /llms.txt is short, names every operation of the catalog and no other than those of the
// OpenAPI document, and that its links answer without a key.
func TestLLMs(t *testing.T) {
	t.Parallel()
	ref, err := printedReference()
	if err != nil {
		t.Fatal(err)
	}
	s := sharedDemo.open(t)
	status, text := s.get("", "/llms.txt")
	if status != http.StatusOK || len(text) > 3500 {
		t.Fatalf("status %d, %d bytes, at most 3500 are allowed", status, len(text))
	}
	named := map[string]bool{}
	for _, call := range regexp.MustCompile("`(GET|POST|PATCH|DELETE) (/[^?` ]*)").FindAllStringSubmatch(text, -1) {
		named[call[1]+" "+call[2]] = true
		if item := ref.Doc.Paths.Value(call[2]); item == nil || item.GetOperation(call[1]) == nil {
			t.Errorf("the OpenAPI document has no %s %s", call[1], call[2])
		}
	}
	for path, item := range ref.Doc.Paths.Map() {
		for method := range item.Operations() {
			if strings.HasPrefix(path, "/catalog/") && !named[method+" "+path] {
				t.Errorf("it does not name %s %s", method, path)
			}
		}
	}
	links := regexp.MustCompile(`https?://[^\s)]*[^\s).]`).FindAllString(text, -1)
	for _, link := range links {
		path, ours := strings.CutPrefix(link, s.api)
		if path == "/api/v1" {
			path += "/health"
		}
		if status, _ := s.get("", path); !ours || status != http.StatusOK && path != "/keys" {
			t.Errorf("%s has status %d", link, status)
		}
	}
	if len(links) < 6 {
		t.Errorf("it has the links %q", links)
	}
}
