package index_test

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

func TestPlatformStateEqual(t *testing.T) {
	state := func() index.PlatformState {
		return index.PlatformState{Platform: catalog.ConsoleStore, Status: "operational", Freshness: []catalog.Freshness{{Listings: 5}}}
	}
	if !state().Equal(state()) {
		t.Error("a state differs from itself")
	}
	for name, change := range map[string]func(*index.PlatformState){
		"platform":   func(s *index.PlatformState) { s.Platform = catalog.PCStore },
		"status":     func(s *index.PlatformState) { s.Status = "outage" },
		"collecting": func(s *index.PlatformState) { s.Collecting = true },
		"sweep":      func(s *index.PlatformState) { s.FirstSweepDone = true },
		"age":        func(s *index.PlatformState) { s.Freshness[0].OldestSeen = 1 },
		"regions":    func(s *index.PlatformState) { s.Freshness = nil },
	} {
		other := state()
		change(&other)
		if state().Equal(other) {
			t.Errorf("another %s makes no difference", name)
		}
	}
}

func rates(t *testing.T) money.Rates {
	t.Helper()
	r, err := money.ParseRates([]byte(`{"base":"EUR","rates":{"UAH":45.10,"USD":1.08},"updatedAt":"2026-11-20T00:00:00Z"}`))
	must(t, err)
	return r
}
