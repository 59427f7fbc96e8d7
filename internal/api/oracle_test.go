package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/api/bulk"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

func orNull[T comparable](v, absent T) *T {
	if v == absent {
		return nil
	}
	return &v
}

func anyPrice(t *rapid.T) catalog.Price {
	p := catalog.Price{
		Currency: rapid.SampledFrom([]money.Currency{"UAH", "TRY", "PLN", "JPY", "USD", "KZT"}).Draw(t, "currency"),
		Base:     money.Amount(rapid.OneOf(rapid.Int64Range(0, 3), rapid.Int64Range(0, 10_000_000)).Draw(t, "base")),
		Trial:    rapid.Bool().Draw(t, "trial"), Subscription: rapid.Bool().Draw(t, "subscription"),
		Source:          rapid.SampledFrom([]string{"", "graphql", catalog.SourceDoubtful}).Draw(t, "source"),
		DiscountPercent: catalog.NoPercent,
	}
	p.Current = p.Base
	if p.Base > 0 && rapid.Bool().Draw(t, "discounted") {
		p.Current = money.Amount(rapid.Int64Range(0, int64(p.Base)).Draw(t, "current"))
		p.DiscountPercent = money.DiscountPercent(p.Base, p.Current)
		p.DiscountLabel = rapid.SampledFrom([]string{"", "Sale", `"%" & <more>`}).Draw(t, "label")
		p.DiscountEndsAt = catalog.Millis(rapid.SampledFrom([]int64{0, start - 1, start, start + 1000, start + day}).Draw(t, "end"))
	}
	return p
}

// drawText draws texts that are easy or hard to write as JSON.
func drawText(t *rapid.T, name string) string {
	return rapid.OneOf(
		rapid.SampledFrom([]string{"", "a", "Seven77", "Eight888", "Nine99999", "Deluxe Edition", "1\u00a0299,00\u00a0₴", "Долгая дорога домой"}),
		rapid.StringOfN(rapid.SampledFrom([]rune(`abcdefgh"\<&é漢`+"\x01\x1f\n\u2028 \U0001F3AE")), 0, 20, -1),
	).Draw(t, name)
}

// drawCatalog draws a catalog in which regions, families, products, texts and
// prices often coincide.
func drawCatalog(t *rapid.T) *sample {
	s := newSample()
	rowsOf := s.drawRows
	if rapid.Bool().Draw(t, "alike") {
		rowsOf = s.drawAlike
	}
	for id := catalog.ProseID(1); id <= 2; id++ {
		s.prose[id] = &catalog.Prose{Cover: drawText(t, "cover"), Publisher: drawText(t, "publisher"), ReleaseDate: "2025-01-02",
			Genres: []string{drawText(t, "genre"), "Action"}}
	}
	for i := range rapid.IntRange(1, 6).Draw(t, "cards") {
		prose := catalog.ProseID(rapid.IntRange(0, 2).Draw(t, "prose"))
		c := catalog.Card{ID: fmt.Sprintf("CARD%04d", i), Family: rapid.SampledFrom([]string{"1", "2"}).Draw(t, "family"),
			Class: catalog.Class(rapid.IntRange(1, 4).Draw(t, "class")), Type: catalog.Type(rapid.IntRange(1, 6).Draw(t, "type")),
			Title: "T" + drawText(t, "title"), EditionName: drawText(t, "edition"), InvariantName: drawText(t, "name"),
			Platforms: []string{drawText(t, "device")}, Prose: catalog.ProseChoice{Cover: prose, Publisher: prose, ReleaseDate: prose, Genres: prose}}
		if c.Platform = rapid.SampledFrom(catalog.Platforms()).Draw(t, "platform"); c.Platform == catalog.PCStore {
			c.ID = fmt.Sprintf("slug-%d", i)
			for range rapid.IntRange(1, 14).Draw(t, "offers") {
				id := fmt.Sprint("offer-", len(s.in.Entries))
				c.Offers = append(c.Offers, catalog.Offer{ID: id, Title: drawText(t, "offer"), Type: catalog.Type(rapid.IntRange(1, 6).Draw(t, "type")),
					Edition: drawText(t, "edition"), Rows: rowsOf(t, c.Platform, id)})
			}
			c.Rows = c.Offers[0].Rows
		} else {
			c.Rows = rowsOf(t, c.Platform, drawText(t, "product"))
		}
		s.card(c)
	}
	s.in.Moved = map[string][]string{former: {s.in.Cards[0].ID}}
	return s
}

// longName is longer than what an encoder keeps.
var longName = strings.Repeat("Ultimate ", 90)

// drawRows draws the prices of a product. In Ukraine it is always listed, so
// that its card is served.
func (s *sample) drawRows(t *rapid.T, platform catalog.Platform, product string) (rows []uint32) {
	for _, code := range []string{"IN", "JP", "PL", "TR", "UA", "US"} {
		if code != "UA" && rapid.Bool().Draw(t, "not in "+code) {
			continue
		}
		e := catalog.Entry{Platform: platform, Product: product, Region: catalog.MustRegion(code),
			Facts:    &catalog.Facts{Edition: rapid.SampledFrom([]string{"", "Gold", `"Gold"`, longName}).Draw(t, "edition")},
			PricedAt: catalog.Millis(rapid.SampledFrom([]int64{0, 1, start - day, start - 1000, start}).Draw(t, "priced at")),
			URL:      catalog.URLPattern(rapid.SampledFrom([]string{"", "https://store.example/\x01", `https://odd.example/"\x01\x02`}).Draw(t, "url"))}
		if rapid.IntRange(0, 4).Draw(t, "not for sale") > 0 {
			e.Price = drawPrice(t)
		}
		s.in.Entries = append(s.in.Entries, e)
		rows = append(rows, uint32(len(s.in.Entries)-1))
	}
	return rows
}

// drawAlike draws rows that differ only in amounts, so that many share what can
// be shared: over regions, platforms and the end of a discount.
func (s *sample) drawAlike(t *rapid.T, platform catalog.Platform, product string) (rows []uint32) {
	for _, code := range []string{"PL", "TR", "UA"} {
		p := number("USD", money.Amount(rapid.IntRange(-1, 1).Draw(t, "base")), off(0, start))
		p.DiscountPercent = 50
		p.Trial, p.Subscription = rapid.Bool().Draw(t, "trial"), rapid.Bool().Draw(t, "subscription")
		s.in.Entries = append(s.in.Entries, catalog.Entry{Platform: platform, Product: product, Region: catalog.MustRegion(code),
			Facts: &catalog.Facts{}, Price: p, PricedAt: start - day})
		if rapid.Bool().Draw(t, "free") {
			p.Current = p.Base
		}
		rows = append(rows, uint32(len(s.in.Entries)-1))
	}
	return rows
}

func drawPrice(t *rapid.T) *catalog.Price {
	p := anyPrice(t)
	switch rapid.IntRange(0, 5).Draw(t, "price") {
	case 0:
		p = *onlyText("UAH", drawText(t, "text"))
	case 1:
		p.BaseText, p.CurrentText = drawText(t, "text"), drawText(t, "text")
	case 2:
		p.Base += 1 << 40
	}
	return &p
}

// plainAnswer is a whole answer; its meta is not compared.
type plainAnswer struct {
	OK      bool `json:"ok"`
	Filters struct {
		Platform string   `json:"platform"`
		Regions  []string `json:"regions"`
		Include  []string `json:"include"`
		Currency string   `json:"currency,omitempty"`
	} `json:"filters"`
	Counts struct {
		Requested int `json:"requested"`
		Resolved  int `json:"resolved"`
		NotFound  int `json:"notFound"`
	} `json:"counts"`
	Data struct {
		Items         []plainItem         `json:"items"`
		NotFound      []string            `json:"notFound"`
		Moved         map[string][]string `json:"moved,omitempty"`
		ExchangeRates json.RawMessage     `json:"exchangeRates,omitempty"`
	} `json:"data"`
	Regions []string        `json:"regions"`
	Meta    json.RawMessage `json:"meta"`
}

// bulkQuestion is a bulk request.
type bulkQuestion struct {
	IDs      []string `json:"ids"`
	Platform string   `json:"platform"`
	Regions  []string `json:"regions"`
	Include  []string `json:"include"`

	Currency money.Currency `json:"currency,omitempty"`
}

func drawQuestion(t *rapid.T, s *sample) bulkQuestion {
	q := bulkQuestion{Platform: rapid.SampledFrom([]string{"auto", "consolestore", "pcstore"}).Draw(t, "asked platform"), IDs: []string{"NOSUCHID"}}
	for _, c := range s.in.Cards {
		q.IDs = append(q.IDs, c.ID)
	}
	q.IDs = append(rapid.Permutation(append(q.IDs, former)).Draw(t, "ids"), strings.ToLower(q.IDs[1]))
	q.Regions = rapid.SampledFrom([][]string{{"all"}, {"UA", "TR", "PL", "IN"}, {"US"}, {"JP", "DE", "UA"}, {"DE"}}).Draw(t, "regions")
	q.Include = rapid.SliceOfDistinct(rapid.SampledFrom(bulk.BlockNames[:]), rapid.ID).Draw(t, "include")
	q.Currency = rapid.SampledFrom([]money.Currency{"", "UAH", "USD", "JPY", "KZT", "KWD"}).Draw(t, "asked currency") // no rate of the last two
	return q
}

// plainly answers a bulk request from the index with structs.
func plainly(v *index.View, now int64, q bulkQuestion) plainAnswer {
	p := plainPrices{v: v, now: now, regions: q.Regions, include: strings.Join(q.Include, " "), currency: q.Currency}
	if q.Regions[0] == "all" {
		p.regions = nil
	}
	out := plainAnswer{OK: true, Regions: []string{}}
	out.Filters.Platform, out.Filters.Regions, out.Filters.Include, out.Filters.Currency = q.Platform, q.Regions, q.Include, string(q.Currency)
	out.Data.Items, out.Data.NotFound = []plainItem{}, []string{}
	platform, err := catalog.ParsePlatform(q.Platform)
	if err != nil {
		platform = 0 // auto
	}
	seen, asked := map[string]bool{}, map[string][]string{}
	for i, id := range q.IDs {
		if slices.Contains(q.IDs[:i], id) {
			continue
		}
		c, ok := v.Lookup(platform, id)
		if !seen[strings.ToLower(id)] {
			seen[strings.ToLower(id)] = true
			out.Counts.Requested++
			if ok {
				out.Data.Items = append(out.Data.Items, p.item(c))
			} else {
				out.Counts.NotFound++
			}
		}
		if ok {
			asked[c.ID()] = append(asked[c.ID()], id)
			continue
		}
		out.Data.NotFound = append(out.Data.NotFound, id)
		if now := v.Moved(platform, id); now != nil {
			out.Data.Moved = map[string][]string{id: now}
		}
	}
	for i := range out.Data.Items {
		item := &out.Data.Items[i]
		if ids := asked[item.ID]; !slices.Equal(ids, []string{item.ID}) {
			item.RequestedIDs = ids
		}
	}
	out.Counts.Resolved = len(out.Data.Items)
	for _, item := range out.Data.Items {
		for _, r := range item.Regions {
			if !slices.Contains(out.Regions, r.key) {
				out.Regions = append(out.Regions, r.key)
			}
		}
	}
	if slices.Contains(q.Include, "fx") {
		out.Data.ExchangeRates = v.Rates.AppendJSON(nil)
	}
	return out
}

// drawSteps draws what an entry showed before its present price.
func drawSteps(t *rapid.T, e *catalog.Entry) (steps []history.Step) {
	at := max(e.PricedAt, 1)
	for range rapid.IntRange(1, 4).Draw(t, "steps") {
		p := anyPrice(t)
		p.DiscountEndsAt = 0
		if e.Price != nil {
			p.Currency = e.Price.Currency
		}
		if at -= catalog.Millis(rapid.SampledFrom([]int64{1, hour, 40 * day, 300 * day}).Draw(t, "before")); at <= 0 {
			break
		}
		steps = append(steps, history.StepOf(at, &p))
	}
	slices.Reverse(steps)
	return steps
}

// tokens returns the tokens of JSON text in order, numbers as they are written.
func tokens(t *rapid.T, text []byte) (list []json.Token) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	for {
		token, err := d.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		list = append(list, token)
	}
}

// TestBulkAgreesWithStructs sends requests for one catalog after another to one
// API, each at several times and with several rates: what it keeps of the last must not show in the next.
func TestBulkAgreesWithStructs(t *testing.T) {
	w := newWorld(t, unlimited)
	defer func() {
		if hits, misses := w.api.ItemCounts(); hits == 0 || misses == 0 {
			t.Errorf("%d items from the cache, %d others", hits, misses)
		}
	}()
	rapid.Check(t, func(rt *rapid.T) {
		s := drawCatalog(rt)
		for n := range s.in.Entries {
			if rapid.Bool().Draw(rt, "has changed") {
				s.past(t, uint32(n), drawSteps(rt, &s.in.Entries[n]))
			}
		}
		snapshot, published := s.open(t), sampleManifest(t)
		v := index.NewView(snapshot, published)
		w.live.Swap(v)
		q := drawQuestion(rt, s)
		for range 8 {
			switch rapid.IntRange(0, 6).Draw(rt, "change") {
			case 0:
				q = drawQuestion(rt, s)
			case 1:
				published.Rates = parseRates(t, fmt.Sprintf(`{"UAH":%d,"JPY":155.2}`, rapid.IntRange(41, 42).Draw(rt, "rate")))
				v = index.NewView(snapshot, published)
				w.live.Swap(v)
			case 2:
				w.now.Store(start + rapid.SampledFrom([]int64{-2000, 0, 5000, day}).Draw(rt, "later"))
			}
			body, err := json.Marshal(q)
			if err != nil {
				rt.Fatal(err)
			}
			asked, err := catalog.ParsePlatform(q.Platform)
			if err == nil && !slices.ContainsFunc(s.in.Cards, func(c catalog.Card) bool { return c.Platform == asked }) {
				w.post(string(body)).code(503, "UPSTREAM_ERROR")
				continue
			}
			got := w.post(string(body)).want(200).body
			want := plainly(v, w.now.Load(), q)
			var sent struct{ Meta json.RawMessage }
			if err := json.Unmarshal(got, &sent); err != nil {
				rt.Fatalf("%v in %s", err, got)
			}
			want.Meta = sent.Meta
			text, err := json.Marshal(want)
			if err != nil {
				rt.Fatal(err)
			}
			if diff := cmp.Diff(tokens(rt, text), tokens(rt, got)); diff != "" {
				rt.Fatalf("%s\nwant %s\ngot  %s\n%s", body, text, got, diff)
			}
		}
	})
}
