package browsertest_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/testing/browsertest"
)

func TestStart(t *testing.T) {
	t.Parallel()
	base := site(t, `<p>fine`, nil)
	var kept *browsertest.Browser
	record(t, func(t testing.TB) {
		kept = browsertest.Start(t)
		v := kept.Visitor(t, browsertest.Options{BaseURL: base})
		v.Go("/")
		v.See("fine")
	}).wantNone(t)
	record(t, func(t testing.TB) { kept.Visitor(t, browsertest.Options{BaseURL: base}) }).
		wantError(t, "open a tab", "canceled")
}

func TestLaunchOfNoProgram(t *testing.T) {
	t.Setenv("GAMEDEX_CHROMIUM", "/nowhere/chromium")
	_, err := browsertest.Launch(context.Background())
	if want := `GAMEDEX_CHROMIUM is "/nowhere/chromium"`; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("error %v, want %q in it", err, want)
	}
}

func TestLaunchOfAnotherProgram(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chromium")
	// A program that exits at once may end before its output is read.
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho cannot open the display\nsleep 1\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GAMEDEX_CHROMIUM", path)
	_, err := browsertest.Launch(context.Background())
	if err == nil || !strings.Contains(err.Error(), "cannot open the display") {
		t.Errorf("error %v, want what the program said", err)
	}
}

func TestAxeIsNotThere(t *testing.T) {
	base := site(t, `<p>fine`, nil)
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module empty\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	record(t, func(t testing.TB) {
		v := shared.Visitor(t, browsertest.Options{BaseURL: base})
		v.Go("/")
		v.Axe()
	}).wantError(t, "read axe-core", "run make setup")
}
