package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const guideSamples = "../../internal/dashboard/reference/samples"

// TestGuideSamples runs the samples of the guides against the demo, with an id in it that
// has moved. Those of a language that is not installed are skipped, unless
// GAMEDEX_CLIENTS=required.
func TestGuideSamples(t *testing.T) {
	t.Parallel()
	s := sharedDemo.another(t)
	old, successor := moveCeleste(t, s.dir, s.user(t))
	for _, language := range []struct{ file, program, usage string }{
		{".sh", "curl", "X-RateLimit-Remaining-Day"}, {".py", "python3", " left today"}, {".mjs", "node", " left today"}, {".go", "go", " left today"},
	} {
		t.Run(language.file, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(language.program); err != nil {
				if os.Getenv("GAMEDEX_CLIENTS") == "required" {
					t.Fatal(err)
				}
				t.Skip("needs " + language.program)
			}
			_, token := newKey(t, s.dir, "--limit-minute", "1000")
			sample := func(guide string, wants ...string) {
				t.Helper()
				text := strings.NewReplacer("https://games.example", s.api, "ABCD0000", old).Replace(read(t, filepath.Join(guideSamples, guide+language.file)))
				file := filepath.Join(t.TempDir(), guide+language.file)
				writeFile(t, file, text)
				if language.file == ".go" {
					tool(t, filepath.Dir(file), "go", "build", "-ldflags=-s -w", "-o", guide, file)
					printsAll(t, []string{filepath.Join(filepath.Dir(file), guide)}, token, wants)
					return
				}
				program := language.program
				if language.file == ".sh" {
					program = "sh"
				}
				printsAll(t, []string{program, file}, token, wants)
			}
			sample("first-request", "ELDEN RING")
			sample("limits", language.usage)
			sample("errors", "INVALID_PARAMS", "minLength:2")
			sample("ids", successor, "elden-ring")
			sample("polling", "no change") // it never ends
		})
	}
}

// moveCeleste gives the products of a console game another family, so that its id moves.
func moveCeleste(t *testing.T, dir string, u *apiUser) (old, successor string) {
	t.Helper()
	a := u.eventually("/catalog/search?q=celeste&platform=consolestore", func(a answer) bool { return a.status == 200 })
	old = a.text("data.results.0.id")
	var lines strings.Builder
	for line := range strings.Lines(must(t, dir, "", "export", "--platform", "consolestore")) {
		var listing map[string]any
		if err := json.Unmarshal([]byte(line), &listing); err != nil {
			t.Fatal(err)
		}
		if title, _ := listing["invariantName"].(string); title != "Celeste" {
			continue
		}
		listing["family"], listing["observedAt"] = "20009999", time.Now().UTC().Format(time.RFC3339)
		changed, err := json.Marshal(listing)
		if err != nil {
			t.Fatal(err)
		}
		lines.Write(append(changed, '\n'))
	}
	must(t, dir, lines.String(), "import", "-")
	a = u.eventually("/catalog/games/"+old, func(a answer) bool { return a.status == 404 })
	return old, a.text("error.details.successors.0")
}

// printsAll runs a command with a key until it has printed all texts. A command that ends
// without them fails the test.
func printsAll(t *testing.T, command []string, token string, texts []string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), command[0], command[1:]...)
	cmd.Dir = filepath.Dir(command[len(command)-1])
	cmd.Env = append(os.Environ(), "GAMEDEX_KEY="+token, "POLL_SECONDS=1", "PYTHONUNBUFFERED=1")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what it has started ends with it
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); cmd.Wait() }()
	var printed strings.Builder
	for lines := bufio.NewScanner(out); lines.Scan(); {
		fmt.Fprintln(&printed, lines.Text())
		if !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(printed.String(), text) }) {
			return
		}
	}
	t.Errorf("%s prints %q, want %q in it; %s", strings.Join(command, " "), &printed, texts, &stderr)
}
