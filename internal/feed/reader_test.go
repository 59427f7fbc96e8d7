package feed_test

import (
	"bytes"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"go.uber.org/goleak"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

// TestMain checks that a Reader starts no goroutine.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func gzipped(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	io.WriteString(w, text)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func zstded(t testing.TB, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

func TestReaderInputs(t *testing.T) {
	one, two := console(`"product":"1"`)+"\n", console(`"product":"2"`)+"\n"
	tests := []struct{ name, input, want string }{
		{"nothing", "", ""},
		{"only empty lines", "\n\r\n \t\n", ""},
		{"plain", one + two, "1 2"},
		{"no end on the last line", one + strings.TrimSuffix(two, "\n"), "1 2"},
		{"CRLF", strings.ReplaceAll(one+two, "\n", "\r\n"), "1 2"},
		{"byte order mark", "\ufeff" + one, "1"},
		{"byte order mark before a comment", "\ufeff# prices\n" + one, "1"},
		{"comments and empty lines", "# a\n\n" + one + "#{\n  \n" + two, "1 2"},
		{"a comment over 1 MiB", "#" + strings.Repeat("x", 2<<20) + "\n" + one, "1"},
		{"gzip", gzipped(t, one+two), "1 2"},
		{"gzip with several members", gzipped(t, one) + gzipped(t, two), "1 2"},
		{"gzip of an empty input", gzipped(t, ""), ""},
		{"gzip with a byte order mark", gzipped(t, "\ufeff"+one), "1"},
		{"zstd", zstded(t, one+two), "1 2"},
		{"zstd with several frames", zstded(t, one) + zstded(t, two), "1 2"},
		{"zstd after a skippable frame", "\x50\x2a\x4d\x18\x02\x00\x00\x00xx" + zstded(t, one), "1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, in := range []io.Reader{strings.NewReader(tt.input), iotest.OneByteReader(strings.NewReader(tt.input))} {
				r, err := feed.NewReader(in, clock)
				if err != nil {
					t.Fatal(err)
				}
				all, refused := readAll(t, r)
				var products []string
				for _, l := range all {
					products = append(products, l.Product)
				}
				if got := strings.Join(products, " "); got != tt.want || len(refused) > 0 {
					t.Errorf("got %q, refused %q; want %q", got, refused, tt.want)
				}
			}
		})
	}
}

func TestReaderGoesOnAfterARefusal(t *testing.T) {
	input := strings.Join([]string{
		"# comment", console(`"product":"1"`), "{", "", console(`"region":"??"`),
		`{"x":"` + strings.Repeat("x", 1<<20) + `"}`, console(`"product":"2"`),
	}, "\n")
	all, refused := readAll(t, newReader(t, input))
	want := []string{
		"line 3: is not JSON: ends too early",
		`line 5: region: "??" is not a country code (ISO 3166 alpha-2 or alpha-3)`,
		"line 6: is longer than 1 MiB",
	}
	if diff := cmp.Diff(want, refused); diff != "" {
		t.Error(diff)
	}
	if len(all) != 2 || all[1].Product != "2" {
		t.Errorf("read %d listings, want 1 and 2", len(all))
	}
}

func TestReaderLineBound(t *testing.T) {
	for _, end := range []string{"", "\n", "\r\n"} {
		fits := console(`"x":"` + strings.Repeat("x", 1<<20-len(console(`"x":""`))) + `"`)
		if len(fits) != 1<<20 {
			t.Fatal(len(fits))
		}
		read(t, fits+end)
		if got := refusal(t, fits+" "+end).Error(); got != "line 1: is longer than 1 MiB" {
			t.Errorf("one more byte: %s", got)
		}
	}
}

func TestReaderUnreadable(t *testing.T) {
	text := strings.Repeat(console("")+"\n", 5000)
	packed := gzipped(t, text)
	broken := []byte(packed)
	broken[len(broken)-5] ^= 1 // the checksum
	cut := zstded(t, text)
	failed := errors.New("disk failed")
	tests := []struct {
		name  string
		input io.Reader
		want  string
	}{
		{"gzip cut off", strings.NewReader(packed[:len(packed)/2]), "the input is truncated, get it again: unexpected EOF"},
		{"gzip damaged", bytes.NewReader(broken), "gzip: invalid checksum"},
		{"gzip with garbage after it", strings.NewReader(packed + "garbage behind"),
			"there is other data after the compressed input, compress it in one piece: gzip: invalid header"},
		{"zstd with garbage after it", strings.NewReader(zstded(t, text) + "garbage behind"),
			"there is other data after the compressed input, compress it in one piece: invalid input: magic number mismatch"},
		{"zstd cut off", strings.NewReader(cut[:len(cut)-3]), "unexpected EOF"},
		{"read error", io.MultiReader(strings.NewReader(text), iotest.ErrReader(failed)), "disk failed"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, err := feed.NewReader(tt.input, clock)
			for l := (catalog.Listing{}); err == nil; {
				_, err = r.Next(&l)
			}
			if got := err.Error(); !strings.HasPrefix(got, "read line ") || !strings.HasSuffix(got, tt.want) {
				t.Errorf("got %q, want it to name the line and end with %q", got, tt.want)
			}
		})
	}
}

func TestNewReaderRefuses(t *testing.T) {
	tests := []struct{ name, input, want string }{
		{"only a gzip header", "\x1f\x8b", "unpack gzip: unexpected EOF"},
		{"gzip of an unknown method", "\x1f\x8b\x07" + strings.Repeat("\x00", 20), "unpack gzip: gzip: invalid header"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, err := feed.NewReader(strings.NewReader(tt.input), clock)
			if err == nil || err.Error() != tt.want {
				t.Errorf("got %v, want %s", err, tt.want)
			}
		})
	}
}

// TestReaderRefusesHugeWindows checks that a few bytes cannot make the reader allocate
// gigabytes.
func TestReaderRefusesHugeWindows(t *testing.T) {
	const oneGiB = "\x28\xb5\x2f\xfd\x00\xa0" // frame header, window 2^(10+20)
	_, err := newReader(t, oneGiB+"\x01\x00\x00").Next(new(catalog.Listing))
	if !errors.Is(err, zstd.ErrWindowSizeExceeded) {
		t.Errorf("got %v", err)
	}
}

// TestReaderMemoryIsBounded checks that compressed zeros without a line end,
// which grow a thousandfold, are not kept.
func TestReaderMemoryIsBounded(t *testing.T) {
	bomb := gzipped(t, strings.Repeat("x", 64<<20))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if got := refusal(t, bomb).Error(); got != "line 1: is longer than 1 MiB" {
		t.Error(got)
	}
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 16<<20 {
		t.Errorf("reading a line of 64 MiB took %d MiB", taken>>20)
	}
}

func TestReaderCountsUnknownFields(t *testing.T) {
	r := newReader(t, strings.Join([]string{
		console(`"vat":1`), console(`"vat":2,"price":{"currentText":"1","tax":1},"rating":{"by":"x"},"images":{"hero":1}`),
	}, "\n"))
	readAll(t, r)
	want := map[string]int{"vat": 2, "price.tax": 1, "rating.by": 1, "images.hero": 1}
	if diff := cmp.Diff(want, r.Unknown()); diff != "" {
		t.Error(diff)
	}
}

func TestReaderBoundsUnknownFields(t *testing.T) {
	names := strings.Repeat("x", 1000)
	var members []string
	for i := range 1000 {
		members = append(members, `"`+names[:i]+`":0`)
	}
	r := newReader(t, console(strings.Join(members, ",")))
	readAll(t, r)
	for name := range r.Unknown() {
		if len(name) > 70 {
			t.Errorf("the reader keeps a name of %d bytes", len(name))
		}
	}
	if n := len(r.Unknown()); n == 0 || n > 100 {
		t.Errorf("the reader keeps %d names", n)
	}
}

// TestReaderSharesNothing checks that a listing does not change when the reader
// continues.
func TestReaderSharesNothing(t *testing.T) {
	r := newReader(t, fullLine+"\n"+strings.ToUpper(fullLine)+"\n"+console(`"family":"\u0041"`))
	var l, other catalog.Listing
	if _, err := r.Next(&l); err != nil {
		t.Fatal(err)
	}
	r.Next(&other)
	r.Next(&other)
	if diff := cmp.Diff(fullListing(), l); diff != "" {
		t.Error(diff)
	}
}

// TestReaderClears checks that no field of a line is left in the next.
func TestReaderClears(t *testing.T) {
	r := newReader(t, fullLine+"\n"+console(``))
	var l catalog.Listing
	for range 2 {
		if _, err := r.Next(&l); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, console(``)), l); diff != "" {
		t.Error(diff)
	}
}
