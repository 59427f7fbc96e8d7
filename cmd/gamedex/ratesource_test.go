package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/money"
	"gamedex/internal/testing/storesim"
)

// banks returns the flags that name the world's two banks.
func (s *simulated) banks() []string {
	return []string{"--ecb-url", s.url + "/rates/ecb.xml", "--nbu-url", s.url + "/rates/nbu.json"}
}

// TestRatesOfTheBanks checks that the service fetches the banks' table without
// a command, serves it, and keeps an imported table until a refresh.
func TestRatesOfTheBanks(t *testing.T) {
	t.Parallel()
	world := simulate(t, storesim.Config{Seed: 1, ConsoleGames: 1, PCGames: 1, Regions: fourRegions}, nil)
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	_, token := newKey(t, dir, highLimits...)
	s := start(t, dir, append(world.banks(), "--rates", "auto")...)
	user := newUser(t, s.api, token)
	a := user.eventually("/catalog/exchange-rates", func(a answer) bool { return a.status == 200 })
	want := world.world.Rates()
	for _, c := range []string{"UAH", "TRY", "PLN", "INR"} {
		if rate := a.at("data.rates." + c); rate == nil {
			t.Errorf("no rate of %s: %.300s", c, a.body)
		}
	}
	a.is("data.base", `"USD"`)
	// Conversions agree with the exact table, within the banks' digits.
	collected := tableOf(t, a)
	for _, c := range []money.Currency{"UAH", "TRY", "PLN", "INR", "EUR", "JPY"} {
		exact, ok1 := want.USD(c).Cents(123_456_700)
		got, ok2 := collected.USD(c).Cents(123_456_700)
		if !ok1 || !ok2 || max(got-exact, exact-got) > exact/100_000 {
			t.Errorf("1,234,567 %s are %d cents, want %d (%v %v)", c, got, exact, ok2, ok1)
		}
	}

	own := strings.Replace(string(collected.AppendJSON(nil)), `"updatedAt":"`, `"updatedAt":"2020-01-01T00:00:00Z","was":"`, 1)
	must(t, dir, own, "rates", "import", "-")
	user.eventually("/catalog/exchange-rates", func(a answer) bool { return a.text("data.updatedAt") == "2020-01-01T00:00:00.000Z" })
	out := must(t, dir, "", append([]string{"rates", "refresh"}, world.banks()...)...)
	if !strings.Contains(out, "ecb+nbu: rates of") || !strings.Contains(out, "stored") {
		t.Errorf("rates refresh prints %q", out)
	}
	user.eventually("/catalog/exchange-rates", func(a answer) bool {
		return cmp.Equal(tableOf(t, a).AppendJSON(nil), collected.AppendJSON(nil))
	})
}

// tableOf reads the table in an answer.
func tableOf(t *testing.T, a answer) money.Rates {
	t.Helper()
	_, data, _ := strings.Cut(string(a.body), `"data":`)
	end := strings.LastIndex(data, `,"meta"`)
	if end < 0 {
		t.Fatalf("no table in %.500s", a.body)
	}
	rates, err := money.ParseRates([]byte(data[:end]))
	if err != nil {
		t.Fatalf("%v: %.500s", err, data)
	}
	return rates
}

// TestRatesRefused checks that a table with a jump is refused with a reason,
// and that the last one stays.
func TestRatesRefused(t *testing.T) {
	t.Parallel()
	world := simulate(t, storesim.Config{Seed: 2, ConsoleGames: 1, PCGames: 1, Regions: fourRegions}, nil)
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	must(t, dir, "", append([]string{"rates", "refresh"}, world.banks()...)...)
	world.world.SetRate("UAH", "4.1")
	r := run(t, dir, "", append([]string{"rates", "refresh"}, world.banks()...)...)
	if r.status != 1 || !strings.Contains(r.stderr, "UAH") || !strings.Contains(r.stderr, "rates import") {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
	s := start(t, dir)
	_, token := newKey(t, dir, highLimits...)
	newUser(t, s.api, token).eventually("/catalog/exchange-rates", func(a answer) bool {
		return a.status == 200 && a.at("data.rates.UAH") != nil
	})
}

// TestRatesFromOwnTable checks that an operator's file or address replaces the
// banks, that a key and a table together are refused, and that a key is never
// shown.
func TestRatesFromOwnTable(t *testing.T) {
	world := simulate(t, storesim.Config{Seed: 1, ConsoleGames: 1, PCGames: 1, Regions: fourRegions}, nil)
	dir := t.TempDir()
	must(t, dir, "", "import", "testdata/feed.ndjson")
	table := filepath.Join(dir, "rates.json")
	writeFile(t, table, string(world.world.Rates().AppendJSON(nil)))
	if out := must(t, dir, "", "rates", "refresh", "--rates-from", table); !strings.Contains(out, "file: rates of") {
		t.Errorf("rates refresh prints %q", out)
	}
	const key = "0123456789abcdef0123456789abcdef"
	r := run(t, dir, "", "rates", "refresh", "--rates-from", table, "--openexchangerates-key", key)
	if r.status != 1 || strings.Contains(r.stderr, key) {
		t.Errorf("status %d, %q", r.status, r.stderr)
	}
	out := must(t, dir, "", "rates", "refresh", "--openexchangerates-key", key, "--openexchangerates-url", world.url+"/rates/oxr.json")
	if !strings.Contains(out, "openexchangerates: rates of") || strings.Contains(out, key) {
		t.Errorf("rates refresh prints %q", out)
	}
}
