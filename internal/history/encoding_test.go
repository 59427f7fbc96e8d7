package history_test

import (
	"encoding/binary"
	"hash/crc32"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	. "gamedex/internal/history"
	"gamedex/internal/money"
	"gamedex/internal/testing/historytest"
)

func TestRowsKeepSteps(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps, _ := drawSteps(t)
		row, err := AppendRow([]byte("before"), steps)
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendSteps([]Step{{At: 1}}, row[len("before"):])
		if diff := cmp.Diff(append([]Step{{At: 1}}, steps...), got); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
		if len(steps) > 0 {
			at := rapid.IntRange(len("before"), len(row)-1).Draw(t, "damaged")
			row[at] ^= byte(rapid.IntRange(1, 255).Draw(t, "by"))
			if _, err := AppendSteps(nil, row[len("before"):]); err == nil {
				t.Fatal("a damaged row was read")
			}
		}
	})
}

// TestRowsKeepTimes checks times of every unit, far and near, before and after the one
// that they are stored from.
func TestRowsKeepTimes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]catalog.Millis{1, 10, 1000, 60_000, 3_600_000, 86_400_000, 1 << 40})
		var steps []Step
		at := catalog.Millis(0)
		for range rapid.IntRange(1, MaxRow).Draw(t, "steps") {
			u := unit.Draw(t, "unit")
			at += catalog.Millis(rapid.IntRange(1, 5000).Draw(t, "later")) * u
			at += (u - at%u) % u
			s := Step{At: at, State: Priced, Currency: "UAH", Base: 2, Current: 1}
			u = unit.Draw(t, "unit of the end")
			s.EndsAt = max(0, (at/u+catalog.Millis(rapid.IntRange(-1000, 1000).Draw(t, "ends")))*u)
			steps = append(steps, s)
		}
		row, err := AppendRow(nil, steps)
		if err != nil {
			t.Fatal(err)
		}
		got, err := AppendSteps(nil, row)
		if diff := cmp.Diff(steps, got); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
}

// TestFormerRows reads rows that programs of schema 12 wrote.
func TestFormerRows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		steps, _ := drawSteps(t)
		got, err := AppendSteps(nil, historytest.FormerRow(steps))
		if diff := cmp.Diff(steps, got); err != nil || diff != "" {
			t.Fatalf("%v (-want +got):\n%s", err, diff)
		}
	})
	many := make([]Step, 129)
	for i := range many {
		many[i] = full(float64(i), 100)
	}
	got, err := AppendSteps(nil, historytest.FormerRow(many[:128]))
	if diff := cmp.Diff(many[:128], got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := AppendSteps(nil, historytest.FormerRow(many)); err == nil || !strings.Contains(err.Error(), "at most 128") {
		t.Errorf("129 steps: %v", err)
	}
}

func TestStepsThatCannotBeStored(t *testing.T) {
	good := full(0, 100)
	for _, tt := range []struct {
		name   string
		change func(*Step)
		want   string
	}{
		{"no state", func(s *Step) { s.State = 0 }, "state 0"},
		{"unknown state", func(s *Step) { s.State = Gone + 1 }, "state 5"},
		{"time", func(s *Step) { s.At = good.At }, "must be after"},
		{"currency", func(s *Step) { s.Currency = "EU" }, `currency "EU"`},
		{"no currency", func(s *Step) { s.Currency = "" }, "without an amount or a currency"},
		{"no amount", func(s *Step) { s.Current = money.None }, "without an amount or a currency"},
		{"base", func(s *Step) { s.Base = -2 }, "base -2"},
		{"end", func(s *Step) { s.EndsAt = -1 }, "end of the discount -1"},
		{"far time", func(s *Step) { s.At = 1 << 58 }, "must be below"},
		{"far end", func(s *Step) { s.EndsAt = 1 << 62 }, "must be below"},
	} {
		steps := []Step{good, with(full(1, 100), tt.change)}
		row, err := AppendRow([]byte("x"), steps)
		if err == nil || !strings.Contains(err.Error(), "encode step 2: ") || !strings.Contains(err.Error(), tt.want) || string(row) != "x" {
			t.Errorf("%s: %q, %v, want %q", tt.name, row, err, tt.want)
		}
	}
	many := make([]Step, MaxRow+1)
	for i := range many {
		many[i] = full(float64(i), 100)
	}
	if _, err := AppendRow(nil, many[:MaxRow]); err != nil {
		t.Error(err)
	}
	if _, err := AppendRow(nil, many); err == nil {
		t.Error("a row has more than MaxRow steps")
	}
}

func TestForeignRows(t *testing.T) {
	sum := func(text string) []byte {
		return binary.LittleEndian.AppendUint32([]byte(text), crc32.Checksum([]byte(text), crc32.MakeTable(crc32.Castagnoli)))
	}
	for text, want := range map[string]string{
		"":                             "damaged",
		"\x03":                         "version 3",
		"\x01\x00":                     "decode step 1: it is cut off",
		"\x01\x00\x05":                 "decode step 1: it is cut off",
		"\x01\x20\x05\x00\x00\x00\x01": "without an amount or a currency",
		"\x01\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00": "cut off",
	} {
		if _, err := AppendSteps(nil, sum(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	if _, err := AppendSteps(nil, []byte("abc")); err == nil {
		t.Error("three bytes are a row")
	}
}

func FuzzAppendSteps(f *testing.F) {
	row, err := AppendRow(nil, []Step{full(0, 100), price(1, 80, 100), gone(2)})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(row[:len(row)-4])
	former := historytest.FormerRow([]Step{full(0, 100), price(1, 80, 100), gone(2)})
	f.Add(former[:len(former)-4])
	f.Fuzz(func(t *testing.T, body []byte) {
		row := binary.LittleEndian.AppendUint32(body, crc32.Checksum(body, crc32.MakeTable(crc32.Castagnoli)))
		steps, err := AppendSteps(nil, row)
		if err != nil {
			return
		}
		var got []Step
		for some := range slices.Chunk(steps, MaxRow) {
			again, err := AppendRow(nil, some)
			if err != nil {
				t.Fatalf("steps that were read cannot be stored: %v", err)
			}
			if got, err = AppendSteps(got, again); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(steps, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}

// BenchmarkSeries measures a series of 20 steps: a sale every month, with its end.
func BenchmarkSeries(b *testing.B) {
	var steps []Step
	for i := range 10 {
		at := float64(30 * i)
		steps = append(steps, with(price(at+0.123456, 3749, 4999), func(s *Step) { s.EndsAt = onDay(at + 14) }), full(at+14.054321, 4999))
	}
	row, err := AppendRow(nil, steps)
	if err != nil {
		b.Fatal(err)
	}
	b.Run("decode", func(b *testing.B) {
		var got []Step
		for b.Loop() {
			if got, err = AppendSteps(got[:0], row); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(len(row))/float64(len(steps)), "bytes/step")
	})
	b.Run("encode", func(b *testing.B) {
		for b.Loop() {
			if row, err = AppendRow(row[:0], steps); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("summarize", func(b *testing.B) {
		now := steps[len(steps)-1].At + 5*24*60*60*1000
		for b.Loop() {
			if Summarize(steps, 0, now) == nil {
				b.Fatal("no summary")
			}
		}
	})
}
