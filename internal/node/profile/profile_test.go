package profile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/node/profile"
)

const template = "../../../doc/examples/collect-profile.txt"

// TestTemplate checks that the profile template is a valid profile.
func TestTemplate(t *testing.T) {
	p, err := profile.Read(template)
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
	text, err := os.ReadFile(template)
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
