package overrides_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/catalog/override"
	"gamedex/internal/node/overrides"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
)

// stored returns a database and the overrides in it. The table is the same on
// all engines.
func stored(t *testing.T) (*sqldb.DB, overrides.Location) {
	t.Helper()
	db, err := sqldb.Open(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "test.db"), engine.Options{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db, overrides.Location{Database: db.Nodes}
}

func rule(product string) string {
	return `{"platform":"consolestore","product":"` + product + `","edition":"Gold"}` + "\n"
}

func TestImportReplacesAllOrNothing(t *testing.T) {
	_, s := stored(t)
	by := account.By{At: 1, Actor: "cli:ann"}
	if n, err := s.Import(t.Context(), "good.ndjson", []byte("# mine\n"+rule("a")+rule("b")), by); n != 2 || err != nil {
		t.Fatal(n, err)
	}
	for name, tt := range map[string]struct{ text, want string }{
		"a bad line": {rule("c") + rule("d") + "nonsense\n", "overrides bad.ndjson: line 3: is not a JSON object; nothing was changed"},
		"too large":  {strings.Repeat("#", overrides.MaxFile+1), "overrides bad.ndjson: more than 16777216 bytes"},
	} {
		if _, err := s.Import(t.Context(), "bad.ndjson", []byte(tt.text), by); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	if text, err := s.Export(t.Context()); string(text) != "# mine\n"+rule("a")+rule("b") || err != nil {
		t.Errorf("exported %q, %v", text, err)
	}
	if rules, err := s.Read(t.Context()); rules.Len() != 2 || err != nil {
		t.Errorf("%d rules, %v", rules.Len(), err)
	}
	if _, err := s.Import(t.Context(), "empty", nil, by); err != nil {
		t.Fatal(err)
	}
	if rules, err := s.Read(t.Context()); rules.Len() != 0 || err != nil {
		t.Errorf("%d rules after an empty file, %v", rules.Len(), err)
	}
}

func TestFileIsEdited(t *testing.T) {
	s := overrides.Location{File: filepath.Join(t.TempDir(), "overrides.ndjson")}
	_, imported := s.Import(t.Context(), "f", nil, account.By{})
	_, exported := s.Export(t.Context())
	for _, err := range []error{imported, exported} {
		if err == nil || !strings.Contains(err.Error(), "edit "+s.File) {
			t.Errorf("error %v, want the file to edit", err)
		}
	}
}

// TestWatch changes overrides in a file and in a database, and spoils both. Whoever
// watches keeps the last valid ones of a file, and waits for a database.
func TestWatch(t *testing.T) {
	file := overrides.Location{File: filepath.Join(t.TempDir(), "overrides.ndjson")}
	db, inDatabase := stored(t)
	for name, tt := range map[string]struct {
		overrides.Location
		write       func(text string) error
		unavailable bool
	}{
		"file": {file, func(text string) error { return os.WriteFile(file.File, []byte(text), 0o600) }, false},
		"database": {inDatabase, func(text string) error {
			return db.Nodes.SaveOverrides(context.Background(), []byte(text), account.By{})
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			now := time.Unix(1, 0)
			watch := tt.Watch(func() time.Time { return now })
			for i, step := range []struct{ text, product string }{{"", ""}, {rule("a"), "a"}, {rule("bb"), "bb"}, {"nonsense", ""}, {rule("c"), "c"}} {
				if err := tt.write(step.text); err != nil {
					t.Fatal(err)
				}
				now = now.Add(2 * time.Second)
				for range 3 {
					rules, err := watch(t.Context())
					if _, found := rules.Find(catalog.ConsoleStore, step.product); step.text != "nonsense" && (err != nil || found != (step.product != "")) {
						t.Errorf("step %d: %v, %v", i, found, err)
					}
					if step.text == "nonsense" && (err == nil || errors.Is(err, override.ErrUnavailable) != tt.unavailable) {
						t.Errorf("step %d: %v", i, err)
					}
				}
			}
		})
	}
}
