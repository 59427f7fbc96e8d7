package main

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestLedger checks what the ledger says about a key whose limit is 3 requests a minute.
func TestLedger(t *testing.T) {
	tests := []struct {
		name     string
		statuses []int
		killed   bool // after the answers
		lost     int  // requests without an answer
		alone    int  // requests counted without the counter server
		passed   int  // stored
		refused  int  // stored
		want     string
	}{
		{"all stored", []int{200, 404, 429}, false, 0, 0, 2, 1, ""},
		{"answers 403 are not counted", []int{403, 200}, false, 0, 0, 1, 0, ""},
		{"one too many", []int{200, 200}, false, 0, 0, 3, 0, "3 answered requests are stored, want 2 to 2"},
		{"one too few", []int{200, 200}, false, 0, 0, 1, 0, "1 answered requests are stored, want 2 to 2"},
		{"a refused one too few", []int{429}, false, 0, 0, 0, 0, "0 refused requests are stored, want 1 to 1"},
		{"lost at a kill", []int{200, 200}, true, 0, 0, 0, 0, ""},
		{"one too many after a kill", []int{200, 200}, true, 0, 0, 3, 0, "3 answered requests are stored, want 0 to 2"},
		{"not answered but counted", []int{200}, false, 1, 0, 2, 0, ""},
		{"not answered and not counted", []int{200}, false, 1, 0, 1, 0, ""},
		{"more than the limit", []int{200, 200, 200, 200}, false, 0, 0, 4, 0, "4 requests passed in the minute that ends at E, want at most 3"},
		{"more than the limit, counted alone", []int{200, 200, 200, 200}, false, 0, 1, 4, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			l, n := newLedger(), &node{}
			l.open("k", "key")
			header := http.Header{}
			header.Set("X-RateLimit-Limit-Minute", "3")
			header.Set("X-RateLimit-Remaining-Minute", "0")
			header.Set("X-RateLimit-Reset-Minute", "E")
			for _, status := range test.statuses {
				l.answered(n, "k", time.Millisecond, status, header)
			}
			for range test.lost {
				l.unanswered(n, "k")
			}
			if test.killed {
				l.killed(n)
			}
			l.alone["E"] = test.alone
			l.entries["k"].passed.stored, l.entries["k"].refused.stored = test.passed, test.refused
			l.check()
			got := strings.Join(slices.Collect(maps.Keys(l.failures)), "; ")
			if !strings.HasSuffix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("the ledger says %q, want %q", got, test.want)
			}
		})
	}
}

// TestLedgerChecksHeaders checks that an answer cannot leave more than the limit.
func TestLedgerChecksHeaders(t *testing.T) {
	for _, left := range []string{"", "-1", "61"} {
		l := newLedger()
		l.open("k", "key")
		header := http.Header{}
		header.Set("X-RateLimit-Limit-Minute", "60")
		header.Set("X-RateLimit-Remaining-Minute", left)
		l.answered(&node{}, "k", 0, http.StatusOK, header)
		if len(l.failures) != 1 {
			t.Errorf("%q requests left of 60: failures %v, want one", left, l.failures)
		}
	}
}
