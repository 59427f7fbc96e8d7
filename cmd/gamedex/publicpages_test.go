package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPublicPages compares services with and without the flag.
func TestPublicPages(t *testing.T) {
	t.Parallel()
	for _, public := range []bool{false, true} {
		s := sharedDemo.open(t)
		if public {
			s = sharedDemo.another(t, "--public-pages")
		}
		for _, path := range []string{"/en", "/uk/browse", "/ru/deals/ua", "/en/deals/ua.atom"} {
			status, text := s.get("", path)
			if signIn := strings.Contains(text, `type="password"`); status != http.StatusOK || signIn == public {
				t.Errorf("%v: %s has status %d, asks for a password: %v\n%.300s", public, path, status, signIn, text)
			}
		}
		robots, sitemap := "Disallow: /\n", http.StatusNotFound
		if public {
			robots, sitemap = s.api+"/", http.StatusOK
		}
		if status, text := s.get("", "/robots.txt"); status != http.StatusOK || !strings.Contains(text, robots) {
			t.Errorf("%v: robots.txt has status %d\n%.300s", public, status, text)
		}
		if status, text := s.get("", "/sitemap.xml"); status != sitemap || public && !strings.Contains(text, s.api+"/") {
			t.Errorf("%v: the sitemap has status %d\n%.300s", public, status, text)
		}
	}
}

// TestValidatorsFindNothing checks the structured data of pages of games by the rules of search
// engines and by the vocabulary of schema.org, and the sitemap by the schema of its protocol, with
// validators of others.
func TestValidatorsFindNothing(t *testing.T) {
	needClients(t)
	t.Parallel()
	s := sharedDemo.another(t, "--public-pages")
	dir, pages := t.TempDir(), t.TempDir()
	if err := os.Symlink(absolute(t, npm), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "pages.mjs"), read(t, filepath.Join(programs, "pages.mjs")))
	files := s.saveSitemap(pages)
	var vocabulary strings.Builder
	vocabulary.WriteString("import type { Product, WithContext } from \"schema-dts\";\n")
	_, part := s.get("", "/sitemap.xml?part=games-1")
	offers := 0
	for _, address := range regexp.MustCompile(`<loc>([^<]*)</loc>`).FindAllStringSubmatch(part, 60) {
		_, text := s.get("", strings.TrimPrefix(address[1], s.api)+"?country=UA")
		_, data, ok := strings.Cut(text, `<script type="application/ld+json">`)
		if !ok { // not sold in Ukraine, or a trial
			continue
		}
		data, _, _ = strings.Cut(data, "</script>")
		fmt.Fprintf(&vocabulary, "export const product%d: WithContext<Product> = %s;\n", offers, data)
		writeFile(t, filepath.Join(pages, fmt.Sprintf("%d.html", offers)), text)
		offers++
	}
	writeFile(t, filepath.Join(dir, "vocabulary.ts"), vocabulary.String())
	writeFile(t, filepath.Join(dir, "package.json"), `{"type": "module"}`)
	if got, want := tool(t, dir, "node", "pages.mjs", pages), fmt.Sprintf("checked %d\n", files+offers); got != want || offers < 20 {
		t.Errorf("%d offers: the validators print %q, want %q", offers, got, want)
	}
	if got := tool(t, dir, npmTool(t, "tsc"), "--noEmit", "--strict", "--skipLibCheck", "--target", "es2022", "--module", "nodenext", "vocabulary.ts"); got != "" {
		t.Errorf("the vocabulary: %s", got)
	}
}

// saveSitemap saves all parts of the sitemap in a folder, and returns how many there are.
func (s *server) saveSitemap(dir string) (parts int) {
	s.t.Helper()
	_, list := s.get("", "/sitemap.xml")
	for _, part := range regexp.MustCompile(`<loc>([^<]*)</loc>`).FindAllStringSubmatch(list, -1) {
		status, text := s.get("", strings.TrimPrefix(part[1], s.api))
		if status != http.StatusOK {
			s.t.Fatalf("%s: status %d", part[1], status)
		}
		writeFile(s.t, filepath.Join(dir, fmt.Sprintf("part%d.xml", parts)), text)
		parts++
	}
	return parts
}
