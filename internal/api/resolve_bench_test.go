package api_test

import (
	"encoding/json"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// BenchmarkResolve compares one request for 1,000 titles with 1,000 searches for them, over
// 100,000 cards of one store: titles as they are; mixed ones, half of which have words of
// shops or the name of an edition that is not sold; and 200 in Russian that nobody sells.
func BenchmarkResolve(b *testing.B) {
	handler, tokens := benchStack(b)
	send := func(i int, r *http.Request) {
		r.Header.Set("Authorization", "Bearer "+tokens[i%len(tokens)])
		w := &discard{header: make(http.Header), status: http.StatusOK}
		if handler.ServeHTTP(w, r); w.status != http.StatusOK {
			b.Fatalf("%s: status %d", r.URL, w.status)
		}
	}
	for kind, more := range map[string][]string{"clean": {""}, "mixed": {"", " PS4 & PS5", "", " Collector's Edition"}, "absent": nil} {
		rng := rand.New(rand.NewPCG(37, 3))
		var titles []string
		for i := range maxResolved {
			if more != nil {
				titles = append(titles, benchTitle(rng.IntN(benchSize))+more[i%len(more)])
			} else if i%5 == 0 {
				titles = append(titles, russianTitle(rng))
			}
		}
		items, err := json.Marshal(map[string]any{"items": titles})
		must(b, err)
		b.Run(kind+"/searches", func(b *testing.B) {
			for b.Loop() {
				for i, title := range titles {
					send(i, httptest.NewRequest(http.MethodGet, "/api/v1/catalog/search?q="+url.QueryEscape(title), nil))
				}
			}
		})
		b.Run(kind+"/resolve", func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				send(i, httptest.NewRequest(http.MethodPost, "/api/v1/catalog/resolve", strings.NewReader(string(items))))
			}
		})
	}
}

// maxResolved is the most items of a request.
const maxResolved = 1000

// russianTitle returns a title of two words that no card has.
func russianTitle(rng *rand.Rand) string {
	first := strings.Fields("Тихий Багровый Железный Потерянный Странствующий Далёкий Бархатный Затонувший Обсидиановый Кривой")
	second := strings.Fields("Порт Меридиан Фонарь Бастион Воробей Двигатель Монарх Путник Пилигрим Реактор Сокол Собор Ледник Сигнал")
	return first[rng.IntN(len(first))] + " " + second[rng.IntN(len(second))]
}
