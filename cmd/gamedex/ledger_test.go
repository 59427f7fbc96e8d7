package main

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
	"gamedex/internal/history"
)

// ledger is what the stores showed, day by day.
type ledger struct{ days []ledgerDay }

type ledgerDay struct {
	end   catalog.Millis // when all stores were read
	shown map[catalog.Key]history.Step
}

// addDay adds the listings that are sold on a day whose prices have been read.
func (l *ledger) addDay(sold []catalog.Listing) {
	day := ledgerDay{catalog.MillisOf(time.Now()), make(map[catalog.Key]history.Step, len(sold))}
	for _, line := range sold {
		day.shown[line.Key] = history.StepOf(0, line.Price)
	}
	l.days = append(l.days, day)
}

// compare fails the test unless each history in a database shows at the end of each day
// what the ledger has.
func (l *ledger) compare(t *testing.T, dir string) {
	t.Helper()
	recorded := historiesOf(t, dir)
	everShown := map[catalog.Key]bool{}
	compared, judgedAgain, changes := 0, 0, 0
	for i, day := range l.days {
		for key := range day.shown {
			everShown[key] = true
		}
		for key := range everShown {
			want, sold := day.shown[key]
			if !sold {
				want = history.StepGone(0)
			}
			steps := recorded[key]
			after, _ := slices.BinarySearchFunc(steps, day.end, func(s history.Step, end catalog.Millis) int {
				if s.At <= end {
					return -1
				}
				return 1
			})
			if after == 0 {
				t.Errorf("day %d: %v has no step, want %+v", i, key, want)
				continue
			}
			got := steps[after-1]
			got.At = 0
			switch {
			case got == want:
				compared++
			case l.isJudgedAgain(i, key, got):
				judgedAgain++
			default:
				t.Errorf("day %d: %v shows %+v, want %+v", i, key, got, want)
			}
		}
	}
	for _, steps := range recorded {
		changes += len(steps) - 1
	}
	t.Logf("%d prices of %d days agree with the histories, which have %d changes; %d more were judged again", compared, len(l.days), changes, judgedAgain)
	if len(l.days) > 1 && changes == 0 {
		t.Error("no history has a change")
	}
}

// isJudgedAgain reports whether a price was stored as it was on a day, and on the next day
// marked as doubtful, or no longer so, as of when it was last seen: the prices of other
// regions were read first, and had changed.
func (l *ledger) isJudgedAgain(day int, key catalog.Key, got history.Step) bool {
	if day+1 == len(l.days) {
		return false
	}
	want, next := l.days[day].shown[key], l.days[day+1].shown[key]
	want.Doubtful = got.Doubtful
	return got == want && got.Doubtful == next.Doubtful
}

// historiesOf returns the history of each listing in a database.
func historiesOf(t *testing.T, dir string) map[catalog.Key][]history.Step {
	t.Helper()
	recorded := map[catalog.Key][]history.Step{}
	for _, l := range listingsOf(t, dir) { // without a change, the listing has the only step
		recorded[l.Key] = []history.Step{history.StepOf(l.PricedAt, l.Price)}
		if l.Withdrawn {
			recorded[l.Key][0] = history.StepGone(l.ObservedAt)
		}
	}
	reader, err := feed.NewHistoryReader(strings.NewReader(must(t, dir, "", "history", "export")), time.Now)
	for err == nil {
		var line feed.HistoryRecord
		if line, err = reader.Next(); err == nil && line.Rates == nil {
			recorded[line.Series.Key] = line.Series.Steps
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatal(err)
	}
	return recorded
}
