package layout

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

const origin = 1 << 40

// lowsOf returns opened lows with a table of some timestamps.
func lowsOf(times ...catalog.Millis) *Lows {
	l := &Lows{LowsMeta: LowsMeta{Origin: origin}}
	for _, m := range times {
		l.Timestamps = AppendTableTimestamp(l.Timestamps, m, origin)
	}
	return l
}

func TestPastReadsBack(t *testing.T) {
	table := []catalog.Millis{origin, origin + 5, origin + NearInterval - 1}
	for n := range catalog.Millis(70) {
		table = append(table, origin+1000*n)
	}
	l := lowsOf(table...)
	timestamp := func(dst []byte, m catalog.Millis) []byte {
		for n, known := range table {
			if known == m {
				return AppendTimestampNumber(dst, uint32(n))
			}
		}
		return AppendTimestamp(dst, m, origin)
	}
	rapid.Check(t, func(t *rapid.T) {
		want := drawPast(t, table)
		record := AppendPast(nil, &want, timestamp)
		var got history.Past
		if err := l.ReadPast(record, &got); err != nil {
			t.Fatalf("%x: %v", record, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%x (-want +got):\n%s", record, diff)
		}
		if len(record) > math.MaxUint8 {
			t.Fatalf("a record of %d bytes", len(record))
		}
		for n := range record {
			if l.ReadPast(record[:n], &got) == nil {
				t.Fatalf("%x: accepted after %d bytes", record, n)
			}
		}
		if l.ReadPast(append(record, 0), &got) == nil {
			t.Fatalf("%x: accepted with another byte", record)
		}
	})
}

func drawPast(t *rapid.T, table []catalog.Millis) (p history.Past) {
	timestamp := func(label string) catalog.Millis {
		return rapid.OneOf(rapid.SampledFrom(table), rapid.SampledFrom([]catalog.Millis{1, origin - 1, origin + NearInterval, 1<<farBits - 1}),
			rapid.Map(rapid.Int64Range(1, 1<<42), func(m int64) catalog.Millis { return catalog.Millis(m) })).Draw(t, label)
	}
	amount := func(label string) money.Amount {
		return money.Amount(rapid.OneOf(rapid.SampledFrom([]int64{1, 99, 100, 59900, math.MaxInt64 / 100 * 100, math.MaxInt64}), rapid.Int64Range(1, 1<<40)).Draw(t, label))
	}
	low := func(label string) history.Low {
		return history.Low{Current: amount(label), FirstAt: timestamp("first"), LastAt: timestamp("last"), Times: rapid.IntRange(1, math.MaxInt32).Draw(t, "times")}
	}
	shorter := func(longer history.Low, label string) history.Low {
		if longer.Times == 0 {
			return longer
		}
		switch rapid.IntRange(0, 3).Draw(t, label) {
		case relationNone:
			return history.Low{}
		case relationEqual:
			return longer
		case relationFirst:
			longer.FirstAt, longer.Times = timestamp("first"), rapid.IntRange(1, 9).Draw(t, "times")
			return longer
		}
		return low(label)
	}
	p.WatchedSince = timestamp("watched")
	if rapid.Bool().Draw(t, "low") {
		p.AllTime = low("all time")
	}
	p.Year = shorter(p.AllTime, "year")
	p.Days90 = shorter(p.Year, "90 days")
	if rapid.Bool().Draw(t, "free") {
		p.FreeUntil = timestamp("free")
	}
	if rapid.Bool().Draw(t, "since") {
		p.Since = timestamp("since")
	}
	switch rapid.IntRange(0, 2).Draw(t, "now") {
	case 0:
		p.Over = true
	case 1:
		p.Reduction = history.Reduction{Since: timestamp("reduced"), Reference: money.None, Days: rapid.IntRange(0, 30).Draw(t, "days")}
		if rapid.Bool().Draw(t, "as since") && p.Since != 0 {
			p.Reduction.Since = p.Since
		}
		if rapid.Bool().Draw(t, "reference") {
			p.Reduction.Reference = amount("reference")
		}
	}
	return p
}
