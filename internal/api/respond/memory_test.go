package respond

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// reader is a client that takes a number of bytes a second, until it is cut off.
type reader struct {
	http.ResponseWriter
	speed int
	cut   chan struct{}
}

func (r *reader) Write(p []byte) (int, error) {
	done := make(<-chan time.Time)
	if r.speed > 0 {
		done = time.After(time.Duration(len(p)) * time.Second / time.Duration(r.speed))
	}
	select {
	case <-done:
		return len(p), nil
	case <-r.cut:
		return 0, os.ErrDeadlineExceeded
	}
}

func (r *reader) SetReadDeadline(time.Time) error  { return nil }
func (r *reader) SetWriteDeadline(time.Time) error { close(r.cut); return nil }

// newHold returns a hold of an owner for a client that reads at a speed.
func newHold(p *Pool, owner, network string, speed int) *Hold {
	h := &Hold{Pool: p, Owner: owner, W: &reader{speed: speed, cut: make(chan struct{})}}
	if network != "" {
		h.Network = netip.MustParsePrefix(network)
	}
	return h
}

const mib = 1 << 20

// take lets an owner take a MiB for each of n answers, until that fails. The clients read at a
// speed, which begins at once, and the memory is released when they have read a MiB.
func take(t *testing.T, p *Pool, owner, network string, speed, n int) (got int, err error) {
	for range n {
		h := newHold(p, owner, network, speed)
		if err := h.Take(t.Context(), mib); err != nil {
			h.Release()
			return got, err
		}
		got++
		go func() {
			defer h.Release()
			for range mib / pace {
				if _, err := h.Write(make([]byte, pace)); err != nil {
					return
				}
			}
		}()
	}
	return got, nil
}

// held returns what an owner holds.
func held(p *Pool, owner string) int64 {
	p.memory.mu.Lock()
	defer p.memory.mu.Unlock()
	return p.memory.accounts[party{owner: owner}].held()
}

// leftOf returns 0 if nothing is in use.
func leftOf(p *Pool) int64 {
	m := p.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.used + m.leaving + int64(len(m.accounts)+len(m.holds)+len(m.waiting))
}

// TestShares checks what one owner may hold, what is left for small answers, and that a
// request that waits gets memory as soon as there is some.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool := NewPool(64*mib, 0)
		ann, err := take(t, pool, "ann", "", mib/4, 20)
		if ann != 16 || !errors.Is(err, ErrOwnerMemory) {
			t.Fatalf("one owner holds %d MiB of 64, error %v", ann, err)
		}
		for _, owner := range []string{"bob", "eve"} {
			if _, err := take(t, pool, owner, "", mib/4, 16); err != nil {
				t.Fatal(err)
			}
		}
		began := time.Now()
		for _, owner := range []string{"ann", "joe"} { // also beyond the share
			small := newHold(pool, owner, "", 0)
			if err := small.Take(t.Context(), smallHold); err != nil || time.Since(began) != 0 {
				t.Errorf("a small answer of %s while large ones have all they may: %v after %v", owner, err, time.Since(began))
			}
			small.Release()
		}
		time.Sleep(2500 * time.Millisecond)
		left := time.Now().Add(500 * time.Millisecond) // of the answers to ann
		if _, err := take(t, pool, "ann", "", mib/4, 1); err != nil || !time.Now().Equal(left) {
			t.Errorf("memory %v after it was released: %v", time.Since(left), err)
		}
		gone, cancel := context.WithCancel(t.Context())
		time.AfterFunc(memoryWait/2, cancel)
		big := newHold(pool, "joe", "", 0)
		if err := big.Take(gone, 60*mib); !errors.Is(err, context.Canceled) {
			t.Errorf("a client that left: %v", err)
		}
		big.Release()
		time.Sleep(time.Minute)
		if left := leftOf(pool); left != 0 {
			t.Errorf("%d bytes, accounts, holds and waiters are left", left)
		}
	})
}

// TestWhoIsCutOff fills the memory with the answers of owners, each reading at its speed, and
// lets a newcomer ask for a MiB after a while.
func TestWhoIsCutOff(t *testing.T) {
	type group struct {
		owners, answers int // of each owner
		network         string
		speed           int // bytes a second
		left            int // MiB that the group holds when the newcomer has its own
	}
	const slow, normal, fast = 3 << 10, 128 << 10, 4 << 20
	const there, here, home = "192.0.2.1/32", "192.0.2.2/32", "192.0.2.3/32"
	for _, tt := range []struct {
		name    string
		after   time.Duration
		groups  []group
		refused error
	}{
		{"the richest", time.Second, []group{{1, 16, "", slow, 15}, {2, 15, "", slow, 30}, {1, 2, "", slow, 2}}, nil},
		{"the slowest", time.Second, []group{{2, 16, "", normal, 32}, {1, 16, "", slow, 15}}, nil},
		{"not the slowest, if it has little", time.Second, []group{{3, 15, "", 2 * slow, 44}, {1, 3, "", slow, 3}}, nil},
		{"nobody who reads fast", 0, []group{{3, 16, "", fast, 0}}, nil},
		{"the network with most, not the owner", time.Second, []group{{3, 8, there, slow, 23}, {1, 12, here, slow, 12}, {1, 12, home, slow, 12}}, nil},
		{"a neighbour of the newcomer", time.Second, []group{{3, 16, home, slow, 47}}, nil},
		{"nobody with as much, at first", 0, []group{{48, 1, "", slow, 48}}, ErrMemory},
		{"an equal that is slow", 5 * time.Second, []group{{24, 1, "", slow, 23}, {24, 1, "", normal, 24}}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				pool := NewPool(64*mib, 0)
				owner := func(g, o int) string { return fmt.Sprintf("owner %d of group %d", o, g) }
				for g, group := range tt.groups {
					for o := range group.owners {
						if _, err := take(t, pool, owner(g, o), group.network, group.speed, group.answers); err != nil {
							t.Fatal(err)
						}
					}
				}
				time.Sleep(tt.after)
				if _, err := take(t, pool, "newcomer", home, fast, 1); !errors.Is(err, tt.refused) {
					t.Errorf("the newcomer: %v, want %v", err, tt.refused)
				}
				synctest.Wait()
				for g, group := range tt.groups {
					var left int64
					for o := range group.owners {
						left += held(pool, owner(g, o)) / mib
					}
					if left != int64(group.left) {
						t.Errorf("group %d holds %d MiB, want %d", g, left, group.left)
					}
				}
				time.Sleep(time.Hour)
			})
		})
	}
}

// TestSharesAreFair lets owners behind networks ask for memory at random, and read at any speed.
// It checks that what is in use never exceeds its bounds, and that nobody is refused while
// an owner or a network that holds more than the refused would could leave enough.
func TestSharesAreFair(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		plan := rapid.SliceOfN(rapid.Custom(drawRequest), 1, 120).Draw(rt, "requests")
		synctest.Test(t, func(t *testing.T) {
			w := fairWorld{pool: NewPool(16*mib, 0), granted: map[*Hold]time.Time{}}
			for _, r := range plan {
				go w.answer(t.Context(), r)
				time.Sleep(r.pause)
				synctest.Wait()
				w.checkBounds()
			}
			time.Sleep(time.Hour)
			w.checkBounds()
			if left := leftOf(w.pool); left != 0 {
				t.Errorf("%d bytes, accounts, holds and waiters are left", left)
			}
			for _, f := range w.failed {
				rt.Error(f)
			}
		})
	})
}

// planned is a request at random.
type planned struct {
	owner, network, speed int
	bytes                 int64
	pause                 time.Duration // after it
}

func drawRequest(t *rapid.T) planned {
	return planned{
		owner: rapid.IntRange(0, 12).Draw(t, "owner"), network: rapid.IntRange(0, 6).Draw(t, "network"),
		speed: rapid.SampledFrom([]int{3 << 10, 100 << 10, 10 << 20}).Draw(t, "speed"),
		bytes: rapid.SampledFrom([]int64{96 << 10, 288 << 10, mib, 3 * mib}).Draw(t, "bytes"),
		pause: time.Duration(rapid.SampledFrom([]int{0, 0, 0, 1, 70, 600}).Draw(t, "ms")) * time.Millisecond,
	}
}

type fairWorld struct {
	pool *Pool
	// Of mu of the memory:
	granted map[*Hold]time.Time
	failed  []string
}

// answer takes memory, lets the client read, and releases the memory.
func (w *fairWorld) answer(ctx context.Context, p planned) {
	network := ""
	if p.network > 0 {
		network = fmt.Sprintf("2001:db8:0:%d::/64", p.network)
	}
	h := newHold(w.pool, fmt.Sprint(p.owner), network, p.speed)
	defer h.Release()
	if err := h.Take(ctx, p.bytes); err != nil {
		w.checkRefusal(h, p.bytes, err)
		return
	}
	w.pool.memory.mu.Lock()
	w.granted[h] = time.Now()
	w.pool.memory.mu.Unlock()
	for range 16 {
		if _, err := h.Write(make([]byte, pace)); err != nil {
			return
		}
	}
}

// checkRefusal looks for a party that has so much more than the refused would have that the difference
// was enough. What was granted at the end of the wait does not count: that may be after its end.
func (w *fairWorld) checkRefusal(h *Hold, more int64, err error) {
	m := w.pool.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	had, couldLeave := map[party]int64{}, map[party]int64{}
	for v := range m.holds {
		at, granted := w.granted[v]
		for _, p := range [...]party{{owner: v.Owner}, {network: v.Network}} {
			own := p.owner == h.Owner || p.network == h.Network && p.owner == ""
			if p == (party{}) || v.cut || !own && (!granted || time.Since(at) <= 2*recheck) {
				continue
			}
			had[p] += v.bytes
			if !own && v.waitedUntil(m.now()) > patience+2*recheck {
				couldLeave[p] += v.bytes
			}
		}
	}
	own := had[party{owner: h.Owner}]
	if own+more > m.share {
		return // within the bounds of its own
	}
	if !errors.Is(err, ErrMemory) {
		w.failed = append(w.failed, fmt.Sprintf("%s: %v", h.Owner, err))
	}
	would := max(own, had[party{network: h.Network}]) + more
	missing := m.excess(&waiter{Hold: h, more: more}) - m.leaving
	for p, bytes := range couldLeave {
		if missing > 0 && min(bytes, had[p]-would) >= missing {
			w.failed = append(w.failed, fmt.Sprintf("%s is refused %d KiB of which %d are missing, and would have %d, while %v has %d", h.Owner, more>>10, missing>>10, would>>10, p, had[p]>>10))
			return
		}
	}
}

// checkBounds compares what is in use with the sum of the holds.
func (w *fairWorld) checkBounds() {
	m := w.pool.memory
	m.mu.Lock()
	defer m.mu.Unlock()
	var used, small int64
	byOwner := map[string]int64{}
	for h := range m.holds {
		used += h.bytes
		if h.bytes <= smallHold {
			small += h.bytes
		} else if byOwner[h.Owner] += h.bytes; byOwner[h.Owner] > m.share {
			w.failed = append(w.failed, fmt.Sprintf("%s holds %d of %d", h.Owner, byOwner[h.Owner], m.share))
		}
	}
	if used != m.used || used > m.size || used-small > m.large {
		w.failed = append(w.failed, fmt.Sprintf("%d are in use, %d of them small; counted %d of %d", used, small, m.used, m.size))
	}
}
