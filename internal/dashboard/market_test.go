package dashboard_test

import (
	"net/http"
	"testing"
)

// TestMarketIsKept chooses a country and a currency, and sends what is neither.
func TestMarketIsKept(t *testing.T) {
	v := explorer(t)
	for _, tt := range []struct{ country, currency, want string }{
		{"PL", "PLN", "PL.PLN"},
		{"", "EUR", ".EUR"},
		{"pol", " eur ", "PL.EUR"},
		{"EU", "XXXX", ".USD"},
		{"<script>", "DEM", ".USD"},
		{"", "", ".USD"},
	} {
		p := v.post("/market", "country", tt.country, "currency", tt.currency, "back", "/explore?q=witcher")
		if p.status != http.StatusOK || p.path != "/explore" {
			t.Errorf("%+v: status %d at %s", tt, p.status, p.path)
		}
		if got := v.cookie("market"); got != tt.want {
			t.Errorf("%+v: the cookie holds %q", tt, got)
		}
	}
}
