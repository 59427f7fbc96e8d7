package storesim_test

import (
	"encoding/xml"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"gamedex/internal/money"
	"gamedex/internal/testing/storesim"
)

func fetch(t *testing.T, address string) (int, []byte) {
	t.Helper()
	answer, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = answer.Body.Close() }()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, body
}

type ecbTable struct {
	Day struct {
		Time  string `xml:"time,attr"`
		Rates []struct {
			Currency string  `xml:"currency,attr"`
			Rate     float64 `xml:"rate,attr"`
		} `xml:"Cube"`
	} `xml:"Cube>Cube"`
}

type nbuRate struct {
	CC, ExchangeDate string
	Rate             float64
}

// TestProvidersAgree compares the tables of all providers through the dollar.
func TestProvidersAgree(t *testing.T) {
	w, _ := newWorld(1, 1, 1, regions("UA"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	w.SetRate("TRY", "84.5")
	w.SetRate("PLN", "")

	_, body := fetch(t, server.URL+storesim.ECBPath)
	var ecb ecbTable
	if err := xml.Unmarshal(body, &ecb); err != nil {
		t.Fatal(err)
	}
	if want := start.Format(time.DateOnly); ecb.Day.Time != want || !strings.Contains(string(body), "time='"+want+"'") {
		t.Errorf("date of the bank is %q, want %q in single quotes", ecb.Day.Time, want)
	}
	perEuro := map[string]float64{"EUR": 1}
	for _, r := range ecb.Day.Rates {
		perEuro[r.Currency] = r.Rate
	}
	_, body = fetch(t, server.URL+storesim.NBUPath)
	perDollarNBU := make(map[string]float64)
	nbu := decode[[]nbuRate](t, body)
	for _, r := range nbu {
		if r.ExchangeDate != "20.11.2026" {
			t.Errorf("date of %s is %q", r.CC, r.ExchangeDate)
		}
		perDollarNBU[r.CC] = 1 / r.Rate
	}
	_, body = fetch(t, server.URL+storesim.OXRPath+"?app_id=k")
	oxr := decode[struct {
		Timestamp int64
		Base      string
		Rates     map[string]float64
	}](t, body)
	if oxr.Base != "USD" || oxr.Timestamp != start.Unix() {
		t.Errorf("base %s of %d, want USD of %d", oxr.Base, oxr.Timestamp, start.Unix())
	}
	_, body = fetch(t, server.URL+storesim.TablePath)
	table := decode[struct{ Rates map[string]float64 }](t, body).Rates

	if table["TRY"] != 84.5 || table["PLN"] != 0 {
		t.Errorf("TRY is %v and PLN %v, want 84.5 and none", table["TRY"], table["PLN"])
	}
	if perEuro["UAH"] != 0 || perEuro["USD"] == 0 {
		t.Error("the euro's bank has hryvnias, or no dollars")
	}
	for c, want := range table {
		near(t, "oxr "+c, oxr.Rates[c], want)
		if perEuro[c] != 0 {
			near(t, "ecb "+c, perEuro[c]/perEuro["USD"], want)
		}
		if c != "UAH" {
			near(t, "nbu "+c, perDollarNBU[c]/perDollarNBU["USD"], want)
		}
	}
	rates := w.Rates()
	if cents, ok := rates.USD("TRY").Cents(8450); !ok || cents != 100 {
		t.Errorf("84.50 TRY are %d cents, want 100", cents)
	}
	if rates.Base() != money.USD {
		t.Errorf("base is %s", rates.Base())
	}
}

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got/want-1) > 1e-4 {
		t.Errorf("%s is %s, want %s", what, strconv.FormatFloat(got, 'g', -1, 64), strconv.FormatFloat(want, 'g', -1, 64))
	}
}

func TestKeyIsRequired(t *testing.T) {
	w, _ := newWorld(1, 1, 1, regions("UA"))
	server := httptest.NewServer(w.Handler())
	defer server.Close()
	status, body := fetch(t, server.URL+storesim.OXRPath)
	if status != http.StatusUnauthorized || !strings.Contains(string(body), "missing_app_id") {
		t.Errorf("without a key: %d %s", status, body)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+storesim.OXRPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Token secret")
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	_ = answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		t.Errorf("with a key: %d", answer.StatusCode)
	}
}
