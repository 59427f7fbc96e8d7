package subjects

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/bench/sample"
)

func TestImportAndUpsertsStoreEveryRow(t *testing.T) {
	in, err := newImportInput(sample.New(1, 150))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"first": in.first, "seen": in.seen, "dearer": in.dearer} {
		if n := bytes.Count(text, []byte("\n")); n != len(in.rows) {
			t.Errorf("the %s feed has %d lines, want %d", name, n, len(in.rows))
		}
	}
	if in.changed < len(in.rows)*9/10 || in.changed == len(in.rows) {
		t.Errorf("%d of %d rows have another price", in.changed, len(in.rows))
	}
	results := harness.NewResults()
	if err := in.runImports(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), "", embedded, results); err != nil {
		t.Error(err)
	}
	db, err := alternatives.OpenUpserts(t.Context(), filepath.Join(t.TempDir(), "upserts.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := in.runUpserts(t.Context(), db, "", embedded, results); err != nil {
		t.Error(err)
	}
	for _, name := range []string{importNew, importSame, importSeen, importRepriced, upsertNew, upsertAgain} {
		if f, ok := results.Of(name, harness.RowsRate); !ok || f.Median <= 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
}

func TestUnexpectedChangesFailTheImport(t *testing.T) {
	in, err := newImportInput(sample.New(1, 20))
	if err != nil {
		t.Fatal(err)
	}
	in.seen = in.dearer
	err = in.runImports(t.Context(), "sqlite:"+filepath.Join(t.TempDir(), "gamedex.db"), "", embedded, harness.NewResults())
	if err == nil || !strings.Contains(err.Error(), importSeen) {
		t.Errorf("error is %v", err)
	}
}
