package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/money"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/storesim"
)

// TestRatesOfAllActiveRegions checks that a table without a currency of an active
// region is imported only with --partial.
func TestRatesOfAllActiveRegions(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, soldIn("US", "DE", "JP"), "import", "-")
	const table = `{"base":"USD","rates":{"USD":1,"JPY":150},"updatedAt":"2026-11-20T03:00:00Z"}`
	r := run(t, dir, table, "rates", "import", "-")
	if r.status != statusFailed || !strings.Contains(r.stderr, "rates -: no rate of EUR, which active regions need; to import it anyway: --partial") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	const warning = "no rate of EUR: prices in a currency without a rate have no usd"
	if out := must(t, dir, table, "rates", "import", "--partial", "-"); !strings.Contains(out, warning) {
		t.Errorf("rates import --partial printed %q", out)
	}
	must(t, dir, "\ufeff"+strings.Replace(table, `"JPY"`, `"EUR":0.9,"JPY"`, 1), "rates", "import", "-")

	// The default regions are active as soon as one has a listing, the others are not. Those
	// without a listing need no rate.
	must(t, dir, soldIn("UA"), "import", "-")
	out := must(t, dir, `{"base":"USD","rates":{"UAH":42,"JPY":150},"updatedAt":"2026-11-20T03:00:00Z"}`,
		"rates", "import", "-")
	if !strings.Contains(out, warning) {
		t.Errorf("rates import printed %q", out)
	}
}

// TestWithoutRates checks that a service without a table says so, if there are prices that need one.
func TestWithoutRates(t *testing.T) {
	t.Parallel()
	const warning = "there are no exchange rates: prices in EUR have no usd"
	dir := t.TempDir()
	must(t, dir, soldIn("US"), "import", "-")
	s := start(t, dir, "--active-regions", "US,DE", "--rates", "off")
	s.readyzSays("ready", "")
	if _, body := fetch(t, "GET", s.ops+"/readyz"); strings.Contains(body, "exchange rates") {
		t.Errorf("prices in dollars need no rates: %s", body)
	}
	must(t, dir, strings.Replace(soldIn("DE"), "USD", "EUR", 1), "import", "-")
	s.readyzSays("ready", warning)
	must(t, dir, `{"base":"USD","rates":{"EUR":0.9},"updatedAt":"2026-11-20T03:00:00Z"}`, "rates", "import", "-")
	await.That(t, "a table", func() bool {
		_, body := fetch(t, "GET", s.ops+"/readyz")
		return !strings.Contains(body, warning)
	})
}

// TestRatesWithBadEntries checks that one bad entry does not spoil a table, and that an
// invalid rate of a known currency counts as missing.
func TestRatesWithBadEntries(t *testing.T) {
	dir := t.TempDir()
	must(t, dir, soldIn("US", "DE"), "import", "-")
	r := run(t, dir, `{"base":"USD","rates":{"EUR":0.9,"BGN":1.68},"updatedAt":"2026-11-20T00:00:00Z"}`, "rates", "import", "-")
	if r.status != 0 || r.stderr != "skipped: \"BGN\" (no ISO 4217 code in use at the time of the table)\n" || r.stdout != "rates of 1 currency to USD, updated 2026-11-20T00:00:00.000Z\n" {
		t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
	const needed = `{"base":"USD","rates":{"EUR":0,"TRY":40},"updatedAt":"2026-11-20T00:00:00Z"}`
	r = run(t, dir, needed, "rates", "import", "-")
	if r.status != statusFailed || !strings.Contains(r.stderr, `skipped: EUR ("0" must be above zero)`) || !strings.Contains(r.stderr, "no rate of EUR, which active regions need") {
		t.Errorf("status %d, %s", r.status, r.stderr)
	}
	if r := run(t, dir, `{"base":"USD","rates":{"EUR":0.9,"USD":null},"updatedAt":"2026-11-20T00:00:00Z"}`, "rates", "import", "-"); r.status != 0 {
		t.Errorf("the rate of the base: status %d, %s", r.status, r.stderr)
	}
}

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
