package rates_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/money"
	"gamedex/internal/rates"
)

// table returns the table of a text such as "UAH 44 TRY 41", per dollar, with an age.
func table(t testing.TB, text string, age time.Duration) money.Rates {
	t.Helper()
	return tableAt(t, text, now.Add(-age))
}

func tableAt(t testing.TB, text string, at time.Time) money.Rates {
	t.Helper()
	r, err := parseTable(text, at)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func parseTable(text string, at time.Time) (money.Rates, error) {
	decimals := make(map[money.Currency]string)
	for pair := range slices.Chunk(strings.Fields(text), 2) {
		decimals[money.Currency(pair[0])] = pair[1]
	}
	return money.NewRates("USD", decimals, at.UnixMilli())
}

var active = []money.Currency{"UAH", "TRY", "UAH"}

func TestJudge(t *testing.T) {
	const last = "UAH 44 TRY 40 JPY 160 EUR 0.8"
	tests := []struct {
		name   string
		new    string
		age    time.Duration
		last   string   // "": none
		others []string // second opinions
		want   string   // in the error; "": accepted
	}{
		{name: "the first", new: last},
		{name: "the same", new: last, last: last},
		{name: "another set", new: "UAH 44 TRY 40 PLN 3.6", last: last},
		{name: "no active currency", new: "UAH 44 EUR 0.8", want: "the table has no rate of TRY, which the active regions need"},
		{name: "no active currency at all", new: "EUR 0.8", want: "no rate of TRY, UAH, which"},
		{name: "just young enough", new: last, age: 6 * 24 * time.Hour},
		{name: "too old", new: last, age: 6*24*time.Hour + time.Millisecond, want: "2026-11-14T09:29:59Z, older than 6 days"},
		{name: "another clock", new: last, age: -time.Hour},
		{name: "the future", new: last, age: -time.Hour - time.Millisecond, want: "2026-11-20T10:30:00Z, which is in the future"},
		{name: "up by the bound", new: "UAH 55 TRY 50", last: last},
		{name: "down by the bound", new: "UAH 35.2 TRY 32", last: last},
		{name: "up", new: "UAH 44 TRY 50.01", last: last, want: "TRY moved from 40 to 50.01 per USD (+25.0%): moves of more than 25%"},
		{name: "down", new: "UAH 44 TRY 31.99", last: last, want: "TRY moved from 40 to 31.99 per USD (-20.0%)"},
		{name: "any currency, the largest first", new: "UAH 4.4 TRY 40 JPY 320", last: last, want: "UAH moved from 44 to 4.4 per USD (-90.0%), and 1 more:"},
		{name: "confirmed", new: "UAH 44 TRY 80", last: last, others: []string{"TRY 84"}},
		{name: "confirmed from below", new: "UAH 44 TRY 84", last: last, others: []string{"TRY 80"}},
		{name: "not quite", new: "UAH 44 TRY 80", last: last, others: []string{"TRY 84.01"}, want: "TRY moved"},
		{name: "the other table lacks it", new: "UAH 44 TRY 80", last: last, others: []string{"UAH 44"}, want: "TRY moved"},
		{name: "confirmed by the second other table", new: "UAH 44 TRY 80", last: last, others: []string{"TRY 40", "TRY 80"}},
		{name: "each confirmed by another table", new: "UAH 88 TRY 80", last: last, others: []string{"TRY 80", "UAH 88"}},
		{name: "only one of two confirmed", new: "UAH 88 TRY 80", last: last, others: []string{"TRY 80"}, want: "UAH moved"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in := rates.Judgement{New: table(t, tt.new, tt.age), Active: active, Now: now}
			if tt.last != "" {
				in.Last = table(t, tt.last, time.Hour)
			}
			for _, other := range tt.others {
				in.Others = append(in.Others, table(t, other, 0))
			}
			v := rates.Judge(in)
			checkRefused(t, v.Err, tt.want)
			if v.Err == nil && (v.Warning != "" || v.Memory.String() != "" || len(v.Doubted) != 0) {
				t.Errorf("accepted with %+v", v)
			}
		})
	}
}

// checkRefused checks for an error with a remedy, or for none.
func checkRefused(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" {
		if err != nil {
			t.Errorf("refused: %v", err)
		}
		return
	}
	if !errors.Is(err, rates.ErrRefused) || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "gamedex rates import FILE") {
		t.Errorf("error %v, want %q and the remedy", err, want)
	}
}

func TestJudgeRefusesNoTable(t *testing.T) {
	v := rates.Judge(rates.Judgement{Now: now})
	checkRefused(t, v.Err, "no rate of USD")
}

func TestJudgeComparesOtherBases(t *testing.T) {
	imported, err := money.ParseRates([]byte(`{"base":"EUR","rates":{"USD":1.25,"UAH":55,"TRY":50},"updatedAt":"2026-11-20T00:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	v := rates.Judge(rates.Judgement{New: table(t, "UAH 44 TRY 44 EUR 0.8", 0), Last: imported, Active: active, Now: now})
	if v.Err != nil || len(v.Moves) != 1 || v.Moves[0].String() != "TRY moved from 40 to 44 per USD (+10.0%)" {
		t.Errorf("%v, moves %v", v.Err, v.Moves)
	}
}

func TestAnOldSecondOpinionDoesNotCount(t *testing.T) {
	v := rates.Judge(rates.Judgement{
		New: table(t, "UAH 44 TRY 80", 0), Last: table(t, "UAH 44 TRY 40", 0), Active: active, Now: now,
		Others: []money.Rates{table(t, "TRY 80", 7*24*time.Hour), {}},
	})
	checkRefused(t, v.Err, "TRY moved")
}

// TestJudgeKeepsMemory judges a series of tables and passes the memory on as text.
func TestJudgeKeepsMemory(t *testing.T) {
	type sight struct {
		after time.Duration // since the table before
		new   string
		last  string // "": UAH 44 TRY 40
		taken bool
	}
	refusedDay := []sight{{0, "UAH 44 TRY 80", "", false}, {12 * time.Hour, "UAH 44 TRY 80", "", false}}
	tests := []struct {
		name   string
		sights []sight
	}{
		{"it stood", append(refusedDay, sight{12 * time.Hour, "UAH 44 TRY 81", "", true})},
		{"almost", append(refusedDay, sight{12*time.Hour - time.Millisecond, "UAH 44 TRY 80", "", false})},
		{"a normal rate in between", append(refusedDay, sight{time.Hour, "UAH 44 TRY 41", "", true}, sight{11 * time.Hour, "UAH 44 TRY 80", "", false})},
		{"a move in the other direction", append(refusedDay, sight{12 * time.Hour, "UAH 44 TRY 20", "", false})},
		{"another value", append(refusedDay, sight{12 * time.Hour, "UAH 44 TRY 8000", "", false})},
		{"another currency, too", append(refusedDay, sight{12 * time.Hour, "UAH 440 TRY 80", "", false}, sight{24 * time.Hour, "UAH 440 TRY 80", "", true})},
		{"another last table", append(refusedDay, sight{12 * time.Hour, "UAH 44 TRY 80", "UAH 44 TRY 41", false})},
		{"a long gap", append(refusedDay, sight{48*time.Hour + time.Millisecond, "UAH 44 TRY 80", "", false})},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			at, memory := now, ""
			for i, s := range tt.sights {
				at = at.Add(s.after)
				last := s.last
				if last == "" {
					last = "UAH 44 TRY 40"
				}
				v := rates.Judge(rates.Judgement{
					New: tableAt(t, s.new, at), Last: table(t, last, 0), Active: active, Now: at, Memory: rates.ParseMemory(memory),
				})
				if memory = v.Memory.String(); (v.Err == nil) != s.taken || s.taken != (memory == "") {
					t.Errorf("judgement %d: %v, memory %q; want it accepted: %v", i+1, v.Err, memory, s.taken)
				}
				// Only the rates of earlier refused moves contain an 8.
				if stood := s.taken && len(v.Moves) > 0 && strings.Contains(s.new, "8"); stood != strings.Contains(v.Warning, "first seen more than 24 hours ago") {
					t.Errorf("judgement %d: warning %q", i+1, v.Warning)
				}
			}
		})
	}
}

// TestARefusalOfAnotherKindKeepsTheMemory checks that a table that is refused before
// its rates are compared does not change the remembered move.
func TestARefusalOfAnotherKindKeepsTheMemory(t *testing.T) {
	last := table(t, "UAH 44 TRY 40", 0)
	first := rates.Judge(rates.Judgement{New: table(t, "UAH 44 TRY 80", 0), Last: last, Active: active, Now: now})
	v := rates.Judge(rates.Judgement{New: table(t, "TRY 40", 0), Last: last, Active: active, Now: now, Memory: first.Memory})
	if v.Err == nil || v.Memory.String() == "" || v.Memory.String() != first.Memory.String() {
		t.Errorf("%v: memory %s, want %s", v.Err, v.Memory, first.Memory)
	}
}

func FuzzParseMemory(f *testing.F) {
	last := table(f, "UAH 44 TRY 40", 0)
	seen := rates.Judge(rates.Judgement{New: table(f, "UAH 44 TRY 80", 0), Last: last, Now: now}).Memory.String()
	f.Add(seen, int64(0))
	f.Add(strings.ReplaceAll(seen, "80", "1e999999999"), int64(90000000))
	f.Add("null", int64(-1))
	f.Add(`{"refused":{"TRY":{}}}`, int64(5))
	f.Fuzz(func(t *testing.T, text string, later int64) {
		at := now.Add(time.Duration(later%1e12) * time.Millisecond)
		v := rates.Judge(rates.Judgement{
			New: table(t, "UAH 44 TRY 80", 0), Last: last, Now: at, Memory: rates.ParseMemory(text),
		})
		again := rates.ParseMemory(v.Memory.String())
		if v.Memory.String() != again.String() {
			t.Errorf("memory %s is parsed as %s", v.Memory, again)
		}
	})
}
