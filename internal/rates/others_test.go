package rates_test

import (
	"os"
	"path/filepath"
	"testing"

	"gamedex/internal/rates"
)

// TestOtherTables checks that tables and errors in the formats of other providers are
// refused as a whole.
func TestOtherTables(t *testing.T) {
	for name, body := range map[string]string{
		"by date":                `{"amount":1.0,"base":"USD","date":"2026-11-19","rates":{"UAH":44.1,"EUR":0.8531}}`,
		"not found":              `{"message":"not found"}`,
		"by code":                `{"meta":{"last_updated_at":"2026-11-19T23:59:59Z"},"data":{"UAH":{"code":"UAH","value":44.1},"USD":{"code":"USD","value":1}}}`,
		"a bad key":              `{"message":"Invalid authentication credentials"}`,
		"a bad base":             `{"message":"Validation error","errors":{"base_currency":["The selected base currency is invalid."]}}`,
		"by time":                `{"disclaimer":"…","timestamp":1795000000,"base":"USD","rates":{"UAH":44.1}}`,
		"a bank's list":          `[{"r030":840,"txt":"Долар","rate":44.1,"cc":"USD","exchangedate":"20.11.2026"}]`,
		"an error with a status": `{"error":true,"status":400,"message":"not_available","description":"Historical rates are not available"}`,
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "rates.json")
			if err := os.WriteFile(path, []byte(body), 0o600); err != nil {
				t.Fatal(err)
			}
			if r, err := (rates.Table{File: path}).Fetch(t.Context()); err == nil || !r.IsZero() {
				t.Errorf("taken: %s, %v", r.AppendJSON(nil), err)
			}
		})
	}
}
