package main

import (
	"strings"
	"testing"
	"time"
)

// TestBar checks what a terminal gets while an import advances.
func TestBar(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	now, width := time.Unix(0, 0), 80
	b := &bar{w: &out, bytes: true, now: func() time.Time { return now }, columns: func() int { return width }, shown: true}
	wants := func(what, want string) {
		t.Helper()
		if got := out.String(); got != want {
			t.Errorf("%s: %q, want %q", what, got, want)
		}
		out.Reset()
	}
	b.show("a", 0, 8_000_000, "a.ndjson")
	wants("at the start", "\ra.ndjson   0% [                        ] 0.0 MB")
	now = now.Add(redraw / 2)
	b.show("a", 1, 8_000_000, "a.ndjson")
	wants("too soon", "")
	now = time.Unix(10, 0)
	b.show("a", 2_000_000, 8_000_000, "a.ndjson")
	wants("after a quarter", "\ra.ndjson  25% [######                  ] 2.0 MB, 30s left")
	b.Write([]byte("a line\n"))
	wants("a line of the log", "\r"+strings.Repeat(" ", 57)+"\ra line\n")
	now = time.Unix(20, 0)
	b.show("b", 3_000_000, -1, "-")
	wants("an input of unknown size", "\r- 3.0 MB")
	b.end()
	wants("at the end", "\r        \r")
	now = time.Unix(30, 0)
	b.show("b", 1, -1, "-")
	wants("the same name again", "\r- 0.0 MB")
	now, width = time.Unix(40, 0), 10
	b.show("b", 1, -1, "a long name")
	wants("a narrow terminal", "\ra long na")
}

// TestBarIsForTerminals checks that a pipe gets no bar.
func TestBarIsForTerminals(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	b := newBar(&out, false)
	b.show("a", 1, 2, "a")
	b.end()
	if out.Len() > 0 {
		t.Errorf("a pipe gets %q", out.String())
	}
}
