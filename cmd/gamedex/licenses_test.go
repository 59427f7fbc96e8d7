package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/testing/golden"
)

// TestLicenses checks that `gamedex licenses` lists the linked modules.
func TestLicenses(t *testing.T) {
	t.Parallel()
	golden.Check(t, "notices/licenses.txt", gatherLicenses(t))
}

// gatherLicenses lists every licence text once, under all modules that it
// covers.
func gatherLicenses(t *testing.T) string {
	t.Helper()
	covers := map[string][]string{}
	for _, m := range linkedModules(t) {
		text := licenseOf(t, m.dir)
		covers[text] = append(covers[text], m.name)
	}
	covers[read(t, filepath.Join(goroot(t), "LICENSE"))] = []string{"Go standard library and runtime"}
	covers[read(t, "notices/cldr.txt")] = []string{"Unicode CLDR data (in github.com/bojanz/currency and golang.org/x/text)"}
	apache := read(t, "../../LICENSE")
	covers[apache] = append(covers[apache], "gamedex")

	var texts []string
	for text, names := range covers {
		slices.Sort(names)
		texts = append(texts, strings.Join(names, "\n")+"\n\n"+strings.TrimSpace(text)+"\n")
	}
	slices.Sort(texts)
	return strings.Join(texts, "\n"+strings.Repeat("=", 78)+"\n\n")
}

type module struct{ name, dir string }

// linkedModules returns the modules linked on all systems that releases are
// built for.
func linkedModules(t *testing.T) []module {
	t.Helper()
	all, err := listModules()
	if err != nil {
		t.Fatalf("list linked modules: %v", err)
	}
	return all
}

var listModules = sync.OnceValues(func() ([]module, error) {
	found := map[module]bool{}
	for _, goos := range []string{"linux", "darwin", "windows"} {
		cmd := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}\t{{.Dir}}\t{{.Main}}{{end}}", ".")
		cmd.Env = append(os.Environ(), "GOOS="+goos, "CGO_ENABLED=0")
		out, err := cmd.Output()
		if err != nil {
			return nil, err
		}
		for line := range strings.Lines(string(out)) {
			f := strings.Split(strings.TrimSpace(line), "\t")
			if len(f) == 3 && f[2] == "false" {
				found[module{f[0], f[1]}] = true
			}
		}
	}
	var all []module
	for m := range found {
		all = append(all, m)
	}
	slices.SortFunc(all, func(a, b module) int { return strings.Compare(a.name, b.name) })
	return all, nil
})

// licenseOf joins the licence and notice files of a module.
func licenseOf(t *testing.T, dir string) string {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	for _, f := range files {
		name := strings.ToUpper(f.Name())
		if !f.IsDir() && (strings.HasPrefix(name, "LICENSE") || strings.HasPrefix(name, "NOTICE") || strings.HasPrefix(name, "COPYING")) {
			fmt.Fprintf(&text, "%s\n\n", strings.TrimSpace(read(t, filepath.Join(dir, f.Name()))))
		}
	}
	if text.Len() == 0 {
		t.Errorf("%s has no licence file", dir)
	}
	return strings.TrimSpace(text.String())
}

func goroot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
