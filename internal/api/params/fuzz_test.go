package params

import (
	"math/big"
	"net/url"
	"strings"
	"testing"
	"time"

	"gamedex/internal/index"
	"gamedex/internal/money"
)

// queryOf returns a query with one parameter.
func queryOf(text string) *Query {
	q := new(Query)
	q.Parse("x=" + url.QueryEscape(text))
	return q
}

// FuzzDuration compares durations of minutes and hours with those of the standard library.
func FuzzDuration(f *testing.F) {
	for _, seed := range []string{"", "90m", "48h", "7d", "3650d", "3651d", "0m", "1.5h", "-1h", "+1h", "1H", " 2d ", "1h30m", "d", "٣d", "9223372036854775807m", "0x1h", "1_0m"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := queryOf(text)
		ms := q.Duration("x")
		if (ms == 0) == (q.Err() == nil && text != "") {
			t.Fatalf("%q is %d ms, error %v", text, ms, q.Err())
		}
		if ms == 0 {
			return
		}
		sent, days := strings.CutSuffix(strings.ToLower(strings.TrimSpace(text)), "d")
		if days {
			sent += "h"
		}
		want, err := time.ParseDuration(sent)
		if days {
			want *= 24
		}
		if err != nil || want.Milliseconds() != ms || ms > maxDuration {
			t.Fatalf("%q is %d ms, want %v, %v", text, ms, want, err)
		}
	})
}

// FuzzDollars compares amounts with rational numbers.
func FuzzDollars(f *testing.F) {
	for _, seed := range []string{"", "0", "19.99", "20", "20.5", "007.10", ".5", "5.", "1e3", "-1", "1/2", "19,99", "90071992547409.92", "99999999999999999999.99", " 1 "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := queryOf(text)
		cents := q.Dollars("x")
		if q.Err() != nil {
			return
		}
		if text == "" {
			if cents != money.None {
				t.Fatalf("nothing is %d cents", cents)
			}
			return
		}
		exact, ok := new(big.Rat).SetString(strings.TrimSpace(text))
		if !ok || exact.Mul(exact, big.NewRat(100, 1)).Cmp(big.NewRat(int64(cents), 1)) != 0 || cents > maxHundredths {
			t.Fatalf("%q is %d cents, want %v", text, cents, exact)
		}
	})
}

// FuzzDates checks that an accepted date is the one that its number and its instant stand for.
func FuzzDates(f *testing.F) {
	for _, seed := range []string{"", "2026-11-20", "2024-02-29", "2026-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "2026-11-20T00:00:00Z", " 2026-11-20 ", "2026-1-2", "20261120"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		q := queryOf(text)
		number := q.Date("x")
		if (number == 0) == (q.Err() == nil && text != "") {
			t.Fatalf("%q is %d, error %v", text, number, q.Err())
		}
		if number == 0 {
			return
		}
		instant := queryOf(text).Time("x").Time().UTC()
		if instant.Format(time.DateOnly) != strings.TrimSpace(text) || index.DateNumber(instant) != number {
			t.Fatalf("%q is %d and %v", text, number, instant)
		}
	})
}
