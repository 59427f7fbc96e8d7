package explore

import (
	"encoding/json"
	"testing"
)

// TestLowBadges checks that a low is marked only where a higher price was seen before.
func TestLowBadges(t *testing.T) {
	for _, tt := range []struct{ lows, want string }{
		{`null`, ""},
		{`{"allTime":null,"meets":null}`, ""},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.all"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"year","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.year"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"days90","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.days"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":null,"watchedSince":"2026-01-01T00:00:00Z"}`, ""},
		{`{"allTime":{"firstAt":"2026-01-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, ""},
		{`{"allTime":{"firstAt":"2026-01-01T00:00:00Z","times":2},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.all"},
	} {
		var l *lows
		if err := json.Unmarshal([]byte(tt.lows), &l); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, b := range l.badges() {
			got += b.Key
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.lows, got, tt.want)
		}
	}
}
