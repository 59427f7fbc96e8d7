package importing

import (
	"bytes"
	"strings"
	"testing"

	"gamedex/bench/measure"
	"gamedex/bench/sample"
)

// Both sides run on a small sample; each pass counts its rows itself and fails
// if they are not what the feed is meant to do.
func TestBothSidesStoreEveryRow(t *testing.T) {
	s := &stand{rows: rowsOf(sample.New(1, 150), 4)}
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string][]byte{"first": s.first, "again": s.again, "dearer": s.dearer} {
		if n := bytes.Count(text, []byte("\n")); n != len(s.rows) {
			t.Errorf("the %s feed has %d lines of %d", name, n, len(s.rows))
		}
	}
	if s.raised < len(s.rows)*9/10 || s.raised == len(s.rows) {
		t.Errorf("%d of %d rows are dearer", s.raised, len(s.rows))
	}
	all := measure.Collected{}
	if err := s.imports(t.Context(), t.TempDir(), all); err != nil {
		t.Error(err)
	}
	if err := s.upserts(t.Context(), t.TempDir(), all); err != nil {
		t.Error(err)
	}
	runs := all.Runs(fresh, same, seen, repriced, bareNew, bareAgain)
	for _, name := range runs.Names {
		if f, ok := runs.Of(name, measure.RowsRate); !ok || f.Median <= 0 {
			t.Errorf("%s: %v", name, f)
		}
	}
}

func TestAFeedThatChangesNothingElseIsCounted(t *testing.T) {
	s := &stand{rows: rowsOf(sample.New(1, 20), 4)}
	if err := s.write(); err != nil {
		t.Fatal(err)
	}
	s.again = s.dearer // who says that nothing changed
	err := s.imports(t.Context(), t.TempDir(), measure.Collected{})
	if err == nil || !strings.Contains(err.Error(), seen) {
		t.Errorf("error is %v", err)
	}
}
