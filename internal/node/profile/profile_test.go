package profile_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/node/profile"
)

const template = "../../../doc/examples/collect-profile.txt"

// filledIn returns the file of a template whose addresses somebody has filled in, with another
// change.
func filledIn(t *testing.T, old, changed string) string {
	t.Helper()
	text, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), old) {
		t.Fatalf("the template has no %s", old)
	}
	file := filepath.Join(t.TempDir(), "profile")
	filled := strings.Replace(strings.ReplaceAll(string(text), ".example/", ".test/"), old, changed, 1)
	filled = strings.ReplaceAll(filled, `.example"`, `.test"`)
	if err := os.WriteFile(file, []byte(filled), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// TestErrorsNameTheLine checks the lines of errors, and that the template itself is refused.
func TestErrorsNameTheLine(t *testing.T) {
	text, err := os.ReadFile(template)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ old, changed, want string }{
		{`"contact"`, `"contcat"`, `unknown field "contcat"`},
		{`"timeout"`, `"timeuot"`, `unknown field "timeuot"`},
		{`"addons": "`, `"adons": "`, `unknown field "adons"`},
		{`"consolestore"`, `"console"`, `unknown field "console"`},
		{`"contact": "ops@example.org"`, `"contact": 1`, "contact: must be a string"},
		{`"maxBytes": 16777216`, `"maxBytes": "16 MB"`, "hosts.0.maxBytes: must be a number"},
		{`"hosts": [`, `"hosts": {}, "other": [`, "hosts: must be a list"},
		{`"contact"`, `contact`, "invalid character"},
	} {
		line := 1 + strings.Count(string(text[:strings.Index(string(text), c.old)]), "\n")
		_, err := profile.Read(filledIn(t, c.old, c.changed))
		if want := fmt.Sprintf("line %d: ", line); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s… %s", c.changed, err, want, c.want)
		}
	}
	if _, err := profile.Read(template); err == nil || !strings.Contains(err.Error(), "https://api.store.example/graphql/op: an invented address of the template") {
		t.Errorf("the template itself: %v", err)
	}
}

// TestTemplate checks that the profile template is a valid profile once its addresses are real.
func TestTemplate(t *testing.T) {
	p, err := profile.Read(filledIn(t, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	if p.ConsoleStore == nil || p.PCStore == nil || p.Contact == "" || len(p.Platforms()) != 2 {
		t.Errorf("the template lacks a part: %+v", p)
	}
	if hosts, err := p.UpstreamHosts(); err != nil || len(hosts) == 0 {
		t.Errorf("hosts %v, %v", hosts, err)
	}
}

// TestHash checks that what changes no request changes no hash.
func TestHash(t *testing.T) {
	text, err := os.ReadFile(filledIn(t, "", ""))
	if err != nil {
		t.Fatal(err)
	}
	hash := func(text string, texts, images bool) string {
		t.Helper()
		file := filepath.Join(t.TempDir(), "profile")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		p, err := profile.Read(file)
		if err != nil {
			t.Fatal(err)
		}
		return p.Hash(texts, images)
	}
	was := hash(string(text), false, false)
	if got := hash("# another comment\n\n"+strings.ReplaceAll(string(text), "\t", "  "), false, false); got != was || len(was) != 16 {
		t.Errorf("hash %q of the same profile, want %q", got, was)
	}
	if got := hash(strings.Replace(string(text), `"contact": "`, `"contact": "x`, 1), false, false); got != was {
		t.Errorf("another contact has the hash %s, want %s", got, was)
	}
	other := strings.Replace(string(text), `"prices": "10m"`, `"prices": "11m"`, 1)
	for name, got := range map[string]string{"interval": hash(other, false, false), "texts": hash(string(text), true, false), "images": hash(string(text), false, true)} {
		if got == was {
			t.Errorf("another %s has the same hash", name)
		}
	}
}
