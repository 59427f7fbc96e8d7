package web

import (
	"strings"
	"testing"
	"time"
)

// TestLeft checks how long a discount still lasts, and that the page is valid until that changes.
func TestLeft(t *testing.T) {
	ls, err := loadLanguages()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC)
	site := &Site{}
	site.Now = func() time.Time { return now }
	for _, tt := range []struct {
		left    time.Duration
		want    [3]string
		changes time.Duration
	}{
		{10 * time.Minute, [3]string{"less than an hour left", "осталось меньше часа", "лишилося менше години"}, 10 * time.Minute},
		{time.Hour, [3]string{"1 hour left", "ещё 1 час", "ще 1 година"}, 0},
		{22*time.Hour + time.Minute, [3]string{"22 hours left", "ещё 22 часа", "ще 22 години"}, time.Minute},
		{47 * time.Hour, [3]string{"1 day left", "ещё 1 день", "ще 1 день"}, 23 * time.Hour},
		{3*24*time.Hour + time.Second, [3]string{"3 days left", "ещё 3 дня", "ще 3 дні"}, time.Second},
		{11 * 24 * time.Hour, [3]string{"11 days left", "ещё 11 дней", "ще 11 днів"}, 0},
	} {
		for i, l := range ls.all {
			v := &Visit{site: site, language: l}
			if got := string(v.Left(now.Add(tt.left).UnixMilli())); !strings.Contains(got, ">"+tt.want[i]+"<") {
				t.Errorf("%s: %v: %s, want %q", l.Code, tt.left, got, tt.want[i])
			}
			if want := now.Add(tt.changes).UnixMilli() + 1; v.until != want {
				t.Errorf("%s: %v: the page is valid for %d ms, want %d", l.Code, tt.left, v.until-now.UnixMilli(), want-now.UnixMilli())
			}
		}
	}
}
