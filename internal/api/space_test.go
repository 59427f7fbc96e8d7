package api

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFoldSpace: taking a text as it is must be right wherever it is done.
func TestFoldSpace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOf(rapid.SampledFrom([]rune("ab \t\n\u00a0\u0085\u3000я"))).Draw(t, "text")
		if got, want := foldSpace(s), strings.Join(strings.Fields(s), " "); got != want {
			t.Fatalf("%q is folded to %q, want %q", s, got, want)
		}
	})
}
