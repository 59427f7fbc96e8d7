package main

import (
	"path/filepath"
	"regexp"
	"testing"
)

// wireDifference is a finding of the comparison of OpenAPI documents that breaks no
// client.
type wireDifference struct {
	ID     string // of the finding's kind
	Text   string // regular expression
	Reason string
}

// TestReleasedInterface compares today's OpenAPI document with that of each released
// version: nothing may be removed or narrowed.
func TestReleasedInterface(t *testing.T) {
	needClients(t)
	t.Parallel()
	today := absolute(t, filepath.Join(printDocument(t), "openapi.json"))
	for _, release := range released(t) {
		out := tool(t, toolsModule, "go", "tool", "-modfile=go.mod", "oasdiff", "breaking", "--format", "json", absolute(t, filepath.Join(release, "openapi.json")), today)
		findings := decoded[[]struct{ ID, Text, Operation, Path string }](t, out)
		differences := readJSON[[]wireDifference](t, filepath.Join(release, "wire.json"))
		used := make([]bool, len(differences))
		for _, f := range findings {
			excused := false
			for i, d := range differences {
				if d.ID == f.ID && regexp.MustCompile(d.Text).MatchString(f.Text) && d.Reason != "" {
					used[i], excused = true, true
				}
			}
			if !excused {
				t.Errorf("since %s: %s %s: %s: %s; if clients of %[1]s do not notice, add a row with id, text (a regular expression) and reason to %[6]s/wire.json",
					filepath.Base(release), f.Operation, f.Path, f.ID, f.Text, release)
			}
		}
		for i, d := range differences {
			if !used[i] {
				t.Errorf("%s lists a difference that is none: %+v", release, d)
			}
		}
	}
}
