package main

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"
)

// flushed is how old an answer may be that a killed process has not stored yet. A process
// stores its counts every 10 seconds; a flush may take as long again on a busy machine.
const flushed = 20 * time.Second

// ledger counts the requests of each key as its clients see them.
type ledger struct {
	mu       sync.Mutex
	entries  map[string]*entry // by the id of the key
	recent   []asked           // the answers of the last seconds
	took     []time.Duration   // times of answers since the last call of times
	answers  map[string]int    // by status
	lost     int               // requests without an answer, because their process was killed
	failures map[string]int
	alone    map[string]int // by the end of the minute: requests that nodes counted without the counter server
}

// entry is what one key has used.
type entry struct {
	name    string
	passed  tally // requests that count towards the limits
	refused tally // by the limits
	unsure  int   // without an answer: they may have been counted
	minutes map[string]*minute
}

// tally is a number of requests.
type tally struct {
	answered int
	lost     int // of these, answered so shortly before a kill that they may not be stored
	stored   int // at the end
}

// add adds another tally.
func (t *tally) add(other tally) {
	t.answered, t.lost, t.stored = t.answered+other.answered, t.lost+other.lost, t.stored+other.stored
}

// minute is a window, by its end.
type minute struct {
	passed int
	limit  int // the highest that an answer has named
	lost   int // passed, but perhaps forgotten at a kill
}

// asked is a request that was answered.
type asked struct {
	at     time.Time
	node   *node
	tally  *tally
	minute *minute // nil: it was refused
}

func newLedger() *ledger {
	return &ledger{entries: map[string]*entry{}, answers: map[string]int{}, failures: map[string]int{}, alone: map[string]int{}}
}

// open adds a key.
func (l *ledger) open(id, name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[id] = &entry{name: name, minutes: map[string]*minute{}}
}

// fail notes what should not happen.
func (l *ledger) fail(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.failures[fmt.Sprintf(format, args...)]++
}

// unanswered notes a request to a node of which nobody knows whether it was counted.
func (l *ledger) unanswered(n *node, id string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries[id].unsure++
	if n.killed.Load() {
		l.lost++
	}
}

// answered notes the answer of a node to a key.
func (l *ledger) answered(n *node, id string, took time.Duration, status int, header http.Header) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.answers[strconv.Itoa(status)]++
	l.took = append(l.took, took)
	limit, _ := strconv.Atoi(header.Get("X-RateLimit-Limit-Minute")) // 0 fails below
	left, err := strconv.Atoi(header.Get("X-RateLimit-Remaining-Minute"))
	if err != nil || left < 0 || left > limit {
		l.failures[fmt.Sprintf("an answer %d says that %d of %d requests a minute are left", status, left, limit)]++
	}
	a, end := l.entries[id], header.Get("X-RateLimit-Reset-Minute")
	m := a.minutes[end]
	if m == nil {
		m = &minute{}
		a.minutes[end] = m
	}
	m.limit = max(m.limit, limit)
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden: // not counted
	case http.StatusTooManyRequests:
		a.refused.answered++
		l.recent = append(l.recent, asked{time.Now(), n, &a.refused, nil})
	case http.StatusInternalServerError, http.StatusServiceUnavailable: // perhaps counted
		a.unsure++
	default:
		a.passed.answered++
		m.passed++
		l.recent = append(l.recent, asked{time.Now(), n, &a.passed, m})
	}
}

// killed notes that a node was killed and has answered all that it will.
func (l *ledger) killed(n *node) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	for _, r := range l.recent {
		if r.node != n {
			continue
		}
		r.tally.lost++
		if r.minute != nil {
			r.minute.lost++
		}
	}
	l.recent = slices.DeleteFunc(l.recent, func(r asked) bool { return r.node == n })
}

// forget drops what is stored by now.
func (l *ledger) forget() {
	stored := time.Now().Add(-flushed)
	l.recent = slices.DeleteFunc(l.recent, func(r asked) bool { return r.at.Before(stored) })
}

// countedAlone notes requests that nodes have counted without the counter server since the
// last call, a sample ago.
func (l *ledger) countedAlone(requests int, now time.Time, sample time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, at := range []time.Time{now, now.Add(-sample)} {
		l.alone[at.UTC().Truncate(time.Minute).Add(time.Minute).Format("2006-01-02T15:04:05.000Z")] += requests
	}
}

// times returns the times of the answers since the last call.
func (l *ledger) times() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget()
	took := l.took
	l.took = nil
	return took
}

// check compares the ledger with what is stored of each key.
func (l *ledger) check() {
	for _, id := range slices.Sorted(maps.Keys(l.entries)) {
		e := l.entries[id]
		for what, t := range map[string]tally{"answered": e.passed, "refused": e.refused} {
			if t.stored < t.answered-t.lost || t.stored > t.answered+e.unsure {
				l.fail("key %s (%s): %d %s requests are stored, want %d to %d", id, e.name, t.stored, what, t.answered-t.lost, t.answered+e.unsure)
			}
		}
		for end, m := range e.minutes {
			if most := m.limit + m.lost + l.alone[end]; m.passed > most {
				l.fail("key %s (%s): %d requests passed in the minute that ends at %s, want at most %d", id, e.name, m.passed, end, most)
			}
		}
	}
}
