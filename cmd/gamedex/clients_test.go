package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// needClients skips a test that runs the tools for the OpenAPI document, which
// scripts/setup fetches.
func needClients(t *testing.T) {
	t.Helper()
	if os.Getenv("GAMEDEX_CLIENTS") != "required" {
		t.Skip("needs linters and generators of clients: scripts/setup clients, then set GAMEDEX_CLIENTS=required, as make check does")
	}
}

// toolsModule is the module that pins the tools; programs has those that
// use the generated clients, and npm the packages that scripts/setup installs.
const (
	toolsModule = "../../tools"
	programs    = toolsModule + "/clients"
	npm         = "../../.cache/clients/node_modules"
)

// tool runs a program in a folder, and returns what it prints.
func tool(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "REDOCLY_TELEMETRY=off", "REDOCLY_SUPPRESS_UPDATE_NOTICE=true")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, &stderr)
	}
	return string(out)
}

// npmTool returns the path of a program of the npm packages.
func npmTool(t *testing.T, name string) string {
	t.Helper()
	return absolute(t, filepath.Join(npm, ".bin", name))
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// printDocument writes openapi.json into a new folder, and returns the folder.
func printDocument(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "openapi.json"), must(t, dir, "", append([]string{"openapi"}, args...)...))
	return dir
}

// TestLintersFindNothing checks the document with Redocly's and Spectral's rules.
func TestLintersFindNothing(t *testing.T) {
	needClients(t)
	t.Parallel()
	for _, args := range [][]string{nil, {"--public-url", "https://games.example"}} {
		dir := printDocument(t, args...)
		tool(t, dir, npmTool(t, "redocly"), "lint", "--extends=recommended-strict", "openapi.json")
		tool(t, dir, npmTool(t, "spectral"), "lint", "--ruleset", absolute(t, programs+"/spectral.yaml"), "--fail-severity=hint", "openapi.json")
	}
}

// pageCommand returns the arguments of the command in doc/clients.md that runs a tool. All versions there
// must be those that the files which pin them have.
func pageCommand(t *testing.T, tool string) []string {
	t.Helper()
	pinned := read(t, programs+"/package.json") + read(t, toolsModule+"/go.mod")
	for _, pin := range regexp.MustCompile(`(\S+)@(\S+)`).FindAllStringSubmatch(read(t, "../../doc/clients.md"), -1) {
		name := strings.TrimSuffix(pin[1], "/cmd/oapi-codegen")
		if !strings.Contains(pinned, `"`+name+`": "`+pin[2]+`"`) && !strings.Contains(pinned, name+" "+pin[2]) {
			t.Errorf("doc/clients.md names %s, which is not what is pinned", pin[0])
		}
	}
	for line := range strings.Lines(read(t, "../../doc/clients.md")) {
		words := strings.Fields(line)
		if i := slices.IndexFunc(words, func(word string) bool { return strings.Contains(word, tool+"@") }); i >= 0 {
			return words[i+1:]
		}
	}
	t.Fatalf("doc/clients.md does not run %s", tool)
	return nil
}

// TestGeneratedClients builds a Go and a TypeScript client from the document, with the commands of
// doc/clients.md, and lets both talk to the service.
func TestGeneratedClients(t *testing.T) {
	needClients(t)
	t.Parallel()
	s := sharedDemo.open(t)
	u := s.user(t)
	want := u.get("/catalog/search?q=elden+ring&platform=consolestore").text("data.results.0.id")
	found := map[string]string{}
	for name, program := range map[string][]string{"oapi-codegen": buildGoClient(t), "openapi-typescript": buildTypeScriptClient(t)} {
		found[name] = tool(t, t.TempDir(), program[0], append(program[1:], s.api+"/api/v1", u.token)...)
		for _, line := range []string{" " + want + " ELDEN RING ", "\ncard " + want + " ", "\nprices ", " no-such-game\n", "\nerror 404 GAME_NOT_FOUND 00000000\n"} {
			if !strings.Contains(found[name], line) {
				t.Errorf("the client of %s prints %q, want %q in it", name, found[name], line)
			}
		}
	}
	if found["oapi-codegen"] != found["openapi-typescript"] {
		t.Errorf("the clients print different answers: %q", found)
	}
}

// buildGoClient returns the command that runs the Go program.
func buildGoClient(t *testing.T) []string {
	t.Helper()
	dir := printDocument(t)
	writeFile(t, filepath.Join(dir, "main.go"), read(t, programs+"/main.go"))
	args := []string{"tool", "oapi-codegen"}
	for _, arg := range pageCommand(t, "oapi-codegen") {
		if filepath.Ext(arg) != "" {
			arg = filepath.Join(dir, arg)
		}
		args = append(args, arg)
	}
	tool(t, toolsModule, "go", args...)
	program := filepath.Join(dir, "client")
	tool(t, toolsModule, "go", "build", "-tags", "clients", "-o", program, filepath.Join(dir, "main.go"), filepath.Join(dir, "client.gen.go"))
	return []string{program}
}

// buildTypeScriptClient returns the command that runs the TypeScript program. The
// compiler checks that the program agrees with the generated types.
func buildTypeScriptClient(t *testing.T) []string {
	t.Helper()
	dir := printDocument(t)
	if err := os.Symlink(absolute(t, npm), filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(dir, "package.json"), `{"type": "module"}`)
	for _, file := range []string{"main.ts", "tsconfig.json"} {
		writeFile(t, filepath.Join(dir, file), read(t, filepath.Join(programs, file)))
	}
	tool(t, dir, npmTool(t, "openapi-typescript"), pageCommand(t, "openapi-typescript")...)
	tool(t, dir, npmTool(t, "tsc"), "--project", ".")
	return []string{"node", filepath.Join(dir, "main.js")}
}
