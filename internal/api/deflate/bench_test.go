package deflate_test

import (
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	"gamedex/internal/api/deflate"
)

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

// BenchmarkPriceList compresses a text in chunks of 256 KiB.
func BenchmarkPriceList(b *testing.B) {
	text, hints := priceList(1000)
	const size = 256 << 10
	buf := make([]byte, 0, 2*size)
	var out counter
	z := deflate.NewWriter(&out)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		out = 0
		z.Reset(&out)
		kept, next := buf, 0
		for done := 0; done < len(text); done += size {
			end := min(done+size, len(text))
			start := len(kept) - done
			chunk := append(kept, text[done:end]...)
			for ; next < len(hints) && hints[next].at < end; next++ {
				m := &hints[next]
				z.AddHints(chunk, start+m.at, []deflate.Hint{{Key: m.key, Other: m.other}})
			}
			kept, _ = z.Compress(chunk)
		}
		_ = z.Close()
	}
	b.ReportMetric(float64(out), "bytes")
}

// counter counts bytes.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

var _ io.Writer = (*counter)(nil)
