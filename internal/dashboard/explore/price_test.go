package explore

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"gamedex/internal/dashboard/web"
)

// TestLowBadges checks that a low is marked only where a higher price was seen in its window, and
// that nothing is said about all time before a year was watched.
func TestLowBadges(t *testing.T) {
	resources, err := web.Load()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 4, 1, 0, 0, 0, 0, time.UTC)
	site, err := web.New(web.Config{PublicURL: "http://localhost", Now: func() time.Time { return now }}, resources)
	if err != nil {
		t.Fatal(err)
	}
	badges := func(language, lows string) (all string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header.Set("Accept-Language", language)
		var l *Lows
		if err := json.Unmarshal([]byte(lows), &l); err != nil {
			t.Fatal(err)
		}
		for _, b := range l.Badges(site.NewVisit(nil, r)) {
			all += b.Text
		}
		return all
	}
	for _, tt := range []struct{ lows, want string }{
		{`null`, ""},
		{`{"allTime":null,"meets":null}`, ""},
		{`{"allTime":{"firstAt":"2026-03-25T00:00:00Z","times":1},"meets":null,"watchedSince":"2026-03-22T00:00:00Z"}`, ""},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, "lowest since 1 Jan 2026"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2025-04-01T00:00:01Z"}`, "lowest since 1 Apr 2025"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2025-04-01T00:00:00Z"}`, "lowest ever seen"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2024-04-01T00:00:00Z"}`, "lowest ever seen"},
		{`{"allTime":{"firstAt":"2024-03-01T00:00:00Z","times":1},"year":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"year","watchedSince":"2024-01-01T00:00:00Z"}`, "lowest in a year"},
		{`{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"days90":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"days90","watchedSince":"2026-01-01T00:00:00Z"}`, "lowest in 90 days"},
		{`{"days90":{"firstAt":"2025-03-01T00:00:00Z","times":1},"meets":"days90","watchedSince":"2025-01-01T00:00:00Z"}`, ""},
		{`{"allTime":{"firstAt":"2026-01-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, ""},
		{`{"allTime":{"firstAt":"2026-01-01T00:00:00Z","times":2},"meets":"allTime","watchedSince":"2026-01-01T00:00:00Z"}`, "lowest since 1 Jan 2026"},
	} {
		if got := badges("en", tt.lows); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.lows, got, tt.want)
		}
	}
	young := `{"allTime":{"firstAt":"2026-03-01T00:00:00Z","times":1},"meets":"allTime","watchedSince":"2026-01-07T00:00:00Z"}`
	for language, want := range map[string]string{"ru": "минимум с 7 янв. 2026", "uk": "мінімум з 7 січ. 2026"} {
		if got := badges(language, young); got != want {
			t.Errorf("%s: %q, want %q", language, got, want)
		}
	}
}
