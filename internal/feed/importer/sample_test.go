package importer_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"
)

// now is shortly after the observations of the samples.
var now = time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

// console returns a line with the required members of a console listing and more, which
// replace those of the same name.
func console(members string) string {
	line := map[string]any{"platform": "consolestore", "region": "TR", "product": "P1", "title": "Star Forge", "observedAt": "2026-11-20T03:00:00Z"}
	if err := json.Unmarshal([]byte("{"+members+"}"), &line); err != nil {
		panic(err)
	}
	text, err := json.Marshal(line)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
