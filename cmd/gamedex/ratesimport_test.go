package main

import (
	"strings"
	"testing"

	"gamedex/internal/testing/await"
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
