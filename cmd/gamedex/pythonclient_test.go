package main

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

const pythonClient = "../../clients/python"

// noBytecode keeps Python from writing into the folder of the client.
const noBytecode = "PYTHONDONTWRITEBYTECODE=1"

// pythonPath lets programs import the client.
func pythonPath(t *testing.T) string { return "PYTHONPATH=" + absolute(t, pythonClient) }

// needPrograms skips a test without a program, unless GAMEDEX_CLIENTS=required.
func needPrograms(t *testing.T, programs ...string) {
	t.Helper()
	for _, program := range programs {
		if _, err := exec.LookPath(program); err != nil {
			if os.Getenv("GAMEDEX_CLIENTS") == "required" {
				t.Fatal(err)
			}
			t.Skip(err)
		}
	}
}

// python returns a command that runs a Python program which can import the client.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "python3", args...)
	cmd.Env = append(os.Environ(), pythonPath(t), noBytecode)
	return cmd
}

func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, out)
	}
	return string(out)
}

// TestPythonClient runs the client's own tests and, with the file that the service hands out, the sample of its page. It has it call every operation of the document with all
// parameters: the service must see what the document names.
func TestPythonClient(t *testing.T) {
	t.Parallel()
	needPrograms(t, "python3")
	units := python(t, "-m", "unittest", "discover", "--start-directory", pythonClient)
	if out := output(t, units); !strings.Contains(out, "\nOK") {
		t.Errorf("the client's tests print\n%s", out)
	}
	ref, err := printedReference()
	if err != nil {
		t.Fatal(err)
	}
	s := sharedDemo.another(t, webhooksOn...)
	_, token := newKey(t, s.dir, append(highLimits, "--permissions", "read:catalog,read:account,write:webhooks")...)
	seen := &operationLog{t: t, doc: ref.Doc, to: reverseProxy(t, s.api), names: map[string]map[string]bool{}}
	front := httptest.NewServer(seen)
	t.Cleanup(front.Close)
	calls := python(t, absolute(t, "testdata/python/operations.py"), filepath.Join(printDocument(t), "openapi.json"))
	calls.Env = append(calls.Env, "GAMEDEX_API="+front.URL, "GAMEDEX_KEY="+token)
	output(t, calls)
	status, served := s.get("", "/gamedex.py")
	if status != http.StatusOK {
		t.Fatalf("/gamedex.py has status %d", status)
	}
	folder := t.TempDir()
	writeFile(t, filepath.Join(folder, "gamedex.py"), served)
	_, sample, _ := strings.Cut(read(t, pythonClient+"/README.md"), "```python\n")
	sample, _, _ = strings.Cut(sample, "```")
	page := python(t, "-c", sample)
	page.Dir, page.Env = folder, append(page.Env, "PYTHONPATH=", "GAMEDEX_KEY="+token)
	if out := output(t, page); !strings.Contains(out, "Cyberpunk 2077 {'UA': '") || !strings.HasSuffix(out, "\n400 INVALID_PARAMS q minLength:2\n") {
		t.Errorf("the sample of the client's page prints\n%s", out)
	}
	want := map[string][]string{}
	for path, item := range ref.Doc.Paths.Map() {
		for method, op := range item.Operations() {
			want[method+" "+path] = namesOf(op)
		}
	}
	got := map[string][]string{}
	for operation, names := range seen.names {
		got[operation] = slices.Sorted(maps.Keys(names))
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("the operations with their parameters (-document +client):\n%s", d)
	}
}

// namesOf returns the names of an operation's query parameters and of the fields of its body.
func namesOf(op *openapi3.Operation) []string {
	var names []string
	for _, p := range op.Parameters {
		if p.Value.In == openapi3.ParameterInQuery {
			names = append(names, p.Value.Name)
		}
	}
	if op.RequestBody != nil {
		names = slices.AppendSeq(names, maps.Keys(op.RequestBody.Value.Content.Get("application/json").Schema.Value.Properties))
	}
	slices.Sort(names)
	return names
}

func reverseProxy(t *testing.T, to string) http.Handler {
	t.Helper()
	service, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	return httputil.NewSingleHostReverseProxy(service)
}

// operationLog is a proxy that notes which operations of a document are called, and the names of all
// parameters and fields that they get.
type operationLog struct {
	t     *testing.T
	doc   *openapi3.T
	to    http.Handler
	mu    sync.Mutex
	names map[string]map[string]bool // by operation
}

func (o *operationLog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	fields := map[string]any{}
	if len(body) > 0 && err == nil {
		err = json.Unmarshal(body, &fields)
	}
	if err != nil {
		o.t.Error(err)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	o.mu.Lock()
	operation := r.Method + " " + template(o.doc, strings.TrimPrefix(r.URL.Path, "/api/v1"))
	if o.names[operation] == nil {
		o.names[operation] = map[string]bool{}
	}
	for name := range r.URL.Query() {
		o.names[operation][name] = true
	}
	for name := range fields {
		o.names[operation][name] = true
	}
	o.mu.Unlock()
	o.to.ServeHTTP(w, r)
}

// template returns the path of the document that a path is of, or the path itself.
func template(doc *openapi3.T, path string) string {
	if doc.Paths.Value(path) != nil {
		return path
	}
	for _, of := range doc.Paths.InMatchingOrder() {
		if ok, _ := regexp.MatchString("^"+regexp.MustCompile(`\{\w+\}`).ReplaceAllString(of, "[^/]+")+"$", path); ok {
			return of
		}
	}
	return path
}
