package wire

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"
	"unicode/utf8"

	"pgregory.net/rapid"
)

func TestTimestampAgreesWithTime(t *testing.T) {
	var days Calendar // kept between draws
	rapid.Check(t, func(t *rapid.T) {
		ms := rapid.OneOf(rapid.Int64Range(minTimestamp, maxTimestamp), rapid.Int64Range(-2*millisPerDay, 2*millisPerDay),
			rapid.Map(rapid.Int64Range(-1<<30, 1<<30), func(s int64) int64 { return 1000 * s })).Draw(t, "ms")
		want := time.UnixMilli(ms).UTC().Format(`"2006-01-02T15:04:05.000Z"`)
		if got := string(AppendTimestamp(nil, ms)); got != want {
			t.Fatalf("AppendTimestamp(%d) = %s, want %s", ms, got, want)
		}
		if got := string(days.AppendTimestamp(nil, ms)); got != want {
			t.Fatalf("Calendar: %d = %s, want %s", ms, got, want)
		}
	})
}

func TestTimestampOutsideTheCalendarIsBounded(t *testing.T) {
	if got := string(AppendTimestamp(nil, 1<<62)); got != `"9999-12-31T23:59:59.999Z"` {
		t.Errorf("far future = %s", got)
	}
	if got := string(AppendTimestamp(nil, -1<<62)); got != `"0001-01-01T00:00:00.000Z"` {
		t.Errorf("far past = %s", got)
	}
}

func TestIntAgreesWithStrconv(t *testing.T) {
	check := func(n int64) {
		if got, want := string(AppendInt([]byte("x"), n)), "x"+strconv.FormatInt(n, 10); got != want {
			t.Fatalf("AppendInt(%d) = %s", n, got)
		}
	}
	for n := range int64(100_000) { // both halves of eight digits, and all quarters
		check(n)
		check(n * 1000)
	}
	rapid.Check(t, func(t *rapid.T) {
		check(rapid.OneOf(rapid.Int64(), rapid.Int64Range(0, 200_000_000)).Draw(t, "n"))
	})
}

func TestStringReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "s"))
		text := AppendString(nil, s)
		if !utf8.Valid(text) {
			t.Fatalf("not UTF-8: %q", text)
		}
		var got, want string
		if err := json.Unmarshal(text, &got); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		for _, r := range s {
			want += string(r) // replaces invalid UTF-8, byte by byte
		}
		if got != want {
			t.Fatalf("read back %q, want %q", got, want)
		}
	})
}

func TestStringDoesNotEscapeHTML(t *testing.T) {
	const s = `Tom & Jerry <b>'"\`
	if got, want := string(AppendString(nil, s)), `"Tom & Jerry <b>'\"\\"`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
