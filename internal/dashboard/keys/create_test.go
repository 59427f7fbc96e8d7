package keys

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"gamedex/internal/quota"
)

func TestFormKeyID(t *testing.T) {
	now := time.Date(2026, 3, 10, 5, 30, 0, 0, time.UTC).UnixMilli()
	day := formLifetime.Milliseconds()
	once, err := newFormToken(now, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, random, _ := strings.Cut(once, ".")
	first, ok := formKeyID(once, "usr_a", now)
	if later, _ := formKeyID(once, "usr_a", now+day-1); !ok || first != later {
		t.Errorf("one form makes keys %q and %q", first, later)
	}
	if other, _ := formKeyID(once, "usr_b", now); other == first {
		t.Error("another user's form makes the same key")
	}
	if again, _ := newFormToken(now, rand.Reader); again == once {
		t.Errorf("two forms have the token %s", once)
	}
	for name, tt := range map[string]struct {
		once string
		now  int64
	}{
		"empty":         {"", now},
		"no time":       {"." + random, now},
		"no number":     {"!." + random, now},
		"negative":      {"-zz." + random, now},
		"out of range":  {"zzzzzzzzzzzzzzzzzzzz." + random, now},
		"no random":     {strings.TrimSuffix(once, random), now},
		"too short":     {once[:len(once)-1], now},
		"too long":      {once + "A", now},
		"too old":       {once, now + day},
		"of the future": {once, now - 61_000},
	} {
		if id, ok := formKeyID(tt.once, "usr_a", tt.now); ok {
			t.Errorf("%s: %q makes the key %s", name, tt.once, id)
		}
	}
}

func TestExpiresAt(t *testing.T) {
	now := time.Date(2026, 3, 10, 23, 59, 59, 0, time.UTC)
	at := func(text string) int64 {
		day, err := time.Parse(time.RFC3339Nano, text)
		if err != nil {
			t.Fatal(err)
		}
		return day.UnixMilli()
	}
	for _, tt := range []struct {
		expires, until string
		want           int64 // -1: refused
	}{
		{"never", "", 0}, {"30", "", at("2026-04-09T23:59:59Z")}, {"90", "", at("2026-06-08T23:59:59Z")},
		{"year", "", at("2027-03-10T23:59:59Z")},
		{"date", "2026-03-10", at("2026-03-10T23:59:59.999Z")}, // today, to its end
		{"date", "2026-03-11", at("2026-03-11T23:59:59.999Z")},
		{"date", "2028-02-29", at("2028-02-29T23:59:59.999Z")},
		{"date", "9999-12-31", at("9999-12-31T23:59:59.999Z")},
		{"date", "2026-03-09", -1}, {"date", "", -1}, {"date", "2027-02-29", -1}, {"date", "tomorrow", -1},
		{"date", "10000-01-01", -1}, {"date", "0000-01-01", -1}, {"date", "2027-1-1", -1},
		{"", "", -1}, {"365", "", -1}, {"Never", "", -1},
	} {
		got, ok := keyForm{Expires: tt.expires, Until: tt.until}.expiresAt(now.UnixMilli())
		if !ok {
			got = -1
		}
		if got != tt.want {
			t.Errorf("%q %q: %d, want %d", tt.expires, tt.until, got, tt.want)
		}
	}
}

func TestGauge(t *testing.T) {
	for _, tt := range []struct{ used, limit, percent int }{{0, 30, 0}, {1, 43_200, 1}, {15, 30, 50}, {30, 30, 100}, {0, 0, 0}} {
		g := gaugeOf(quota.Window{Limit: tt.limit, Used: tt.used, Remaining: tt.limit - tt.used})
		if g.Percent != tt.percent || g.Full != (tt.used == tt.limit) || !g.Known {
			t.Errorf("%d of %d: %+v, want %d %%", tt.used, tt.limit, g, tt.percent)
		}
	}
}
