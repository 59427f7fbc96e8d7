package feed_test

import (
	"io"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// The example of the format.
const (
	exampleConsole = `{"platform":"consolestore","region":"TR","product":"EP0000-PPSA00001_00-EXAMPLEGAME00000","family":"10000001","titleIds":["PPSA00001"],"title":"Example Game","locale":"en-TR","invariantName":"Example Game","type":"game","platforms":["PS5"],"price":{"currency":"TRY","base":174900,"current":87450,"baseText":"1.749,00 TL","currentText":"874,50 TL","discountPercent":50,"discountEndsAt":"2026-12-01T22:59:00Z","source":"graphql"},"observedAt":"2026-11-20T03:00:00Z"}`
	examplePC      = `{"platform":"pcstore","region":"TUR","product":"0f1e2d3c4b5a","slug":"example-game","title":"Example Game","type":"base","price":{"currency":"TRY","base":60000,"current":60000},"observedAt":"2026-11-20T03:00:00Z"}`
)

// now is shortly after the observations of the samples.
var now = time.Date(2026, 11, 20, 4, 0, 0, 0, time.UTC)

func clock() time.Time { return now }

// fataler is the common part of testing.T, B and rapid.T.
type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// console returns a line with the required members of a console listing and more.
func console(members string) string {
	return line(`"platform":"consolestore","region":"TR","product":"P1","title":"Star Forge"`, members)
}

// pc returns a line with the required members of a PC listing and more.
func pc(members string) string {
	return line(`"platform":"pcstore","region":"TR","product":"P1","slug":"star-forge","title":"Star Forge"`, members)
}

// line replaces members of base, so that names stay unique.
func line(base, members string) string {
	base += `,"observedAt":"2026-11-20T03:00:00Z"`
	kept := make([]string, 0, 8)
	for _, m := range strings.Split(base, `,"`) {
		m = `"` + strings.TrimPrefix(m, `"`)
		name, _, _ := strings.Cut(m, ":")
		if !strings.Contains(members, name+":") {
			kept = append(kept, m)
		}
	}
	if members != "" {
		kept = append(kept, members)
	}
	return "{" + strings.Join(kept, ",") + "}"
}

func newReader(t fataler, input string) *feed.Reader {
	t.Helper()
	r, err := feed.NewReader(strings.NewReader(input), clock)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// read reads an input of one valid line.
func read(t fataler, input string) catalog.Listing {
	t.Helper()
	var l catalog.Listing
	if _, err := newReader(t, input).Next(&l); err != nil {
		t.Fatalf("%s\nis refused: %v", input, err)
	}
	return l
}

// refusal reads an input of one invalid line.
func refusal(t fataler, input string) *feed.LineError {
	t.Helper()
	var l catalog.Listing
	_, err := newReader(t, input).Next(&l)
	refused, ok := err.(*feed.LineError)
	if !ok {
		t.Fatalf("%.300s\nreturns %v, not a *LineError", input, err)
	}
	return refused
}

// readAll reads to the end and returns the listings and the refusals as text.
func readAll(t fataler, r *feed.Reader) (all []catalog.Listing, refused []string) {
	t.Helper()
	for {
		var l catalog.Listing
		_, err := r.Next(&l)
		switch err.(type) {
		case nil:
			all = append(all, l)
		case *feed.LineError:
			refused = append(refused, err.Error())
		default:
			if err != io.EOF {
				t.Fatal(err)
			}
			return all, refused
		}
	}
}

// outcomes reads to the end and describes each listing and refusal, in order.
func outcomes(r *feed.Reader, describe func(*catalog.Listing) string) (all []string) {
	for {
		var l catalog.Listing
		switch _, err := r.Next(&l); {
		case err == io.EOF:
			return all
		case err != nil:
			all = append(all, err.Error())
		default:
			all = append(all, describe(&l))
		}
	}
}

// checkAgain checks that a listing is the same after it was written and read.
func checkAgain(t *testing.T, l catalog.Listing) {
	t.Helper()
	if again := written(t, read(t, written(t, l))); again != written(t, l) {
		t.Errorf("read back as\n%s%s", written(t, l), again)
	}
}

// checkReason checks that a refusal names its line and says why.
func checkReason(t *testing.T, refused *feed.LineError) {
	t.Helper()
	if refused.Line == 0 || refused.Reason == "" || !utf8.ValidString(refused.Error()) {
		t.Errorf("refused without a reason: %#v", refused)
	}
}

// written returns the lines that a Writer writes of listings.
func written(t fataler, all ...catalog.Listing) string {
	t.Helper()
	var b strings.Builder
	w := feed.NewWriter(&b)
	for i := range all {
		if err := w.Write(&all[i]); err != nil {
			t.Fatal(err)
		}
	}
	return b.String()
}
