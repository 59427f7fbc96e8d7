package deflate_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	klauspost "github.com/klauspost/compress/gzip"
	"pgregory.net/rapid"

	"gamedex/internal/api/deflate"
)

// hint is a hint at an offset of the whole text.
type hint struct {
	at         int
	key, other uint32
}

// compress writes text in chunks of a size, each with the hints in it.
func compress(t rapid.TB, z *deflate.Writer, text []byte, hints []hint, size int) []byte {
	t.Helper()
	var out bytes.Buffer
	z.Reset(&out)
	var kept []byte
	for done := 0; done < len(text); {
		end, start := min(done+size, len(text)), len(kept)-done
		chunk := append(kept, text[done:end]...)
		known := len(kept) // a hint is added when the text up to the next one is known
		for len(hints) > 0 && (hints[0].at < end || end == len(text)) {
			h := hints[0]
			if hints = hints[1:]; len(hints) > 0 && done <= hints[0].at && hints[0].at < end {
				known = max(known, start+hints[0].at)
			} else {
				known = len(chunk)
			}
			z.AddHints(chunk[:known], start+h.at, []deflate.Hint{{Key: h.key, Other: h.other}})
		}
		var err error
		if kept, err = z.Compress(chunk); err != nil {
			t.Fatal(err)
		}
		done = end
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// check decompresses a stream with two libraries. It must be one member with
// nothing after it.
func check(t rapid.TB, stream, want []byte) {
	t.Helper()
	for name, open := range map[string]func(io.Reader) (io.Reader, error){
		"compress/gzip": func(r io.Reader) (io.Reader, error) {
			z, err := gzip.NewReader(r)
			if err == nil {
				z.Multistream(false)
			}
			return z, err
		},
		"klauspost": func(r io.Reader) (io.Reader, error) {
			z, err := klauspost.NewReader(r)
			if err == nil {
				z.Multistream(false)
			}
			return z, err
		},
	} {
		from := bufio.NewReader(bytes.NewReader(stream))
		z, err := open(from)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := io.ReadAll(z)
		if err != nil || !bytes.Equal(got, want) {
			t.Fatalf("%s: %d bytes and error %v, want %d bytes", name, len(got), err, len(want))
		}
		if left, _ := io.ReadAll(from); len(left) > 0 {
			t.Fatalf("%s: %d bytes after the end", name, len(left))
		}
	}
}

// most returns the maximum length that doc.go promises.
func most(text, size int) int {
	calls := (text + size - 1) / max(size, 1)
	return text + 6*(calls+text/65535) + 21
}

// anyText draws a text that repeats itself near and far, and hints: some right,
// some wrong, some out of order or out of the text.
func anyText(t *rapid.T) (text []byte, hints []hint) {
	words := rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 40), 1, 6).Draw(t, "words")
	for range rapid.IntRange(0, 60).Draw(t, "parts") {
		m := hint{at: len(text), key: rapid.Uint32Range(0, 8).Draw(t, "key")}
		m.other = rapid.SampledFrom([]uint32{0, m.key * 4099, deflate.Repeats}).Draw(t, "other")
		if rapid.IntRange(0, 9).Draw(t, "wrong") == 0 {
			m.at += rapid.OneOf(rapid.IntRange(-50, 50), rapid.Int()).Draw(t, "by")
		}
		hints = append(hints, m)
		part := rapid.SampledFrom(words).Draw(t, "part")
		text = append(text, bytes.Repeat(part, rapid.SampledFrom([]int{1, 1, 1, 2, 30, 2000}).Draw(t, "times"))...)
	}
	return text, hints
}

// roundTrip returns a property: what a Writer, which is used again and again, makes of any text is that text, and no longer
// than promised.
func roundTrip(z *deflate.Writer) func(*rapid.T) {
	return func(t *rapid.T) {
		text, hints := anyText(t)
		size := rapid.SampledFrom([]int{1 << 20, 100_000, 5000, 33}).Draw(t, "size")
		if size < 1000 {
			text = text[:min(len(text), 3000)]
		}
		stream := compress(t, z, text, hints, size)
		check(t, stream, text)
		if len(stream) > most(len(text), size) {
			t.Fatalf("%d bytes became %d in chunks of %d", len(text), len(stream), size)
		}
	}
}

func TestRoundTrip(t *testing.T) { rapid.Check(t, roundTrip(deflate.NewWriter(io.Discard))) }

func FuzzRoundTrip(f *testing.F) { f.Fuzz(rapid.MakeFuzz(roundTrip(deflate.NewWriter(io.Discard)))) }

// priceList is a text such as the API writes, with the hints that its writer
// could set: games, each with a row for each of four regions.
func priceList(games int) (text []byte, hints []hint) {
	rng := rand.New(rand.NewPCG(3, 4))
	part := func(key, other uint32, form string, values ...any) {
		hints = append(hints, hint{len(text), key, other})
		text = fmt.Appendf(text, form, values...)
	}
	regions := []struct{ code, currency, form string }{
		{"UA", "UAH", "%d,00 ₴"}, {"TR", "TRY", "₺%d,00"}, {"PL", "PLN", "%d,00 zł"}, {"IN", "INR", "₹%d.00"},
	}
	for range games {
		id, dollars := rng.Uint64N(1e12), 1+rng.IntN(70)
		part(1, 0, `{"id":"%08X","title":"Game of %X","regions":{`, id%0xffffffff, id)
		for i, r := range regions {
			price := dollars * (4 + 7*i)
			key, shown := 10+10*uint32(i), fmt.Sprintf(r.form, price)
			part(100+key*100+uint32(price), key, `"%s":{"currency":"%s","base":%d00`, r.code, r.currency, price)
			part(key+1, 201, `,"current":%d00`, price)
			part(key+2, 202, `,"baseText":"%s"`, shown)
			part(key+3, 203, `,"currentText":"%s"`, shown)
			part(key+4, 204, `,"discountPercent":null,"usd":%d.%02d`, dollars, rng.IntN(100))
			part(2, 0, `,"discountLabel":null,"discountEndAt":null,"isFree":false,"isTrial":false,"edition":null,"sku":`)
			part(3, 0, `"EP%04d-PPSA%05d_00-%016d"`, id%9973, id%99991, id)
			part(4, 0, `,"source":"graphql","pricedAt":"2026-11-20T03:00:00Z","variantsCount":1},`)
		}
		part(5, 0, `"regionsCount":4},`)
	}
	return text, hints
}

// noise returns incompressible text.
func noise(n int) []byte {
	rng := rand.New(rand.NewPCG(1, 2))
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(rng.Uint32())
	}
	return text
}

func TestSizes(t *testing.T) {
	digits := []byte(strings.Repeat("0123456789", 100_000))
	far := append(append([]byte("a place far away"), noise(40_000)...), "a place far away"...)
	for name, c := range map[string]struct {
		text  []byte
		hints []hint
		size  int
		most  int
	}{
		"nothing":               {nil, nil, 1, 20},
		"one byte":              {[]byte("a"), nil, 1, 23},
		"noise":                 {noise(1 << 20), nil, 1 << 20, 1<<20 + 6*18 + 21},
		"noise in chunks":       {noise(1 << 20), nil, 100_000, 1<<20 + 6*27 + 21},
		"tiny chunks":           {noise(2000), nil, 1, 5000},
		"no hints":              {digits, nil, 1 << 20, 440_000},
		"one hint":              {digits, []hint{{at: 0, key: 7}, {at: 10, key: 7}}, 1 << 20, 2100},
		"a run of one byte":     {bytes.Repeat([]byte("x"), 3<<20), []hint{{at: 0}, {at: 1}, {at: 600_000}, {at: 600_001}}, 4 << 20, 270_000},
		"distance 1 in chunks":  {bytes.Repeat([]byte("x"), 10_000), []hint{{at: 0}, {at: 1}, {at: 5000}, {at: 5001}}, 5000, 130},
		"out of reach":          {far, []hint{{at: 0}, {at: len(far) - 16}}, 1 << 20, len(far) + 40},
		"the same place twice":  {digits, []hint{{at: 10}, {at: 10}}, 1 << 20, 440_000},
		"hints behind the text": {digits[:100], []hint{{at: 1000}, {at: 1010}, {at: -7}, {at: 1 << 40}}, 1 << 20, 100},
	} {
		stream := compress(t, deflate.NewWriter(io.Discard), c.text, c.hints, c.size)
		check(t, stream, c.text)
		if len(stream) > c.most {
			t.Errorf("%s: %d bytes became %d, want at most %d", name, len(c.text), len(stream), c.most)
		}
	}
}

// TestReach hints at a repetition at the longest distance of the format, at one
// beyond it, and in a later chunk.
func TestReach(t *testing.T) {
	const word = "twenty characters ok"
	for _, size := range []int{1 << 20, 7000} {
		for dist, found := range map[int]bool{100: true, 32767: true, 32768: true, 32769: false} {
			text := hex.AppendEncode([]byte(word), noise(dist))
			text = append(text[:dist], word...)
			without := len(compress(t, deflate.NewWriter(io.Discard), text, nil, size))
			stream := compress(t, deflate.NewWriter(io.Discard), text, []hint{{at: 0}, {at: dist}}, size)
			check(t, stream, text)
			if got := len(stream) < without; got != found && dist > 100 {
				t.Errorf("distance %d in chunks of %d: found %v, want %v", dist, size, got, found)
			}
		}
	}
}

// TestSecondKey has the previous hint with the first key out of reach.
func TestSecondKey(t *testing.T) {
	const word = "a part of thirty letters, about"
	text := append(append(append([]byte(word), bytes.Repeat([]byte("."), 40_000)...), word...), word...)
	at := len(text) - 2*len(word)
	first := []hint{{at: 0, key: 1}, {at: at, key: 2}}
	one := compress(t, deflate.NewWriter(io.Discard), text, append(first, hint{at: at + len(word), key: 1}), 1<<20)
	two := compress(t, deflate.NewWriter(io.Discard), text, append(first, hint{at: at + len(word), key: 1, other: 2}), 1<<20)
	check(t, two, text)
	if len(two) > len(one)-15 {
		t.Errorf("%d bytes with a second key, %d without", len(two), len(one))
	}
}

// sizeWith compresses a text with hints, checks the stream and returns its size.
func sizeWith(t *testing.T, text []byte, addHints func(*deflate.Writer)) int {
	t.Helper()
	var stream bytes.Buffer
	z := deflate.NewWriter(&stream)
	addHints(z)
	if _, err := z.Compress(bytes.Clone(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	check(t, stream.Bytes(), text)
	return stream.Len()
}

// TestHintRepeat has a hint between two others that leads to the first one, and
// leaves it to the last one.
func TestHintRepeat(t *testing.T) {
	const word, rest = "a part of thirty letters, about", " and what follows it"
	text := []byte(word + rest + word + "." + word + rest)
	size := func(other uint32) int {
		return sizeWith(t, text, func(z *deflate.Writer) {
			z.AddHints(text, 0, []deflate.Hint{{Key: 1}, {At: int32(len(word + rest)), Key: 1, Other: other}})
			z.AddHints(text, len(word+rest+word+"."), []deflate.Hint{{Key: 1}})
		})
	}
	if repeat, hint := size(deflate.Repeats), size(0); repeat >= hint {
		t.Errorf("%d bytes, and %d if the hint becomes the previous one", repeat, hint)
	}
}

// TestLongMatch has a match that ends where the text is known to, again and again.
func TestLongMatch(t *testing.T) {
	word := hex.AppendEncode(nil, noise(2000))
	text := append(bytes.Clone(word), word...)
	size := func(known ...int) int {
		return sizeWith(t, text, func(z *deflate.Writer) {
			z.AddHints(text[:known[0]], 0, []deflate.Hint{{Key: 1}, {At: int32(len(word)), Key: 1}})
			for _, n := range known[1:] {
				z.AddHints(text[:n], n, nil)
			}
		})
	}
	n := len(word)
	if once, often := size(2*n), size(n+10, n+11, n+270, n+271, 2*n-1); often > once {
		t.Errorf("%d bytes if the text is known by and by, %d else", often, once)
	}
}

// TestManyMatches has more hints and matches than one block holds.
func TestManyMatches(t *testing.T) {
	var text []byte
	var hints []hint
	for i := range 40_000 {
		hints = append(hints, hint{at: len(text)})
		text = fmt.Appendf(text, "part%d", i%10)
	}
	stream := compress(t, deflate.NewWriter(io.Discard), text, hints, 1<<20)
	check(t, stream, text)
	if len(stream) > len(text)/2 {
		t.Errorf("%d bytes became %d", len(text), len(stream))
	}
}

// TestReusedCodes compresses chunks of different kinds in every order. A chunk
// may use the codes of an earlier one only if the two are similar.
func TestReusedCodes(t *testing.T) {
	list, hints := priceList(150)
	kinds := [][]byte{list, noise(len(list)), bytes.Repeat([]byte("\x00\xff"), len(list)/2), bytes.ToUpper(list)}
	alone := make([]int, len(kinds))
	for i, text := range kinds {
		alone[i] = len(compress(t, deflate.NewWriter(io.Discard), text, nil, len(text)))
	}
	z := deflate.NewWriter(io.Discard)
	for order := range 64 {
		var text []byte
		var set []hint
		bound := 100
		for _, kind := range []int{order % 4, order / 4 % 4, order / 16} {
			for _, m := range hints {
				m.at += len(text)
				set = append(set, m)
			}
			text = append(text, kinds[kind][:len(list)-1]...)
			bound += alone[kind] + alone[kind]/7
		}
		stream := compress(t, z, text, set, len(list)-1)
		check(t, stream, text)
		if len(stream) > min(bound, most(len(text), len(list)-1)) {
			t.Errorf("order %d: %d bytes, want at most %d", order, len(stream), bound)
		}
	}
}

// broken accepts some bytes, then fails.
type broken struct{ left int }

var errBroken = errors.New("broken")

func (b *broken) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, errBroken
	}
	return len(p), nil
}

func TestErrors(t *testing.T) {
	text := noise(200_000)
	z := deflate.NewWriter(&broken{100_000})
	kept, err := z.Compress(bytes.Clone(text))
	if !errors.Is(err, errBroken) {
		t.Errorf("Compress: %v", err)
	}
	if _, err := z.Compress(append(kept, text...)); !errors.Is(err, errBroken) {
		t.Errorf("the next Compress: %v", err)
	}
	if err := z.Close(); !errors.Is(err, errBroken) {
		t.Errorf("Close: %v", err)
	}
	check(t, compress(t, z, text, nil, 50_000), text)
	z.Reset(&broken{5})
	if err := z.Close(); !errors.Is(err, errBroken) {
		t.Errorf("Close of an empty stream: %v", err)
	}
	z.Reset(io.Discard)
	if _, err := z.Compress(text[:1000]); err != nil {
		t.Fatal(err)
	}
	if _, err := z.Compress(text[:999]); err == nil {
		t.Error("Compress accepts a text shorter than the one it returned")
	}
	z.AddHints(append(text[:1000:1000], text[:1000]...), 0, []deflate.Hint{{Key: 1}, {At: 1000, Key: 1}})
	if _, err := z.Compress(text[:1500]); err == nil {
		t.Error("Compress accepts a text shorter than the one with the hints")
	}
}

func TestNothingIsAllocated(t *testing.T) {
	text, hints := priceList(100)
	text = text[:len(text)/2]
	z := deflate.NewWriter(io.Discard)
	n := testing.AllocsPerRun(20, func() {
		z.Reset(io.Discard)
		for _, m := range hints {
			z.AddHints(text, m.at, []deflate.Hint{{Key: m.key, Other: m.other}})
		}
		if _, err := z.Compress(text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
	})
	if n != 0 {
		t.Errorf("%v allocations", n)
	}
}
