package sqldb_test

import (
	"crypto/rand"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gamedex/internal/account"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/lease"
	"gamedex/internal/quota"
	"gamedex/internal/registry"
	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/accounts"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/sqldb/nodes"
)

var (
	_ quota.Repository    = (*accounts.Repository)(nil)
	_ lease.Repository    = (*nodes.Repository)(nil)
	_ registry.Repository = (*nodes.Repository)(nil)
)

func TestQuotaNeverGoesBack(t *testing.T) {
	t.Parallel()
	spent := func(minute int64, minuteUsed, dayUsed int) quota.Spent {
		return quota.Spent{Minute: minute, MinuteUsed: minuteUsed, DayUsed: dayUsed}
	}
	tests := []struct {
		name         string
		first, later quota.Spent
		want         quota.Spent
	}{
		{"the next minute", spent(10, 5, 50), spent(11, 1, 51), spent(11, 1, 51)},
		{"the same minute, more", spent(10, 5, 50), spent(10, 6, 51), spent(10, 6, 51)},
		{"the same minute, less", spent(10, 5, 50), spent(10, 4, 49), spent(10, 5, 50)},
		{"the same minute, one of each", spent(10, 5, 50), spent(10, 4, 60), spent(10, 5, 60)},
		{"an older minute", spent(10, 5, 50), spent(9, 9, 99), spent(10, 5, 50)},
		{"two minutes older", spent(10, 5, 50), spent(8, 9, 99), spent(10, 5, 50)},
		{"the clock was set back", spent(10, 5, 50), spent(7, 1, 2), spent(7, 1, 2)},
		{"the next day", spent(10, 5, 50), spent(2000, 1, 1), spent(2000, 1, 1)},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				for _, s := range []quota.Spent{tt.first, tt.later} {
					must(t, db.Accounts.SaveQuota(t.Context(), []quota.State{{ID: "k", Spent: s}}))
				}
				got, err := db.Accounts.LoadQuota(t.Context(), 0)
				must(t, err)
				wantSame(t, "stored", []quota.State{{ID: "k", Spent: tt.want}}, got)
			})
		}
	})
}

func TestLoadQuotaSince(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		var states []quota.State
		for i := range 11 {
			states = append(states, quota.State{ID: fmt.Sprintf("k%02d", i), Spent: quota.Spent{Minute: int64(i), MinuteUsed: 1, DayUsed: 1}})
		}
		must(t, db.Accounts.SaveQuota(t.Context(), states))
		got, err := db.Accounts.LoadQuota(t.Context(), 4)
		slices.SortFunc(got, func(a, b quota.State) int { return int(a.Minute - b.Minute) })
		must(t, err)
		wantSame(t, "LoadQuota(4)", states[4:], got)
	})
}

// saveUsage stores a batch of a run.
func saveUsage(t testing.TB, db *sqldb.DB, run string, number int64, rows ...quota.UsageRow) error {
	return db.Accounts.SaveUsage(t.Context(), quota.UsageBatch{Run: run, Number: number, At: int64(noon), Rows: rows})
}

// usageOf returns the requests of a key by hour since hour 10, and the number of the last
// batch of a run.
func usageOf(t testing.TB, db *sqldb.DB, keyID, run string) (sums map[int64]int64, number int64) {
	t.Helper()
	list, number, err := db.Accounts.SumUsage(t.Context(), keyID, 10, run)
	must(t, err)
	sums = map[int64]int64{}
	for _, h := range list {
		sums[h.Hour] = h.Count
	}
	return sums, number
}

// TestUsageSums checks that batches add up, over runs too, and that one that is sent
// again counts once. The sums omit refusals, other keys and older hours.
func TestUsageSums(t *testing.T) {
	t.Parallel()
	row := func(hour int64, outcome quota.Outcome, count int64) quota.UsageRow {
		return quota.UsageRow{KeyID: "k", Hour: hour, Route: "/r", Outcome: outcome, Count: count}
	}
	other := row(10, quota.OutcomeOK, 99)
	other.KeyID = "other"
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, step := range []struct {
			run    string
			number int64
			rows   []quota.UsageRow
			want   map[int64]int64
		}{
			{"a", 1, []quota.UsageRow{row(9, quota.OutcomeOK, 1), row(10, quota.OutcomeOK, 2), row(10, quota.OutcomeRefused, 16), row(11, quota.OutcomeOK, 32), other},
				map[int64]int64{10: 2, 11: 32}},
			{"b", 1, []quota.UsageRow{row(10, quota.OutcomeOK, 4), row(10, quota.OutcomeServerError, 8)}, map[int64]int64{10: 14, 11: 32}},
			{"b", 2, []quota.UsageRow{row(10, quota.OutcomeOK, 1)}, map[int64]int64{10: 15, 11: 32}},
			{"a", 5, nil, map[int64]int64{10: 15, 11: 32}},
			{"a", 4, []quota.UsageRow{row(10, quota.OutcomeOK, 1000)}, map[int64]int64{10: 15, 11: 32}}, // older than the last
		} {
			for range 2 {
				must(t, saveUsage(t, db, step.run, step.number, step.rows...))
				got, _ := usageOf(t, db, "k", step.run)
				wantSame(t, fmt.Sprintf("after batch %d of %s", step.number, step.run), step.want, got)
			}
		}
		for run, want := range map[string]int64{"a": 5, "b": 2, "none": 0} {
			if _, number := usageOf(t, db, "k", run); number != want {
				t.Errorf("last batch of %s: %d, want %d", run, number, want)
			}
		}
	})
}

// TestCountRequests checks the sums over the keys of a user, and over one of them.
func TestCountRequests(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		enrol(t, db, account.User{ID: "usr_1", Email: "ann@example.org"})
		var rows []quota.UsageRow
		var first string
		for i, userID := range []string{"usr_1", "usr_1", ""} {
			k, _, err := account.Draft{Name: "k", UserID: userID}.Issue(int64(noon)+int64(i), rand.Reader)
			must(t, err)
			must(t, db.Accounts.CreateKey(t.Context(), k, account.By{At: int64(noon)}))
			if i == 0 {
				first = k.ID
			}
			for hour, outcome := range map[int64]quota.Outcome{9: quota.OutcomeOK, 10: quota.OutcomeOK, 11: quota.OutcomeServerError, 12: quota.OutcomeRefused} {
				rows = append(rows, quota.UsageRow{KeyID: k.ID, Hour: hour, Route: "/r", Outcome: outcome, Count: 1 << (4*i + int(hour-9))})
			}
		}
		must(t, saveUsage(t, db, "run", 1, rows...))
		for _, tt := range []struct {
			id   string
			user bool
			want int
		}{{first, false, 0x6}, {"usr_1", true, 0x66}, {"key_x", false, 0}, {"usr_x", true, 0}, {"usr_1", false, 0}} {
			if got, err := db.Accounts.CountRequests(t.Context(), tt.id, tt.user, 10); got != tt.want || err != nil {
				t.Errorf("%s: %#x, %v; want %#x", tt.id, got, err, tt.want)
			}
		}
	})
}

// TestForgetRuns checks that the numbers of runs that ended long ago are deleted.
func TestForgetRuns(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for run, at := range map[string]int64{"old": 99, "new": 100} {
			must(t, db.Accounts.SaveUsage(t.Context(), quota.UsageBatch{Run: run, Number: 3, At: at}))
		}
		must(t, db.Accounts.ForgetRuns(t.Context(), 100))
		for run, want := range map[string]int64{"old": 0, "new": 3} {
			if _, number := usageOf(t, db, "k", run); number != want {
				t.Errorf("last batch of %s: %d, want %d", run, number, want)
			}
		}
	})
}

// TestUsageByHour checks that the usage of several keys is summed over keys,
// refused requests included, by route and outcome.
func TestUsageByHour(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		var keys []string
		var rows []quota.UsageRow
		for i := range 300 { // more than fit in one statement
			key := fmt.Sprint("k", i)
			keys = append(keys, key)
			rows = append(rows,
				quota.UsageRow{KeyID: key, Hour: 9, Route: "/r", Outcome: quota.OutcomeOK, Count: 1000},
				quota.UsageRow{KeyID: key, Hour: 10, Route: "/r", Outcome: quota.OutcomeOK, Count: 1},
				quota.UsageRow{KeyID: key, Hour: 10, Route: "/r", Outcome: quota.OutcomeRefused, Count: 2})
		}
		must(t, saveUsage(t, db, "a", 1, rows...))
		must(t, saveUsage(t, db, "b", 1, append(rows, quota.UsageRow{KeyID: "k7", Hour: 11, Route: "/s", Outcome: quota.OutcomeServerError, Count: 5})...))
		for _, tt := range []struct {
			keys []string
			want []quota.UsageRow
		}{
			{keys, []quota.UsageRow{{Hour: 10, Route: "/r", Outcome: "ok", Count: 600}, {Hour: 10, Route: "/r", Outcome: "refused", Count: 1200},
				{Hour: 11, Route: "/s", Outcome: "server_error", Count: 5}}},
			{keys[7:9], []quota.UsageRow{{Hour: 10, Route: "/r", Outcome: "ok", Count: 4}, {Hour: 10, Route: "/r", Outcome: "refused", Count: 8},
				{Hour: 11, Route: "/s", Outcome: "server_error", Count: 5}}},
			{[]string{"unknown"}, nil},
			{nil, nil},
		} {
			got, err := db.Accounts.UsageByHour(t.Context(), tt.keys, 10)
			byAll := cmpopts.SortSlices(func(a, b quota.UsageRow) bool { return fmt.Sprint(a) < fmt.Sprint(b) })
			must(t, err)
			wantSame(t, fmt.Sprintf("UsageByHour of %d keys", len(tt.keys)), tt.want, got, byAll, cmpopts.EquateEmpty())
		}
	})
}

func TestLeaseRules(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		began := time.Now().UnixMilli()
		first, ok, err := db.Nodes.Claim(ctx, "build", "a", time.Hour)
		ended := time.Now().UnixMilli()
		want := lease.Lease{Name: "build", Holder: "a", Until: first.Until, Token: 1}
		if diff := cmp.Diff(want, first); diff != "" || !ok || err != nil {
			t.Fatalf("first claim: %v, %v\n%s", ok, err, diff)
		}
		const lasts, off = 3_600_000, 1000 // by the engine's clock
		if first.Until < began+lasts-off || first.Until > ended+lasts+off {
			t.Errorf("a lease of an hour that was claimed between %d and %d ends at %d", began, ended, first.Until)
		}
		if _, ok, _ := db.Nodes.Claim(ctx, "build", "b", time.Hour); ok {
			t.Error("a held lease was claimed")
		}
		if ok, err := db.Nodes.Renew(ctx, first, 0); !ok || err != nil {
			t.Errorf("renew for no time: %v, %v", ok, err)
		}
		second, ok, _ := db.Nodes.Claim(ctx, "build", "b", 0)
		if !ok || second.Token != 2 || second.Holder != "b" {
			t.Errorf("an overdue lease: %+v, %v", second, ok)
		}
		if ok, _ := db.Nodes.Renew(ctx, first, time.Hour); ok {
			t.Error("a holder renewed a lost lease")
		}
		if ok, _ := db.Nodes.Release(ctx, first); ok {
			t.Error("a holder released a lost lease")
		}
		second.Cursor = "TR"
		if ok, err := db.Nodes.Renew(ctx, second, time.Hour); !ok || err != nil {
			t.Errorf("renew: %v, %v", ok, err)
		}
		if l, _, err := db.Nodes.FindLease(ctx, "build"); l.Cursor != "TR" || l.Until < first.Until || l.Token != 2 || err != nil {
			t.Errorf("a renewed lease is %+v, %v", l, err)
		}
		if _, ok, _ := db.Nodes.Claim(ctx, "build", "a", time.Hour); ok {
			t.Error("a renewed lease was claimed")
		}
		// After a failover another process may have been given the same token.
		lost := second
		lost.Holder = "a"
		renewed, _ := db.Nodes.Renew(ctx, lost, time.Hour)
		released, _ := db.Nodes.Release(ctx, lost)
		if renewed || released {
			t.Errorf("a lease that another process holds with the same token: renewed %v, released %v", renewed, released)
		}
		done := lease.Lease{Name: "build", Token: 2, DueAt: began + 3_600_000, Cursor: "UA", Attempts: 3, LastError: "no"}
		releasing := done
		releasing.Holder, releasing.Until = "b", second.Until
		if ok, err := db.Nodes.Release(ctx, releasing); !ok || err != nil {
			t.Errorf("release: %v, %v", ok, err)
		}
		if l, found, err := db.Nodes.FindLease(ctx, "build"); l != done || !found || err != nil {
			t.Errorf("released lease is %+v, %v, %v; want %+v", l, found, err, done)
		}
		if ok, _ := db.Nodes.Renew(ctx, second, time.Hour); ok {
			t.Error("a released lease was renewed")
		}
		if _, ok, _ := db.Nodes.Claim(ctx, "build", "a", time.Hour); ok {
			t.Error("a lease was claimed before it is due")
		}
	})
}

// TestLeaseIsDueByTheClockOfTheDatabase checks that a released lease can be claimed from
// its time on.
func TestLeaseIsDueByTheClockOfTheDatabase(t *testing.T) {
	t.Parallel()
	now := int64(noon)
	db, err := sqldb.Open(t.Context(), engines()[0].dsn(t), engine.Options{Create: true, Now: func() time.Time { return time.UnixMilli(now) }})
	must(t, err)
	defer db.Close()
	l, _, claimed := db.Nodes.Claim(t.Context(), "build", "a", time.Minute)
	if l.Until != now+60_000 || claimed != nil {
		t.Errorf("claimed until %d, %v; want a minute after %d", l.Until, claimed, now)
	}
	due := lease.Lease{Name: "build", Holder: "a", Token: 1, DueAt: now + 500, Cursor: "UA", Attempts: 3, LastError: "no"}
	if ok, err := db.Nodes.Release(t.Context(), due); !ok || err != nil {
		t.Errorf("release: %v, %v", ok, err)
	}
	now += 499
	if _, ok, _ := db.Nodes.Claim(t.Context(), "build", "a", time.Minute); ok {
		t.Error("a lease was claimed before it is due")
	}
	now++
	again, ok, err := db.Nodes.Claim(t.Context(), "build", "a", time.Minute)
	want := lease.Lease{Name: "build", Holder: "a", Until: now + 60_000, Token: 2, DueAt: now, Cursor: "UA", Attempts: 3, LastError: "no"}
	if again != want || !ok || err != nil {
		t.Errorf("claim when due: %+v, want %+v, %v", again, want, err)
	}
}

// TestConcurrentClaimsHaveOneWinner claims, advances and saves concurrently through
// two handles, and checks that exactly one call of each kind succeeds.
func TestConcurrentClaimsHaveOneWinner(t *testing.T) {
	t.Parallel()
	onEachEngine(t, func(t *testing.T, e testEngine) {
		dsn := e.dsn(t)
		handles := []*sqldb.DB{open(t, dsn), open(t, dsn)}
		var mu sync.Mutex
		var wg sync.WaitGroup
		claims, advances := 0, 0
		for i := range 20 {
			wg.Go(func() {
				db := handles[i%2]
				_, claimed, err := db.Nodes.Claim(t.Context(), "build", fmt.Sprint(i), time.Hour)
				if err != nil {
					t.Error(err)
				}
				advanced, err := db.Nodes.Advance(t.Context(), 0)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				if claimed {
					claims++
				}
				if advanced {
					advances++
				}
			})
		}
		wg.Wait()
		if claims != 1 || advances != 1 {
			t.Errorf("%d calls claimed the lease and %d advanced the publication, want one each", claims, advances)
		}
	})
}

func TestPublication(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		ctx := t.Context()
		for i, step := range []struct {
			do   func() (any, error)
			want any
			seq  int64
		}{
			{func() (any, error) { return db.Nodes.Advance(ctx, 0) }, true, 1},
			{func() (any, error) { return db.Nodes.Advance(ctx, 0) }, false, 1},
			{func() (any, error) { return db.Nodes.Raise(ctx, 7) }, int64(7), 7},
			{func() (any, error) { return db.Nodes.Raise(ctx, 3) }, int64(7), 7},
			{func() (any, error) { return db.Nodes.Advance(ctx, 7) }, true, 8},
		} {
			got, err := step.do()
			seq, _ := db.Nodes.Seq(ctx)
			if got != step.want || seq != step.seq || err != nil {
				t.Errorf("step %d: %v, %v, seq %d; want %v, seq %d", i, got, err, seq, step.want, step.seq)
			}
		}
	})
}

func TestLoadingMarks(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		mark := func(name string, now, until int64) func() error {
			return func() error { return db.Nodes.MarkLoading(t.Context(), name, now, until) }
		}
		end := func(name string) func() error {
			return func() error { return db.Nodes.EndLoading(t.Context(), name) }
		}
		for _, step := range []struct {
			name string
			do   func() error
			want int64
		}{
			{"nobody has", func() error { return nil }, 0},
			{"one begins", mark("a", 100, 200), 200},
			{"a second import begins", mark("b", 110, 180), 200},
			{"the first renews its mark", mark("a", 120, 300), 300},
			{"the first ends, the second continues", end("a"), 180},
			{"the second was killed, a third deletes its mark", mark("c", 190, 195), 195},
			{"the third ends", end("c"), 0},
		} {
			if err := step.do(); err != nil {
				t.Fatalf("%s: %v", step.name, err)
			}
			if got, err := db.Nodes.LoadingUntil(t.Context()); got != step.want || err != nil {
				t.Errorf("%s: loading until %d, %v; want %d", step.name, got, err, step.want)
			}
		}
	})
}

func TestRates(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		if _, found, err := db.Nodes.LoadRates(t.Context()); found || err != nil {
			t.Errorf("an empty database has rates: %v, %v", found, err)
		}
		imported := nodes.Rates{Body: []byte(`{"base":"EUR"}`), UpdatedAt: 5, Imported: true, Source: "file"}
		asked := nodes.Rates{Body: []byte(`{"base":"USD"}`), UpdatedAt: 4, Source: "ecb"}
		newer := nodes.Rates{Body: []byte(`{"base":"USD","rates":{}}`), UpdatedAt: 6, Source: "ecb"}
		for _, step := range []struct {
			save         nodes.Rates
			overImported bool
			want         nodes.Rates
		}{
			{asked, false, asked},
			{newer, false, newer},
			{imported, true, imported},
			{asked, false, imported},
			{asked, true, asked},
		} {
			saved, err := db.Nodes.SaveRates(t.Context(), step.save, step.overImported, noon)
			if want := cmp.Equal(step.save, step.want); err != nil || saved != want {
				t.Fatalf("SaveRates = %v, %v; want %v", saved, err, want)
			}
			got, found, err := db.Nodes.LoadRates(t.Context())
			if diff := cmp.Diff(step.want, got); diff != "" || !found || err != nil {
				t.Errorf("LoadRates: %v, %v\n%s", found, err, diff)
			}
		}
	})
}

// TestRatesOfDays saves tables of rates and reads those of days.
func TestRatesOfDays(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1000
	midnight := noon - noon%day
	imported := func(source string, at catalog.Millis) savedRates { return savedRates{source, at, true} }
	fetched := func(source string, at catalog.Millis) savedRates { return savedRates{source, at, false} }
	tests := []struct {
		name  string
		saved []savedRates
		want  []history.DayRates // of the days -1 to 2 of midnight
	}{
		{"none", nil, nil},
		{"two of a day: the last one", []savedRates{fetched("a", 5), fetched("b", 9)}, dayRates(midnight, fetched("b", 9))},
		{"two of a time: the last one", []savedRates{fetched("a", 5), fetched("b", 5)}, dayRates(midnight, fetched("b", 5))},
		{"an older one", []savedRates{fetched("a", 9), fetched("b", 5)}, dayRates(midnight, fetched("a", 9))},
		{"an older one of the day before", []savedRates{fetched("a", 0), fetched("b", -1)},
			dayRates(midnight, fetched("b", -1), fetched("a", 0))},
		{"days apart, in any order", []savedRates{fetched("c", 2*day), fetched("a", -day), fetched("b", day-1)},
			dayRates(midnight, fetched("a", -day), fetched("b", day-1), fetched("c", 2*day))},
		{"days that were not asked for", []savedRates{fetched("a", -2*day), fetched("a", -day-1), fetched("b", 0), fetched("c", 3*day)},
			dayRates(midnight, fetched("b", 0))},
		{"an imported one", []savedRates{fetched("a", 5), imported("b", 9)}, dayRates(midnight, imported("b", 9))},
		{"an imported one that stays", []savedRates{imported("a", 5), fetched("b", 9), fetched("c", day)}, dayRates(midnight, imported("a", 5))},
	}
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, tt := range tests {
			t.Run(tt.name, func(t *testing.T) {
				empty(t, db)
				for i, s := range tt.saved {
					// The later the table, the older its rates: they do not decide.
					r := nodes.Rates{Body: ratesBody(s.source), UpdatedAt: int64(noon) - int64(i), Imported: s.imported, Source: s.source}
					_, err := db.Nodes.SaveRates(t.Context(), r, s.imported, midnight+s.at)
					must(t, err)
				}
				wantSame(t, "tables of days", tt.want, ratesOfDays(t, db, midnight.Day()-1, midnight.Day()+2))
			})
		}
	})
}

// TestKeptRates checks that a table that stays is the table of each day.
func TestKeptRates(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1000
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		must(t, db.Nodes.KeepRates(t.Context(), noon)) // there is none
		for i, source := range []string{"a", "b"} {
			_, err := db.Nodes.SaveRates(t.Context(), nodes.Rates{Body: ratesBody(source), UpdatedAt: 1, Source: source}, false, noon+catalog.Millis(i*day))
			must(t, err)
		}
		for _, at := range []catalog.Millis{noon, noon + day + 1, noon + 2*day, noon + 2*day + 1} {
			must(t, db.Nodes.KeepRates(t.Context(), at))
		}
		var want []history.DayRates
		for i, source := range []string{"a", "b", "b"} {
			at := noon + catalog.Millis(i*day)
			want = append(want, history.DayRates{Day: at.Day(), Body: ratesBody(source), Source: source, TakenAt: at})
		}
		wantSame(t, "tables of days", want, ratesOfDays(t, db, 0, noon.Day()+9))
	})
}

// TestAddedRates checks that a day keeps the table that it has.
func TestAddedRates(t *testing.T) {
	t.Parallel()
	const day = 24 * 60 * 60 * 1000
	midnight := noon - noon%day
	fetched := func(source string, at catalog.Millis) savedRates { return savedRates{source, at, false} }
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		_, err := db.Nodes.SaveRates(t.Context(), nodes.Rates{Body: ratesBody("own"), UpdatedAt: 1, Source: "own"}, false, midnight+5)
		must(t, err)
		add := dayRates(midnight, fetched("a", -2*day), fetched("b", -day), fetched("c", -day), fetched("d", 0))
		for _, want := range []int{2, 0} {
			if added, err := db.Nodes.AddDayRates(t.Context(), add); err != nil || added != want {
				t.Errorf("added %d, %v; want %d", added, err, want)
			}
		}
		want := dayRates(midnight, fetched("a", -2*day), fetched("b", -day), fetched("own", 5))
		wantSame(t, "tables of days", want, ratesOfDays(t, db, 0, noon.Day()+9))
	})
}

// savedRates is a table of rates that is saved.
type savedRates struct {
	source   string
	at       catalog.Millis // after midnight
	imported bool
}

// dayRates returns the tables as they are read.
func dayRates(midnight catalog.Millis, saved ...savedRates) (list []history.DayRates) {
	for _, s := range saved {
		at := midnight + s.at
		list = append(list, history.DayRates{Day: at.Day(), Body: ratesBody(s.source), Source: s.source, TakenAt: at})
	}
	return list
}

func ratesBody(source string) []byte { return []byte(`{"base":"` + source + `"}`) }

func ratesOfDays(t *testing.T, db *sqldb.DB, first, last int64) (list []history.DayRates) {
	t.Helper()
	must(t, db.Nodes.EachDayRates(t.Context(), first, last, func(r history.DayRates) error {
		r.Body = slices.Clone(r.Body)
		list = append(list, r)
		return nil
	}))
	return list
}

func TestPlatformOverride(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		for _, step := range []struct {
			status string
			want   map[catalog.Platform]string
		}{
			{"outage", map[catalog.Platform]string{catalog.PCStore: "outage"}},
			{"degraded", map[catalog.Platform]string{catalog.PCStore: "degraded"}},
			{"", nil},
		} {
			must(t, db.Nodes.SetPlatform(t.Context(), catalog.PCStore, step.status, account.By{At: 1}))
			got, err := db.Nodes.PlatformOverrides(t.Context())
			must(t, err)
			wantSame(t, fmt.Sprintf("after %q", step.status), step.want, got, cmpopts.EquateEmpty())
		}
		if n := len(audit(t, db, "pcstore")); n != 3 {
			t.Errorf("%d audit entries, want 3", n)
		}
	})
}

func TestServedIDs(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, db *sqldb.DB) {
		want := []catalog.Served{
			{ID: "AAAAAAAA", Platform: catalog.ConsoleStore, Product: "p1"},
			{ID: "AAAAAAAA", Platform: catalog.ConsoleStore, Product: "p2"},
			{ID: "star-forge", Platform: catalog.PCStore, Product: "p1"},
		}
		for _, more := range [][]catalog.Served{want[1:], want, nil} {
			must(t, db.Listings.Remember(t.Context(), more))
		}
		var got []catalog.Served
		err := db.Listings.Served(t.Context(), func(s catalog.Served) error { got = append(got, s); return nil })
		must(t, err)
		wantSame(t, "Served", want, got)
	})
}
