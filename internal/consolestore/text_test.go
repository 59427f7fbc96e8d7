package consolestore_test

import (
	"strings"
	"testing"

	"gamedex/internal/consolestore"
)

// TestHostileTexts checks that the time grows with the length of a text of the store, not
// with its square: then each of these texts takes milliseconds, not minutes.
func TestHostileTexts(t *testing.T) {
	for _, part := range []string{"<script></script>", "<", "<a", "</", "<a><", "&", "&amp;", "\r", "<br>"} {
		if text := consolestore.PlainText(strings.Repeat(part, 4<<20/len(part))); len(text) > 64<<10 {
			t.Errorf("%s: %d bytes", part, len(text))
		}
	}
	for _, part := range []string{"- ", "a-", "en-", "_"} {
		if got := consolestore.Canonical(strings.Repeat(part, 1<<20)); got != "" {
			t.Errorf("%s: %.20s", part, got)
		}
	}
	if got := consolestore.Canonical("zh-hant-tw"); got != "zh-Hant-TW" {
		t.Errorf("zh-hant-tw: %s", got)
	}
}
