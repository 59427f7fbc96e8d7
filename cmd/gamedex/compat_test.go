package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/index"
	"gamedex/internal/publish"
)

// releases has a folder for each released version, with what its program wrote and
// answered (see the README there).
const releases = "../../testdata/compat"

// released returns the folders of all released versions.
func released(t *testing.T) (dirs []string) {
	t.Helper()
	dirs, err := filepath.Glob(filepath.Join(releases, "*.*.*"))
	if err != nil || len(dirs) == 0 {
		t.Fatalf("no releases in %s: %v", releases, err)
	}
	return dirs
}

// recorded is a request to a released version, and what it answered.
type recorded struct {
	Request string          `json:"request"` // method and path under /api/v1
	Body    string          `json:"body,omitempty"`
	Key     string          `json:"key"` // the name of the key in keys.json
	Status  int             `json:"status"`
	Data    json.RawMessage `json:"data,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// difference is a part of answers that a later version changed on purpose.
type difference struct {
	Request string // regular expression of method, path and body
	Path    string // names and * for any name or number, such as data.results.*.rank; empty: anywhere
	Times   bool   // only another form of the same time
	Filled  bool   // only a text where an empty one was
	Reason  string
}

// excuses reports whether a change is this difference.
func (d difference) excuses(request string, c change) bool {
	return d.Reason != "" && regexp.MustCompile(d.Request).MatchString(request) && within(c.path, d.Path) && (!d.Times || sameTime(c.was, c.is)) && (!d.Filled || c.was == "")
}

func sameTime(a, b any) bool {
	first, _ := a.(string)
	second, _ := b.(string)
	x, err := time.Parse(time.RFC3339, first)
	y, err2 := time.Parse(time.RFC3339, second)
	return errors.Join(err, err2) == nil && x.Equal(y)
}

// decoded decodes JSON.
func decoded[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v: %.500s", err, text)
	}
	return value
}

func readJSON[T any](t *testing.T, file string) T {
	t.Helper()
	return decoded[T](t, read(t, file))
}

// dataOf returns a copy of the data folder that a released version wrote.
func dataOf(t *testing.T, release string) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(release, "data"))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestReleasedData opens the data folders of all released versions. This version must
// migrate them and give the same answers.
func TestReleasedData(t *testing.T) {
	fileOnly(t, "it opens databases in files")
	t.Parallel()
	for _, release := range released(t) {
		t.Run(filepath.Base(release), func(t *testing.T) {
			t.Parallel()
			dir := dataOf(t, release)
			s := start(t, dir)
			keys := readJSON[map[string]string](t, filepath.Join(release, "keys.json"))
			u := newUser(t, s.api, keys["active"])
			builtByThis(u, dir)
			sameAnswers(t, u, release, keys)
			if out := must(t, dir, "", "check"); !strings.Contains(out, ": good") || strings.Contains(out, "damaged") {
				t.Errorf("check prints %s", out)
			}
			wantPastPrices(t, u, dir)
		})
	}
}

// builtByThis waits for answers from a snapshot as this program builds it today: it may serve one of an older release
// until then. It keeps a snapshot of the same day and version.
func builtByThis(u *apiUser, dir string) {
	u.t.Helper()
	snapshots := snapshotsOf(u.t, dir)
	u.eventually("/catalog/prices?ids=star-forge", func(a answer) bool {
		m, err := publish.Latest(u.t.Context(), snapshots, func(error) {})
		if err != nil || a.status != 200 {
			return false
		}
		built, err := time.Parse(time.RFC3339, a.text("meta.indexBuiltAt"))
		return err == nil && catalog.MillisOf(built) == m.BuiltAt && m.Inputs.Format == index.Format &&
			m.Inputs.MergeVersion == merge.MergeVersion && m.Inputs.Day == catalog.MillisOf(time.Now()).Day()
	})
}

// sameAnswers compares today's answers with the recorded ones of a release.
func sameAnswers(t *testing.T, u *apiUser, release string, keys map[string]string) {
	t.Helper()
	differences := readJSON[[]difference](t, filepath.Join(release, "differences.json"))
	used := make([]bool, len(differences))
	for _, was := range readJSON[[]recorded](t, filepath.Join(release, "answers.json")) {
		method, target, _ := strings.Cut(was.Request, " ")
		a := u.do(method, target, was.Body, bearer(keys[was.Key]), header("Content-Type", "application/json"))
		var found []change
		if a.status != was.Status {
			found = []change{{"status", was.Status, a.status}}
		}
		found = changes(decode(t, was.Data), a.at("data"), "data", found)
		found = changes(decode(t, was.Error), a.at("error"), "error", found)
		for _, place := range found {
			excused := false
			for i, d := range differences {
				if d.excuses(was.Request+" "+was.Body, place) {
					used[i], excused = true, true
				}
			}
			if !excused {
				t.Errorf("%s %s: %s is %s, was %s", was.Request, was.Body, place.path, asJSON(place.is), asJSON(place.was))
			}
		}
	}
	for i, d := range differences {
		if !used[i] {
			t.Errorf("%s lists a difference that is none: %+v", release, d)
		}
	}
}

// change is a place where an answer is not what it was.
type change struct {
	path    string
	was, is any
}

// changes adds the places where what was recorded is different or missing now. New
// members of objects are no change.
func changes(was, is any, at string, found []change) []change {
	switch was := was.(type) {
	case nil:
		if is == nil || at == "data" || at == "error" {
			return found
		}
	case map[string]any:
		if object, ok := is.(map[string]any); ok {
			for _, name := range slices.Sorted(maps.Keys(was)) {
				if now, has := object[name]; has {
					found = changes(was[name], now, at+"."+name, found)
				} else {
					found = append(found, change{at + "." + name, was[name], nil})
				}
			}
			return found
		}
	case []any:
		if list, ok := is.([]any); ok && len(list) == len(was) {
			for i := range was {
				found = changes(was[i], list[i], at+"."+strconv.Itoa(i), found)
			}
			return found
		}
	}
	if !reflect.DeepEqual(was, is) {
		found = append(found, change{at, was, is})
	}
	return found
}

// within reports whether a path is the one that a pattern describes, or below it.
func within(place, pattern string) bool {
	if pattern == "" {
		return true
	}
	want := strings.Split(pattern, ".")
	have := strings.Split(place, ".")
	if len(have) < len(want) {
		return false
	}
	ok, err := path.Match(strings.Join(want, "/"), strings.Join(have[:len(want)], "/"))
	return ok && err == nil
}

func decode(t *testing.T, raw json.RawMessage) any {
	t.Helper()
	if len(raw) == 0 {
		return nil
	}
	return answer{t: t, body: raw, root: new(any)}.at("")
}

func asJSON(v any) string {
	text, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(text)
}

// wantPastPrices checks that the past prices of an old version are served.
func wantPastPrices(t *testing.T, u *apiUser, dir string) {
	t.Helper()
	out := must(t, dir, "", "history", "export", "--platform", "pcstore", "--region", "UA")
	if !strings.Contains(out, `"2024-06-01T10:00:00`) {
		t.Errorf("history export prints %s", out)
	}
	a := u.get("/catalog/history?ids=star-forge&regions=UA&since=2024-01-01").want(200)
	var amounts []string
	for _, step := range a.at("data.items.0.regions.UKR.steps").([]any) {
		amounts = append(amounts, fmt.Sprint(step.(map[string]any)["current"]))
	}
	same(t, "past prices of star-forge", amounts, "74950", "60000", "45000", "90000")
}

// TestReleasedCommands checks that every command and flag of a released version still
// exists: scripts depend on them.
func TestReleasedCommands(t *testing.T) {
	t.Parallel()
	now := commandLine(configDoc(t))
	for _, release := range released(t) {
		for name := range commandLine(read(t, filepath.Join(release, "config.md"))) {
			if !now[name] {
				t.Errorf("%s had %s", filepath.Base(release), name)
			}
		}
	}
}

// commandLine returns the commands of a doc/config.md, and their flags after them.
func commandLine(doc string) map[string]bool {
	found := map[string]bool{}
	for _, section := range strings.Split(doc, "\n## ")[1:] {
		heading, body, _ := strings.Cut(section, "\n")
		command := strings.TrimRight(strings.SplitN(heading, "<", 2)[0], " `")
		found[command] = true
		for _, flag := range regexp.MustCompile("(?m)^\\| `(--[a-z0-9-]+)`").FindAllStringSubmatch(body, -1) {
			found[command+" "+flag[1]] = true
		}
	}
	return found
}

// TestReleasedRequests runs the requests that the README of a released version shows
// against today's demo.
func TestReleasedRequests(t *testing.T) {
	t.Parallel()
	u := sharedDemo.open(t).user(t)
	for _, release := range released(t) {
		requests := curlCommands(read(t, filepath.Join(release, "requests.sh")))
		if len(requests) == 0 {
			t.Errorf("no requests in %s", release)
		}
		for _, request := range requests {
			a := u.curl(request)
			for _, list := range []string{"data.results", "data.items"} {
				if found, ok := a.at(list).([]any); ok && len(found) == 0 {
					t.Errorf("%s finds nothing: %s", request, a.body)
				}
			}
		}
	}
}
