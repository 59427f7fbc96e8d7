package rates_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/lease"
	"gamedex/internal/rates"
	"gamedex/internal/upstream"
)

// gaps returns the times between requests, in whole minutes.
func gaps(asks []time.Time) []int {
	var out []int
	for i := 1; i < len(asks); i++ {
		out = append(out, int(asks[i].Sub(asks[i-1]).Round(time.Minute).Minutes()))
	}
	return out
}

func checkGaps(t *testing.T, f *fake, want ...int) {
	t.Helper()
	if diff := cmp.Diff(want, gaps(f.asked())); diff != "" {
		t.Errorf("minutes between requests (-want +got):\n%s", diff)
	}
}

// checkLines checks that the log has one line with each text, in order, and no others.
func checkLines(t *testing.T, w *world, want ...string) {
	t.Helper()
	lines := w.lines()
	if len(lines) != len(want) {
		t.Errorf("%d lines logged, want %d:\n%s", len(lines), len(want), strings.Join(lines, "\n"))
		return
	}
	for i, line := range lines {
		if !strings.Contains(line, want[i]) {
			t.Errorf("logged %s\nwant %s", line, want[i])
		}
	}
}

func unreachable() error {
	return &upstream.Error{Kind: upstream.Down, Host: "bank.example", URL: "https://bank.example/rates", Err: errors.New("no such host")}
}

func TestOneProcessFetchesEveryHour(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		for _, id := range []string{"a", "b", "c"} {
			defer run(t, w.loop(id, f))()
		}
		time.Sleep(5*time.Hour + 30*time.Minute)
		// The loop checks every minute, and a fetch takes two seconds.
		checkGaps(t, f, 61, 61, 61, 61, 61)
		if stored, saves := w.kept(); stored.Source != "fake" || stored.Imported || saves != 6 {
			t.Errorf("stored %+v in %d saves", stored, saves)
		}
	})
}

func TestTheSameTableIsSavedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "table", text: "UAH 44 TRY 40"}
		l := w.loop("a", constant{f, tableAt(t, "UAH 44 TRY 40", time.Now())})
		var outcomes []string
		l.Observe = func(provider, outcome string, took time.Duration) {
			outcomes = append(outcomes, provider+" "+outcome+" "+took.String())
		}
		stop := run(t, l)
		time.Sleep(150 * time.Minute)
		stop()
		if want := []string{"table taken 2s", "table unchanged 2s", "table unchanged 2s"}; !slices.Equal(outcomes, want) {
			t.Errorf("outcomes %q, want %q", outcomes, want)
		}
		if _, saves := w.kept(); saves != 1 {
			t.Errorf("%d saves, want 1", saves)
		}
		checkLines(t, w, `level=INFO msg="exchange rates taken" provider=table updatedAt=2000-01-01T00:00:00Z currencies=2`)
	})
}

// TestSkippedEntriesAreNamedOnce checks that the log names the entries of a table that are no
// rates once, and, with the reason, when an active region needs one.
func TestSkippedEntriesAreNamedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "table", text: "UAH 44 TRY 40"}
		good := tableAt(t, "UAH 44 TRY 40", time.Now())
		stop := run(t, w.loop("a", constant{f, good.Skipping("PLN (\"null\" is not a JSON number)")}))
		time.Sleep(150 * time.Minute)
		stop()
		checkLines(t, w, `level=WARN msg="entries of the exchange rates are skipped" provider=table skipped="PLN (`, `msg="exchange rates taken"`)

		defer run(t, w.loop("a", constant{f, tableAt(t, "UAH 44", time.Now()).Skipping("TRY (\"0\" must be above zero)")}))()
		time.Sleep(150 * time.Minute)
		checkLines(t, w, `skipped entries: TRY (`)
		if table := w.table(); table != string(good.AppendJSON(nil)) {
			t.Errorf("stored %s", table)
		}
	})
}

func TestStartWithoutNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", err: unreachable()}
		defer run(t, w.loop("a", f))()
		time.Sleep(200 * time.Minute)
		checkGaps(t, f, 6, 11, 21, 41, 61)
		checkLines(t, w, `level=INFO msg="no exchange rates yet: the provider cannot be reached; it will be tried again; to use your own table: gamedex rates import FILE"`)
		f.say("UAH 44 TRY 40", nil)
		time.Sleep(time.Hour)
		checkLines(t, w, `level=INFO msg="exchange rates taken"`)
		if l := w.lease(rates.LeaseName); l.Attempts != 0 || l.LastError != "" {
			t.Errorf("after a success: %+v", l)
		}
	})
}

func TestFailuresAreLoggedWhenTheyChange(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		defer run(t, w.loop("a", f))()
		time.Sleep(10 * time.Minute)
		before := w.table()
		w.lines()
		f.say("", unreachable())
		time.Sleep(12 * time.Hour)
		checkLines(t, w, `level=WARN msg="exchange rates were not refreshed; it will be tried again" error="https://bank.example/rates: `)
		f.say("", errors.New("the list is empty"))
		time.Sleep(12 * time.Hour)
		checkLines(t, w, `error="the list is empty"`)
		if w.table() != before {
			t.Errorf("the last accepted table was replaced: %s", w.table())
		}
		f.say("UAH 45 TRY 40", nil)
		time.Sleep(2 * time.Hour)
		f.say("", errors.New("the list is empty"))
		time.Sleep(12 * time.Hour)
		lines := w.lines()
		if last := lines[len(lines)-1]; !strings.Contains(last, "the list is empty") || !strings.Contains(lines[0], "UAH moved from 44 to 45") {
			t.Errorf("logged %s", strings.Join(lines, "\n"))
		}
	})
}

func TestAStopIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake"}
		f.err = &upstream.Error{Kind: upstream.Stopped, Host: "bank.example", Until: time.Now().Add(4 * time.Hour), Err: errors.New("403")}
		defer run(t, w.loop("a", f))()
		time.Sleep(5 * time.Hour)
		checkGaps(t, f, 240, 11, 21)
	})
}

func TestAnImportedTableStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		w.stored = &rates.Stored{Rates: tableAt(t, "UAH 1", time.Now()), Imported: true, Source: "import"}
		before := w.table()
		l := w.loop("a", f)
		defer run(t, l)()
		time.Sleep(50 * time.Hour)
		if asks := f.asked(); len(asks) != 0 || w.table() != before {
			t.Errorf("%d requests; table %s", len(asks), w.table())
		}
		w.set(func(w *world) { w.stored.Rates = tableAt(t, "UAH 44 TRY 41", time.Now()) })
		result, err := l.Refresh(t.Context())
		if stored, _ := w.kept(); err != nil || !result.Changed || stored.Imported || stored.Source != "fake" {
			t.Errorf("refresh: %+v, %v; stored %+v", result, err, stored)
		}
		f.asked()
		time.Sleep(200 * time.Minute)
		checkGaps(t, f, 61, 61)
	})
}

func TestAnImportDuringARequestStays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		defer run(t, w.loop("a", f))()
		time.Sleep(time.Second)
		w.set(func(w *world) {
			w.stored = &rates.Stored{Rates: tableAt(t, "UAH 1", time.Now()), Imported: true, Source: "import"}
		})
		imported := w.table()
		time.Sleep(3 * time.Hour)
		if w.table() != imported || len(f.asked()) != 1 {
			t.Errorf("table %s, want %s", w.table(), imported)
		}
		checkLines(t, w)
	})
}

func TestAStopIsHandedOverAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		stop := run(t, w.loop("a", f))
		time.Sleep(time.Second)
		began := time.Now()
		stop()
		want := lease.Lease{Name: rates.LeaseName, Token: 1}
		if diff := cmp.Diff(want, w.lease(rates.LeaseName)); diff != "" || time.Since(began) != 0 {
			t.Errorf("stopped in %v; lease (-want +got):\n%s", time.Since(began), diff)
		}
		checkLines(t, w)
		defer run(t, w.loop("b", f))()
		time.Sleep(5 * time.Second)
		if _, saves := w.kept(); saves != 1 {
			t.Error("the next process did not continue")
		}
	})
}

func TestARefusedMoveIsTakenAfterADay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		stop := run(t, w.loop("a", f))
		time.Sleep(30 * time.Minute)
		w.lines()
		f.say("UAH 44 TRY 60", nil)
		time.Sleep(12 * time.Hour)
		stop() // the memory of refused moves outlives the process
		checkLines(t, w, `level=WARN msg="exchange rates were not refreshed; it will be tried again" error="fake: exchange rates refused: TRY moved from 40 to 60`)
		if got := gaps(f.asked()); slices.ContainsFunc(got, func(m int) bool { return m != 61 }) {
			t.Errorf("minutes between requests %v, want 61", got)
		}
		if l := w.lease(rates.LeaseName); !strings.Contains(l.LastError, "TRY moved") || l.Cursor == "" {
			t.Errorf("lease %+v", l)
		}
		defer run(t, w.loop("a", f))()
		time.Sleep(12 * time.Hour)
		checkLines(t, w, "TRY moved from 40 to 60")
		time.Sleep(90 * time.Minute)
		lines := w.lines()
		if len(lines) == 0 || !strings.Contains(lines[0], "level=WARN") || !strings.Contains(lines[0], "first seen more than 24 hours ago") {
			t.Errorf("logged %q", lines)
		}
		if l := w.lease(rates.LeaseName); !strings.Contains(w.table(), `"TRY":60`) || l.Cursor != "" || l.LastError != "" {
			t.Errorf("table %s, lease %+v", w.table(), l)
		}
	})
}

func TestASecondProviderIsAskedInDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		broken, second, third := &fake{name: "broken", err: errors.New("out of order")}, &fake{name: "second", text: "TRY 61"}, &fake{name: "third"}
		defer run(t, w.loop("a", f, broken, second, third))()
		time.Sleep(3*time.Hour + 30*time.Minute)
		if n := len(broken.asked()) + len(second.asked()); n != 0 {
			t.Errorf("%d requests without a doubt", n)
		}
		f.say("UAH 44 TRY 60", nil)
		time.Sleep(time.Hour)
		if stored, _ := w.kept(); !strings.Contains(w.table(), `"TRY":60`) || stored.Source != "fake" {
			t.Errorf("not accepted: %s of %s", w.table(), stored.Source)
		}
		if b, s, th := len(broken.asked()), len(second.asked()), len(third.asked()); b != 1 || s != 1 || th != 0 {
			t.Errorf("%d, %d and %d requests, want 1, 1 and 0", b, s, th)
		}
	})
}

func TestOlderTableIsNotTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		l := w.loop("a", f)
		if _, err := l.Refresh(t.Context()); err != nil {
			t.Fatal(err)
		}
		before := w.table()
		f.age = 24 * time.Hour
		result, err := l.Refresh(t.Context())
		if err != nil || result.Changed || w.table() != before || string(result.Rates.AppendJSON(nil)) != before {
			t.Errorf("%+v, %v: table %s, want %s", result, err, w.table(), before)
		}
		f.name = "another provider"
		if result, err = l.Refresh(t.Context()); err != nil || !result.Changed || w.table() == before {
			t.Errorf("%+v, %v: table %s", result, err, w.table())
		}
	})
}

func TestRefresh(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		l := w.loop("a", f)
		result, err := l.Refresh(t.Context())
		if err != nil || !result.Changed || result.Provider != "fake" || len(result.Rates.Currencies()) != 2 || result.Most.Currency != "" {
			t.Errorf("the first: %+v, %v", result, err)
		}
		f.say("UAH 43 TRY 44", nil)
		if result, err = l.Refresh(t.Context()); err != nil || result.Most.String() != "TRY moved from 40 to 44 per USD (+10.0%)" {
			t.Errorf("the second: most %s, %v", result.Most, err)
		}
		if result, err = l.Refresh(t.Context()); err != nil || result.Changed || result.Most.Currency != "" {
			t.Errorf("the same: %+v, %v", result, err)
		}
		f.say("UAH 43 TRY 4.4", nil)
		before := w.table()
		if result, err = l.Refresh(t.Context()); !errors.Is(err, rates.ErrRefused) || result.Changed || w.table() != before {
			t.Errorf("a wild one: %+v, %v", result, err)
		}
		for range 24 {
			time.Sleep(time.Hour)
			result, err = l.Refresh(t.Context())
		}
		if err != nil || !strings.Contains(result.Warning, "first seen more than 24 hours ago") {
			t.Errorf("after a day of refreshing by hand: %+v, %v", result, err)
		}
		checkLines(t, w)
	})
}

func TestRefreshFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", err: unreachable()}
		l := w.loop("a", f)
		if _, err := l.Refresh(t.Context()); !strings.Contains(err.Error(), "no such host") {
			t.Errorf("%v", err)
		}
		go l.Refresh(t.Context()) // takes two seconds
		time.Sleep(time.Second)
		if _, err := l.Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "another refresh") {
			t.Errorf("two at once: %v", err)
		}
		time.Sleep(time.Minute)
		w.down = errors.New("disk full")
		if _, err := l.Refresh(t.Context()); !errors.Is(err, w.down) {
			t.Errorf("%v", err)
		}
		w.down = nil
		if _, err := w.loop("a").Refresh(t.Context()); err == nil || !strings.Contains(err.Error(), "no provider") {
			t.Errorf("%v", err)
		}
		stopped, stop := context.WithCancel(t.Context())
		stop()
		if _, err := l.Refresh(stopped); !errors.Is(err, context.Canceled) {
			t.Errorf("%v", err)
		}
	})
}

func TestTheDatabaseIsDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, f := newWorld(), &fake{name: "fake", text: "UAH 44 TRY 40"}
		w.down = errors.New("disk full")
		defer run(t, w.loop("a", f))()
		time.Sleep(time.Hour)
		checkLines(t, w, `level=WARN msg="exchange rates were not refreshed; it will be tried again" error="disk full"`)
		w.set(func(w *world) { w.down = nil })
		time.Sleep(time.Hour)
		checkLines(t, w, "exchange rates taken")
	})
}
