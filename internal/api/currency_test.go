package api_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// TestConverted checks the price of one region in another currency, in bulk prices
// and on the card. The sample's rates per dollar: UAH 41.3, TRY 34.5, PLN 4.09,
// INR 84.4, JPY 155.2.
func TestConverted(t *testing.T) {
	for _, c := range []struct {
		name     string
		price    *catalog.Price
		currency string
		want     string
	}{
		{"in dollars as usd", number("UAH", 12345), "USD", `{"currency":"USD","value":299,"formatted":"$2.99"}`},
		{"hundredths of yen", number("UAH", 149900), "JPY", `{"currency":"JPY","value":563305,"formatted":"￥5,633.05"}`},
		{"the same currency", number("UAH", 149901), "UAH", `{"currency":"UAH","value":149901,"formatted":"1 499,01 ₴"}`},
		{"the same without a rate", number("KZT", 149900), "KZT", `{"currency":"KZT","value":149900,"formatted":"1 499,00 ₸"}`},
		{"no rate of the price", number("KZT", 149900), "USD", "null"},
		{"no rate of the currency", number("UAH", 149900), "EUR", "null"},
		{"free", number("UAH", 0), "USD", `{"currency":"USD","value":0,"formatted":"$0.00"}`},
		{"free without a rate", number("UAH", 0), "EUR", "null"},
		{"a discount", number("UAH", 82600, off(41300, start+1)), "USD", `{"currency":"USD","value":1000,"formatted":"$10.00"}`},
		{"a discount that has ended", number("UAH", 82600, off(41300, start)), "USD", `{"currency":"USD","value":2000,"formatted":"$20.00"}`},
		{"a doubtful price", number("UAH", 41300, doubtful), "USD", `{"currency":"USD","value":1000,"formatted":"$10.00"}`},
		{"a text", onlyText("UAH", "Скоро"), "UAH", "null"},
		{"the largest", number("UAH", 1<<63-1), "UAH", `{"currency":"UAH","value":9223372036854775807,"formatted":"92 233 720 368 547 758,07 ₴"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSample()
			s.console(catalog.Card{ID: "AAAAAAAA", Type: catalog.Game, Title: "A"}, "P", "", offer{"UA", c.price})
			w := worldOf(t, s)
			for path, object := range map[string]string{
				"/catalog/prices?include=editions&ids=AAAAAAAA&currency=": `"UA":`,
				"/catalog/games/AAAAAAAA?currency=":                       `"price":`,
			} {
				r := w.get(path + c.currency).want(200)
				_, rest, _ := strings.Cut(string(r.body), object)
				_, rest, found := strings.Cut(rest, `"converted":`)
				var got json.RawMessage
				if err := json.NewDecoder(strings.NewReader(rest)).Decode(&got); err != nil || !found {
					t.Fatalf("%v in %s", err, r.body)
				}
				if text := strings.ReplaceAll(string(got), "\u00a0", " "); text != c.want {
					t.Errorf("%s: %s, want %s", path, text, c.want)
				}
			}
		})
	}
}

func TestConvertedWithoutRates(t *testing.T) {
	w := worldWith(t, sampleCatalog(), money.Rates{})
	r := w.get("/catalog/prices?ids="+forge+"&currency=UAH").want(200).is("data.items.0.cheapest", "null").
		is("data.items.0.regions.UA.converted", `{"currency":"UAH","formatted":"1 499,00 ₴","value":149900}`)
	if !bytes.Contains(r.body, []byte(`"usd":null,"converted":null,`)) {
		t.Errorf("the price in Turkey is converted without rates: %s", r.body)
	}
	w.get("/catalog/games/"+forge+"?currency=UAH").want(200).is("data.price.converted.value", "149900")
	w.get("/catalog/games/"+forge+"?currency=USD").want(200).is("data.price.converted", "null")
}

// TestNoRate checks that meta of every answer with prices says that the currency has no rate,
// and that its tag changes when a rate comes.
func TestNoRate(t *testing.T) {
	const whatToDo = `: prices in other currencies are not converted; the operator imports a table of rates that has %s: gamedex rates import FILE`
	for _, path := range []string{"/catalog/prices?ids=" + forge, "/catalog/games/" + forge + "?", "/catalog/pcstore/games/star-forge?", "/catalog/deals?"} {
		t.Run(path, func(t *testing.T) {
			w := worldOf(t, sampleCatalog())
			for query, want := range map[string]string{
				"": "null", "&currency=USD": "null", "&currency=jpy": "null",
				"&currency=rub": fmt.Sprintf(`{"currency":"RUB","message":"no exchange rate for RUB`+whatToDo+`"}`, "RUB"),
			} {
				w.get(path+query).want(200).is("meta.noRate", want)
			}
			before := w.get(path+"&currency=UAH").is("meta.noRate", "null").header.Get("ETag")
			m := sampleManifest(t)
			m.Rates = money.Rates{}
			w.live.Swap(index.NewView(sampleCatalog().open(t), m))
			after := w.get(path+"&currency=UAH").is("meta.noRate.currency", `"UAH"`).is("meta.noRate.message", fmt.Sprintf(`"no exchange rates yet`+whatToDo+`"`, "UAH"))
			if after.header.Get("ETag") == before {
				t.Error("the tag is the same with and without a rate")
			}
		})
	}
	sent := `{"ids":["` + forge + `"],"currency":"RUB"}`
	worldOf(t, sampleCatalog()).do(http.MethodPost, "/catalog/prices", sent, header("Content-Type", "application/json")).want(200).
		is("meta.noRate.currency", `"RUB"`)
}
