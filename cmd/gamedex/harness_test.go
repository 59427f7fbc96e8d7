package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/testing/apitest"
	"gamedex/internal/testing/await"
)

// shop is a service with listings and rates. Tests that change nothing share one.
type shop struct {
	dir   string
	token string // of a key with all permissions and very high limits
	*server
}

// sharedShop is a service that tests share. TestMain closes it.
type sharedShop struct {
	fill func(*testing.T, *shop) error // starts it with listings

	once sync.Once
	shop *shop
	err  error
}

var (
	shared     = &sharedShop{fill: fillWithFeed} // with the listings and rates of testdata
	sharedDemo = &sharedShop{fill: fillWithDemo} // with the sample catalog
)

// highLimits sets limits that no test exhausts.
var highLimits = []string{"--limit-minute", "262143", "--limit-day", "4194303"}

func (f *sharedShop) open(t *testing.T) *shop {
	t.Helper()
	f.once.Do(func() {
		f.err = errors.New("the shared service did not start; the first test that uses it reports why")
		dir, err := os.MkdirTemp("", "gamedex-shop-")
		if err != nil {
			t.Fatal(err)
		}
		f.shop = &shop{dir: dir}
		if err := f.fill(t, f.shop); err != nil {
			t.Fatal(err)
		}
		f.err = nil
	})
	if f.err != nil {
		t.Fatal(f.err)
	}
	server := *f.shop.server
	server.t = t
	return &shop{f.shop.dir, f.shop.token, &server}
}

func (f *sharedShop) close() {
	if f.shop != nil {
		if f.shop.server != nil {
			f.shop.server.kill()
		}
		os.RemoveAll(f.shop.dir)
	}
}

// newShop starts a separate service with the listings of testdata.
func newShop(t *testing.T, args ...string) *shop {
	t.Helper()
	return shared.another(t, args...)
}

// copyOfShared returns a copy of the data folder of the service with the listings of testdata.
func copyOfShared(t *testing.T, args ...string) *shop {
	t.Helper()
	return shared.copy(t, args...)
}

// another starts a separate service with the same listings.
func (f *sharedShop) another(t *testing.T, args ...string) *shop {
	t.Helper()
	s := f.copy(t, args...)
	s.start(t, args...)
	return s
}

// copy copies the data folder, so that nothing has to be built again.
func (f *sharedShop) copy(t *testing.T, args ...string) *shop {
	t.Helper()
	from := f.open(t)
	s := &shop{dir: t.TempDir(), token: from.token}
	copyDatabase(t, from.dir, s.dir)
	if !slices.Contains(args, "--active-regions") { // otherwise the snapshot has to be rebuilt
		copySnapshots(t, from.dir, s.dir)
	}
	return s
}

// fillFolder imports the listings and rates of testdata into a data folder, and returns the token of
// a key with very high limits.
func fillFolder(t *testing.T, dir string) (token string) {
	t.Helper()
	must(t, dir, "", "import", testFeed)
	must(t, dir, "", "rates", "import", "testdata/rates.json")
	_, token = newKey(t, dir, highLimits...)
	return token
}

func fillWithFeed(t *testing.T, s *shop) error {
	t.Helper()
	s.token = fillFolder(t, s.dir)
	return s.launch(t)
}

func fillWithDemo(t *testing.T, s *shop) error {
	t.Helper()
	if err := s.launch(t, "--demo", "--demo-still"); err != nil {
		return err
	}
	_, s.token = newKey(t, s.dir, highLimits...)
	s.prints(demoAccount)
	return nil
}

// demoAccount matches the key and the sign-in that serve --demo prints.
const demoAccount = `(gdx_\w{36})(?s:.*)email\s+(\S+)\s+password\s+(\S+)`

// launch starts the service, and waits until it has a catalog to serve.
func (s *shop) launch(t *testing.T, args ...string) (err error) {
	t.Helper()
	if s.server, err = launch(t, s.dir, args...); err == nil {
		s.healthy()
	}
	return err
}

// start is launch for a service that is killed at the end of the test.
func (s *shop) start(t *testing.T, args ...string) {
	t.Helper()
	if err := s.launch(t, args...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.kill)
}

// sharedClient returns a client of the shared service, with the key that has all
// permissions.
func sharedClient(t *testing.T) *apiUser {
	t.Helper()
	return shared.open(t).user(t)
}

func (s *shop) user(t *testing.T) *apiUser {
	t.Helper()
	return newUser(t, s.api, s.token)
}

// apiUser is an API client over HTTP. It checks every answer against the API
// reference.
type apiUser struct {
	t      *testing.T
	base   string // http://127.0.0.1:PORT
	token  string
	client *http.Client
}

// client returns a client of the service, once that has a catalog to serve.
func (s *server) client(token string) *apiUser {
	s.t.Helper()
	s.healthy()
	return newUser(s.t, s.api, token)
}

func newUser(t *testing.T, base, token string) *apiUser {
	t.Helper()
	return &apiUser{t, base, token, &http.Client{Transport: newReference(t)}}
}

// with changes a request before it is sent.
type with func(*http.Request)

func header(name, value string) with { return func(r *http.Request) { r.Header.Set(name, value) } }

func bearer(token string) with { return header("Authorization", "Bearer "+token) }

func noKey(r *http.Request) { r.Header.Del("Authorization") }

// get sends a GET for a path under /api/v1, unchanged.
func (u *apiUser) get(path string, change ...with) answer {
	u.t.Helper()
	return u.do(http.MethodGet, path, "", change...)
}

// post sends a JSON body to the bulk price endpoint.
func (u *apiUser) post(body string, change ...with) answer {
	u.t.Helper()
	return u.do(http.MethodPost, "/catalog/prices", body, append([]with{header("Content-Type", "application/json")}, change...)...)
}

// eventually repeats a request until the answer is good.
func (u *apiUser) eventually(path string, good func(answer) bool) answer {
	u.t.Helper()
	var a answer
	if !await.Progress(func() bool { a = u.get(path); return good(a) }, func() any { return a.status }) {
		u.t.Fatalf("%s: last answer %d %.500s", a.request, a.status, a.body)
	}
	return a
}

func (u *apiUser) do(method, path, body string, change ...with) answer {
	u.t.Helper()
	r, err := http.NewRequest(method, u.base, strings.NewReader(body))
	if err != nil {
		u.t.Fatal(err)
	}
	// Set raw, so that paths that no URL parser accepts arrive unchanged.
	target, query, _ := strings.Cut("/api/v1"+path, "?")
	r.URL.Opaque = strings.TrimPrefix(u.base, "http:") + target
	r.URL.Path, r.URL.RawQuery = target, query
	if body == "" {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header.Set("Authorization", "Bearer "+u.token)
	for _, f := range change {
		f(r)
	}
	res, err := u.client.Do(r)
	if err != nil {
		u.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		u.t.Fatalf("%s %s: %v", method, path, err)
	}
	plain, err := apitest.Unpack(res.Header.Get("Content-Encoding"), raw)
	if err != nil {
		u.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{u.t, method + " " + path, res.StatusCode, res.Header, plain, new(any)}
}

// answer is a decoded answer.
type answer struct {
	t       *testing.T
	request string
	status  int
	header  http.Header
	body    []byte
	root    *any // the body, once it is decoded
}

// want fails the test if the status differs.
func (a answer) want(status int) answer {
	a.t.Helper()
	if a.status != status {
		a.t.Fatalf("%s: status %d, want %d: %.500s", a.request, a.status, status, a.body)
	}
	return a
}

// code fails the test if the answer is not this error.
func (a answer) code(status int, code string) answer {
	a.t.Helper()
	return a.want(status).is("ok", "false").is("error.code", strconv.Quote(code))
}

// at returns the value at a path of names and numbers ("data.items.0.id"), or
// nil. Numbers are json.Numbers.
func (a answer) at(path string) any {
	a.t.Helper()
	if *a.root == nil {
		d := json.NewDecoder(bytes.NewReader(a.body))
		d.UseNumber()
		if err := d.Decode(a.root); err != nil {
			a.t.Fatalf("%s: %v: %.500s", a.request, err, a.body)
		}
	}
	node := *a.root
	if path == "" {
		return node
	}
	for name := range strings.SplitSeq(path, ".") {
		switch parent := node.(type) {
		case map[string]any:
			node = parent[name]
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i >= len(parent) {
				return nil
			}
			node = parent[i]
		default:
			return nil
		}
	}
	return node
}

// text returns the string at a path.
func (a answer) text(path string) string {
	a.t.Helper()
	s, ok := a.at(path).(string)
	if !ok {
		a.t.Fatalf("%s: %s is %v, want a string: %.500s", a.request, path, a.at(path), a.body)
	}
	return s
}

// texts returns the strings under a name in each element of an array.
func (a answer) texts(array, name string) []string {
	a.t.Helper()
	elements, ok := a.at(array).([]any)
	if !ok {
		a.t.Fatalf("%s: %s is not an array: %.500s", a.request, array, a.body)
	}
	list := []string{}
	for _, e := range elements {
		list = append(list, fmt.Sprint(e.(map[string]any)[name]))
	}
	return list
}

// is fails the test if the value at a path is not the given JSON. Non-breaking
// spaces count as plain ones.
func (a answer) is(path, want string) answer {
	a.t.Helper()
	var got, tidy bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(a.at(path)); err != nil {
		a.t.Fatal(err)
	}
	if err := json.Compact(&tidy, []byte(want)); err != nil {
		a.t.Fatalf("the test wants %s, which is not JSON: %v", want, err)
	}
	plain := strings.NewReplacer("\u00a0", " ", "\u202f", " ").Replace(strings.TrimSpace(got.String()))
	if plain != tidy.String() {
		a.t.Errorf("%s: %s = %s, want %s", a.request, path, plain, tidy.String())
	}
	return a
}

// in fails the test if a header has another value.
func (a answer) in(name, want string) answer {
	a.t.Helper()
	if got := strings.Join(a.header.Values(name), ", "); got != want {
		a.t.Errorf("%s: %s is %q, want %q", a.request, name, got, want)
	}
	return a
}

// same fails the test if two lists differ.
func same(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func writeFile(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
