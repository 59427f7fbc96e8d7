package storesim

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"gamedex/internal/money"
)

// usdRates are units per dollar, near those of late 2025. It must not be
// changed.
var usdRates = map[money.Currency]string{
	"USD": "1", "UAH": "42.05", "TRY": "42.38", "PLN": "3.66", "INR": "88.71", "EUR": "0.8642", "JPY": "156.4", "KZT": "521.3",
	"GBP": "0.7598", "CHF": "0.8061", "SEK": "9.49", "NOK": "10.12", "DKK": "6.455", "CZK": "20.91", "HUF": "331.2", "RON": "4.398",
	"AUD": "1.542", "NZD": "1.771", "CAD": "1.403", "BRL": "5.331", "MXN": "18.39", "KRW": "1468.9", "CNY": "7.114", "HKD": "7.784",
	"TWD": "31.22", "SGD": "1.303", "THB": "32.44", "IDR": "16705", "MYR": "4.151", "ZAR": "17.19", "ILS": "3.262",
}

// fixedRate is the rate with which list prices are made: no rate change moves
// them.
func fixedRate(c money.Currency) float64 {
	f, err := strconv.ParseFloat(usdRates[c], 64)
	if err != nil {
		return 1
	}
	return f
}

// rateTable is the table that the providers serve now.
type rateTable struct {
	mu    sync.Mutex
	units map[money.Currency]string
}

func (t *rateTable) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.units = maps.Clone(usdRates)
}

// all returns a copy of the table.
func (t *rateTable) all() map[money.Currency]string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return maps.Clone(t.units)
}

// SetRate sets how many units of a currency a dollar is worth at all providers, as a
// decimal; "" removes the currency from their tables. Prices do not change.
func (w *World) SetRate(c money.Currency, units string) {
	w.rates.mu.Lock()
	defer w.rates.mu.Unlock()
	if units == "" {
		delete(w.rates.units, c)
		return
	}
	w.rates.units[c] = units
}

// Rates returns the providers' table, exactly. It panics if SetRate made it one
// that no reader accepts.
func (w *World) Rates() money.Rates {
	rates, err := money.NewRates(money.USD, w.rates.all(), w.rateDay().UnixMilli())
	if err != nil {
		panic("storesim: " + err.Error())
	}
	return rates
}

// table returns the rates as numbers, and their currencies sorted.
func (t *rateTable) table() (map[money.Currency]float64, []money.Currency) {
	units := t.all()
	numbers := make(map[money.Currency]float64, len(units))
	for c, s := range units {
		numbers[c], _ = strconv.ParseFloat(s, 64)
	}
	return numbers, slices.Sorted(maps.Keys(units))
}

// rateDay returns the date of the rates.
func (w *World) rateDay() time.Time { return w.now().UTC().Truncate(24 * time.Hour) }

func (w *World) handleRates(mux *http.ServeMux) {
	for path, answer := range map[string]func(*http.Request) (status int, contentType, body string){
		ECBPath: w.ecb, NBUPath: w.nbu, oxrPath: w.oxr,
		TablePath: func(*http.Request) (int, string, string) {
			return http.StatusOK, "application/json", string(w.Rates().AppendJSON(nil))
		},
	} {
		mux.HandleFunc("GET "+path, func(rw http.ResponseWriter, r *http.Request) {
			status, contentType, body := answer(r)
			page(rw, status, contentType, body)
		})
	}
}

// notAtECB lists currencies that the bank does not list, nor its own.
const notAtECB = " EUR UAH KZT TWD "

// ecb returns units per euro, rounded to six digits.
func (w *World) ecb(*http.Request) (int, string, string) {
	units, order := w.rates.table()
	var b strings.Builder
	b.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<gesmes:Envelope xmlns:gesmes="http://www.gesmes.org/xml/2002-08-01" xmlns="http://www.ecb.int/vocabulary/2002-08-01/eurofxref">
	<gesmes:subject>Reference rates</gesmes:subject>
	<gesmes:Sender>
		<gesmes:name>European Central Bank</gesmes:name>
	</gesmes:Sender>
	<Cube>
		<Cube time='` + w.rateDay().Format(time.DateOnly) + "'>\n")
	for _, c := range order {
		if !strings.Contains(notAtECB, string(c)) {
			fmt.Fprintf(&b, "\t\t\t<Cube currency='%s' rate='%s'/>\n", c, six(units[c]/units["EUR"]))
		}
	}
	b.WriteString("\t\t</Cube>\n\t</Cube>\n</gesmes:Envelope>")
	return http.StatusOK, "text/xml", b.String()
}

// nbu returns hryvnias per unit, rounded to six digits, with a metal among the
// currencies and needless line breaks.
func (w *World) nbu(*http.Request) (int, string, string) {
	units, order := w.rates.table()
	day := w.rateDay().Format("02.01.2006")
	lines := []string{fmt.Sprintf("{ \n\"r030\":959,\"txt\":\"Золото\",\"rate\":%s,\"cc\":\"XAU\",\"exchangedate\":\"%s\"\n }\n", six(180000), day)}
	for i, c := range order {
		if c != "UAH" {
			lines = append(lines, fmt.Sprintf("{ \n\"r030\":%d,\"txt\":\"Валюта %s\",\"rate\":%s,\"cc\":\"%s\",\"exchangedate\":\"%s\"\n }\n", 100+i, c, six(units["UAH"]/units[c]), c, day))
		}
	}
	return http.StatusOK, "application/json; charset=utf-8", "[\n" + strings.Join(lines, ",") + "]"
}

// six formats six digits, without an exponent.
func six(f float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(f, 'g', 6, 64), 64)
	if err != nil {
		return "0"
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// oxr returns the table of the last full hour, for a request with any key.
func (w *World) oxr(r *http.Request) (int, string, string) {
	if r.URL.Query().Get("app_id") == "" && !strings.HasPrefix(r.Header.Get("Authorization"), "Token ") {
		return http.StatusUnauthorized, "application/json", `{"error":true,"status":401,"message":"missing_app_id","description":"No App ID provided."}`
	}
	all := w.rates.all()
	lines := make([]string, 0, len(all))
	for _, c := range slices.Sorted(maps.Keys(all)) {
		lines = append(lines, fmt.Sprintf("    %q: %s", c, all[c]))
	}
	at := w.now().Truncate(time.Hour).Unix()
	return http.StatusOK, "application/json", fmt.Sprintf("{\n  \"disclaimer\": \"Usage subject to terms\",\n  \"license\": \"see there\",\n  \"timestamp\": %d,\n  \"base\": \"USD\",\n  \"rates\": {\n%s\n  }\n}",
		at, strings.Join(lines, ",\n"))
}
