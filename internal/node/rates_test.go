package node

import (
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/sqldb"
)

// TestRatesOfTheDay checks that a table that an operator imports and one that is fetched
// are kept as those of the day of the clock, whatever the time of their rates.
func TestRatesOfTheDay(t *testing.T) {
	now := time.Date(2026, 11, 20, 23, 0, 0, 0, time.UTC)
	db := openAt(t, now)
	table := func(hryvnias string) money.Rates {
		t.Helper()
		r, err := money.NewRates("USD", map[money.Currency]string{"UAH": hryvnias}, now.Add(-48*time.Hour).UnixMilli())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := table("41")
	if err := SaveRates(t.Context(), db, first, "import", now); err != nil {
		t.Fatal(err)
	}
	want := []history.DayRates{{Day: catalog.MillisOf(now).Day(), Body: first.AppendJSON(nil), Source: "import", TakenAt: catalog.MillisOf(now)}}

	now = now.Add(2 * time.Hour)
	second := table("42")
	file := filepath.Join(t.TempDir(), "rates.json")
	if err := os.WriteFile(file, second.AppendJSON(nil), 0o600); err != nil {
		t.Fatal(err)
	}
	loop, err := RateConfig{RatesFrom: file}.Open(Environment{DB: db, ActiveRegions: []catalog.Region{{'U', 'A'}},
		Now: func() time.Time { return now }, Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	if result, err := loop.Refresh(t.Context()); err != nil || !result.Changed {
		t.Fatalf("Refresh: %+v, %v", result, err)
	}
	want = append(want, history.DayRates{Day: want[0].Day + 1, Body: second.AppendJSON(nil), Source: "file", TakenAt: catalog.MillisOf(now)})
	if diff := cmp.Diff(want, ratesOfDays(t, db, want[1].Day)); diff != "" {
		t.Errorf("tables of days (-want +got):\n%s", diff)
	}
}

// ratesOfDays returns the tables of all days up to one.
func ratesOfDays(t *testing.T, db *sqldb.DB, last int64) (list []history.DayRates) {
	t.Helper()
	err := db.Nodes.EachDayRates(t.Context(), 0, last, func(r history.DayRates) error {
		r.Body = slices.Clone(r.Body)
		list = append(list, r)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestPrivateRateHosts checks that only an address that the operator sets may be in a private network, and that
// only the web is read.
func TestPrivateRateHosts(t *testing.T) {
	own := map[string]bool{"www.ecb.europa.eu": false, "bank.gov.ua": false, "openexchangerates.org": false}
	for _, tt := range []struct {
		set     RateConfig
		instead string          // the provider's host that is not asked
		private map[string]bool // besides those of the providers
	}{
		{RateConfig{}, "", nil},
		{RateConfig{ECBURL: "http://10.0.0.5:81/ecb"}, "www.ecb.europa.eu", map[string]bool{"10.0.0.5:81": true}},
		{RateConfig{NBUURL: "https://rates.lan/nbu"}, "bank.gov.ua", map[string]bool{"rates.lan": true}},
		{RateConfig{OXRKey: "key", OXRURL: "http://127.0.0.1/"}, "openexchangerates.org", map[string]bool{"127.0.0.1": true}},
		{RateConfig{RatesFrom: "http://127.0.0.1:8000/table"}, "", map[string]bool{"127.0.0.1:8000": true}},
		{RateConfig{RatesFrom: "/etc/rates.json"}, "", nil},
	} {
		hosts, err := tt.set.hosts()
		if err != nil {
			t.Fatal(err)
		}
		want, got := maps.Clone(own), map[string]bool{}
		maps.Copy(want, tt.private)
		delete(want, tt.instead)
		for _, h := range hosts {
			got[h.Name] = h.PrivateAddresses
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%+v: hosts that may be private (-want +got):\n%s", tt.set, diff)
		}
	}
	for _, address := range []string{"file:///etc/passwd", "ftp://rates.example/", "gopher://127.0.0.1/", "http://", "http:///etc/passwd", "https://?x"} {
		if (RateConfig{RatesFrom: address}).Check() == nil || (RateConfig{ECBURL: address}).Check() == nil {
			t.Errorf("%s is accepted", address)
		}
	}
}
