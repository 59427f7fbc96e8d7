package feed_test

import (
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// FuzzLine checks that the reader never panics and that a refusal has a reason. It checks
// that an accepted listing is the same after writing and reading.
func FuzzLine(f *testing.F) {
	for _, tt := range refusals {
		f.Add([]byte(tt.line))
	}
	for _, good := range []string{exampleConsole, examplePC, fullLine, console(``), pc(`"titles":{"ru":"\u0451"}`), "# comment", "\ufeff{}"} {
		f.Add([]byte(good))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := feed.NewReader(strings.NewReader(string(data)), clock)
		if err != nil {
			return
		}
		var l catalog.Listing
		for {
			_, err := r.Next(&l)
			if refused, ok := err.(*feed.LineError); ok {
				checkReason(t, refused)
				continue
			}
			if err != nil {
				return
			}
			checkAgain(t, l)
		}
	})
}
