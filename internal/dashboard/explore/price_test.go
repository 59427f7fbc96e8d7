package explore

import (
	"encoding/json"
	"testing"
	"time"
)

// TestLowBadges checks that a low is marked only where a higher price was seen in its window.
func TestLowBadges(t *testing.T) {
	now := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC).UnixMilli()
	for _, tt := range []struct{ lows, want string }{
		{`null`, ""},
		{`{"allTime":null,"meets":null}`, ""},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.all"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"year":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"year","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.year"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"days90":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"days90","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.days"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":null,"watchedSince":"2026-01-01T00:00:00Z"}`, ""},
		{`{"days90":{"firstAt":"2025-03-01T00:00:00Z","times":1},"meets":"days90","watchedSince":"2025-01-01T00:00:00Z"}`, ""},
		{`{"allTime":{"firstAt":"2026-01-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, ""},
		{`{"allTime":{"firstAt":"2026-01-01T00:00:00Z","times":2},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, "price.low.all"},
	} {
		var l *Lows
		if err := json.Unmarshal([]byte(tt.lows), &l); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, b := range l.Badges(now) {
			got += b.Key
		}
		if got != tt.want {
			t.Errorf("%s: %q, want %q", tt.lows, got, tt.want)
		}
	}
}
