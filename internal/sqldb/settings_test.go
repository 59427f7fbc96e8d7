package sqldb_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/node/profile"
	"gamedex/internal/sqldb"
)

func TestOverrides(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		hashes := map[string]bool{}
		for _, file := range []string{"", "# none\n", "{}\n\x00\xff", ""} {
			if file != "" || len(hashes) > 0 {
				must(t, db.Nodes.SaveOverrides(t.Context(), []byte(file), account.By{At: 7, Actor: "cli:ann", Detail: "2 rules"}))
			}
			got, hash, err := db.Nodes.LoadOverrides(t.Context())
			must(t, err)
			alone, err := db.Nodes.OverridesHash(t.Context())
			must(t, err)
			if string(got) != file || hash != alone || hashes[hash] {
				t.Errorf("stored %q with the hashes %q and %q, want %q with a new one", got, hash, alone, file)
			}
			hashes[hash] = true
		}
		entries := audit(t, db, "overrides")
		if len(entries) != 3 || entries[0].Action != account.OverridesImport || entries[0].Detail != "2 rules" || entries[0].At != 7 {
			t.Errorf("audit entries %+v", entries)
		}
	})
}

// TestRegisteredProfile checks that the first collector registers its profile, and that
// another one is refused until it is registered or the collection ends.
func TestRegisteredProfile(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/examples/collect-profile.txt")
	must(t, err)
	file := filepath.Join(t.TempDir(), "profile.txt")
	must(t, os.WriteFile(file, []byte(strings.ReplaceAll(string(text), ".example", ".test")), 0o600))
	p, err := profile.Read(file)
	must(t, err)
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		agree := func(hash string) error { return p.Agree(t.Context(), db.Nodes, hash, int64(noon)) }
		must(t, agree("one"))
		must(t, agree("one"))
		if err := agree("two"); err == nil || !strings.Contains(err.Error(), "have the hash two, but consolestore is collected with one, registered at ") ||
			!strings.Contains(err.Error(), "gamedex collect profile FILE") {
			t.Errorf("another profile: %v", err)
		}
		must(t, db.Nodes.RegisterProfile(t.Context(), p.Platforms(), "two", account.By{At: 8, Actor: "cli:ann"}))
		must(t, agree("two"))
		if err := agree("one"); err == nil {
			t.Error("the former profile is accepted")
		}
		if entries := audit(t, db, "pcstore"); len(entries) != 1 || entries[0].Action != account.ProfileRegister || entries[0].Detail != "two" {
			t.Errorf("audit entries %+v", entries)
		}
		must(t, db.Sweeps.EndCollection(t.Context(), catalog.ConsoleStore))
		if err := agree("three"); err == nil || !strings.Contains(err.Error(), "pcstore is collected with two") {
			t.Errorf("after the collection of one platform ended: %v", err)
		}
	})
}
