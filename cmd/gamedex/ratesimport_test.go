package main

import (
	"strings"
	"testing"
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

	// The default regions are active as soon as one has a listing, the others are not.
	must(t, dir, soldIn("UA"), "import", "-")
	out := must(t, dir, `{"base":"USD","rates":{"UAH":42,"TRY":42,"PLN":3.6,"INR":89,"JPY":150},"updatedAt":"2026-11-20T03:00:00Z"}`,
		"rates", "import", "-")
	if !strings.Contains(out, warning) {
		t.Errorf("rates import printed %q", out)
	}
}

// TestRatesAnswerIsImportable checks that a saved answer of /catalog/exchange-rates
// can be imported as it is.
func TestRatesAnswerIsImportable(t *testing.T) {
	s := shared.open(t)
	answer := s.user(t).get("/catalog/exchange-rates").want(200)
	dir := t.TempDir()
	must(t, dir, soldIn("US"), "import", "-")
	out := must(t, dir, string(answer.body), "rates", "import", "-")
	if !strings.HasPrefix(out, "rates of 6 currencies to USD") {
		t.Errorf("rates import printed %q", out)
	}
}
