package main

import (
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gamedex/internal/testing/await"
)

// TestMirrorPage runs the program of doc/mirror.md against the demo: everything at first,
// then nothing, then the one game that changed; an id that is gone goes. In the end its file
// has what the whole answer shows. Without Python it is skipped, unless
// GAMEDEX_CLIENTS=required.
func TestMirrorPage(t *testing.T) {
	t.Parallel()
	needPrograms(t, "python3")
	text, usage := mirrorProgram(t)
	demo := sharedDemo.another(t)
	_, token := newKey(t, demo.dir, highLimits...)
	program := filepath.Join(t.TempDir(), "mirror.py")
	writeFile(t, program, text)
	ids := strings.Fields(usage[strings.LastIndex(usage, "mirror.py"):])[1:]
	u := demo.user(t)
	celeste := u.get("/catalog/search?q=celeste&platform=consolestore").text("data.results.0.id")
	ids = append(ids, celeste, "no-game")
	retitle := func(title string) {
		changeListings(t, demo.dir, "Celeste", func(l map[string]any) { l["title"] = title })
	}
	// The service begins with the snapshots of another database, after which all games count as changed.
	retitle("Celeste once")
	u.eventually("/catalog/games/"+celeste, func(a answer) bool { return a.status == http.StatusOK && a.text("data.title") == "Celeste once" })
	run := func() string {
		t.Helper()
		cmd := python(t, append([]string{program}, ids...)...)
		cmd.Dir = filepath.Dir(program)
		cmd.Env = append(cmd.Env, "GAMEDEX_API="+demo.api, "GAMEDEX_KEY="+token)
		return output(t, cmd)
	}
	if out := run(); strings.Count("\n"+out, "\nchanged: ") != 3 || !strings.Contains(out, "unchanged: 0 not found: ['no-game']") {
		t.Errorf("the first run prints\n%s", out)
	}
	if out := run(); strings.TrimSpace(out) != "unchanged: 3 not found: ['no-game']" {
		t.Errorf("the second run prints\n%s", out)
	}
	retitle("Celeste, again")
	var out string
	await.That(t, "the change to arrive", func() bool { out = run(); return strings.TrimSpace(out) != "unchanged: 3 not found: ['no-game']" })
	if want := "changed: " + celeste + " Celeste, again\nunchanged: 2 not found: ['no-game']"; strings.TrimSpace(out) != want {
		t.Errorf("after a change it prints\n%s\nwant\n%s", out, want)
	}
	mirror := decoded[struct {
		Items map[string]struct{ ID, Title string }
	}](t, read(t, filepath.Join(filepath.Dir(program), "mirror.json")))
	whole := u.get("/catalog/prices?regions=all&ids=" + strings.Join(ids, ","))
	if whole.status != http.StatusOK || len(mirror.Items) != 3 {
		t.Fatalf("status %d; the mirror has %d games, want 3", whole.status, len(mirror.Items))
	}
	for i := range 3 {
		at := "data.items." + string(rune('0'+i))
		if got := mirror.Items[ids[i]]; got.ID != whole.text(at+".id") || got.Title != whole.text(at+".title") {
			t.Errorf("the mirror has %+v for %s, the service %s %q", got, ids[i], whole.text(at+".id"), whole.text(at+".title"))
		}
	}
}

// mirrorProgram returns the program of doc/mirror.md, and the commands that run it.
func mirrorProgram(t *testing.T) (program, usage string) {
	t.Helper()
	blocks := regexp.MustCompile("(?s)```(python|sh)\n(.*?)```").FindAllStringSubmatch(read(t, "../../doc/mirror.md"), -1)
	if len(blocks) != 2 || strings.Count(blocks[0][2], "\n") > 25 {
		t.Fatalf("%d blocks of code in doc/mirror.md; want a program of 25 lines and how to run it", len(blocks))
	}
	return blocks[0][2], blocks[1][2]
}
