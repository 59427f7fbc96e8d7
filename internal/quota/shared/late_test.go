package shared_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gamedex/internal/account"
	"gamedex/internal/quota"
	"gamedex/internal/quota/shared"
	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// fault is what happens to one call and to all that follows it on its connection.
type fault int32

const (
	noFault     fault = iota
	lateRequest       // it arrives when the network is healed
	lateAnswer        // its answer arrives when the network is healed
	lostAnswer        // the connection ends instead of its answer
)

// network is one in front of a server that can harm a single call.
type network struct {
	addr   string
	fault  atomic.Int32
	healed chan struct{}
	hit    atomic.Bool  // the fault has happened
	sent   atomic.Int64 // requests that have reached the server
}

func newNetwork(t *testing.T, server string) *network {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	n := &network{addr: listener.Addr().String(), healed: make(chan struct{})}
	var all sync.WaitGroup
	all.Go(func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", server)
			if err != nil {
				t.Error(err)
				return
			}
			all.Go(func() { n.carry(far, near, lateRequest) })
			all.Go(func() { n.carry(near, far, lateAnswer, lostAnswer) })
		}
	})
	t.Cleanup(func() { // after the nodes have closed their connections
		listener.Close()
		all.Wait()
	})
	return n
}

// carry carries bytes one way, on which some faults may happen.
func (n *network) carry(to, from net.Conn, faults ...fault) {
	defer to.Close()
	buffer := make([]byte, 1<<16)
	for {
		size, err := from.Read(buffer)
		if err != nil {
			return
		}
		for _, f := range faults {
			if n.fault.CompareAndSwap(int32(f), int32(noFault)) {
				n.hit.Store(true)
				if f == lostAnswer {
					from.Close()
					return
				}
				<-n.healed
			}
		}
		if faults[0] == lateRequest {
			n.sent.Add(1)
		}
		if _, err := to.Write(buffer[:size]); err != nil {
			io.Copy(io.Discard, from)
			return
		}
	}
}

// TestOneLateCall harms one call of a node, after a quiet time. The node makes it again and
// does not count alone: with another node it allows exactly the limit, also when the call
// arrives after others.
func TestOneLateCall(t *testing.T) {
	calmDay(t)
	for _, f := range []struct {
		name  string
		fault fault
	}{{"a late request", lateRequest}, {"a late answer", lateAnswer}, {"a lost answer", lostAnswer}} {
		t.Run(f.name, func(t *testing.T) {
			server := enginetest.NewRedis(t)
			network := newNetwork(t, server.Addr())
			near := nodesOn(t, "redis://"+server.Addr(), 2, openSilent)[0]
			far := nodesOn(t, "redis://"+network.addr, 2, openSilent)[0]
			far.WaitFor(20*time.Millisecond, await.Patience)
			l, o := quota.Limits{Minute: 1000, Day: 30}, quota.Owner{ID: "usr", Limits: quota.Limits{Minute: 1000, Day: 40}}
			for _, s := range []*shared.Shared{near, far} {
				takeOwned(t, s, "key", l, o)
			}
			network.fault.Store(int32(f.fault))
			for used := 3; used <= 4; used++ { // the second call has the place of the first
				if d := takeOwned(t, far, "key", l, o); !network.hit.Load() || !d.Allowed || d.Day.Used != used {
					t.Errorf("the harmed call: %+v, want request %d", d, used)
				}
			}
			far.WaitFor(await.Patience, await.Patience)
			passed := 4
			sent := network.sent.Load()
			close(network.healed)
			if f.fault == lateRequest {
				await.That(t, "the late request", func() bool { return network.sent.Load() > sent })
			}
			for _, s := range []*shared.Shared{far, near} {
				if takeOwned(t, s, "key", l, o).Allowed {
					passed++
				}
			}
			passed += spend(t, far, "key", l, o) + spend(t, near, "key", l, o)
			if passed != 30 || far.Outages() > 0 {
				t.Errorf("%d requests passed, %d outages; want 30 and none", passed, far.Outages())
			}
			if d := takeOwned(t, near, "other", l, o); d.Day.Remaining != 9 {
				t.Errorf("after 30 requests of a key its owner has %d of 40 left, and one used", d.Day.Remaining)
			}
		})
	}
}

// TestOneLateTry harms one call that counts a failed sign-in, which counts once.
func TestOneLateTry(t *testing.T) {
	server := enginetest.NewRedis(t)
	for _, f := range []fault{lateRequest, lateAnswer, lostAnswer} {
		network := newNetwork(t, server.Addr())
		s := openSilent(t, config(t, "redis://"+network.addr))
		s.WaitFor(20*time.Millisecond, await.Patience)
		window := []account.TryWindow{{Name: fmt.Sprint(f), Limit: 3, Span: time.Hour}}
		network.fault.Store(int32(f))
		for i := range 4 {
			wait, err := s.CountTries(window, 1)
			if err != nil || !network.hit.Load() || (wait == 0) != (i < 3) {
				t.Errorf("fault %d, try %d waits %v, %v", f, i, wait, err)
			}
			if i == 0 {
				s.WaitFor(await.Patience, await.Patience)
				close(network.healed)
			}
		}
	}
}

// TestCallsArriveAgain compares the script with a model: charges of several places arrive in
// any order, also long after their place was used again, and each counts once.
func TestCallsArriveAgain(t *testing.T) {
	server := enginetest.NewRedis(t)
	s := open(t, config(t, "redis://"+server.Addr()))
	s.TakeTimeFromKeys("seconds", "micros")
	setServer := setServerClock(t, server.Addr())
	testAgain(t, s, noon, setServer)
}

// TestCallsArriveAgainInACluster is TestCallsArriveAgain by the clocks of a cluster.
func TestCallsArriveAgainInACluster(t *testing.T) {
	calmDay(t)
	testAgain(t, open(t, config(t, "redis://"+enginetest.NewRedisCluster(t)[0].Addr()+"?cluster=1")), 0, nil)
}

// charge is one that the model has sent.
type charge struct {
	limits quota.Limits
	owner  quota.Owner
	place  uint64
	number uint32
}

// testAgain tests a node on a server whose clock set sets; nil: the clock runs, and only days
// are limited.
func testAgain(t *testing.T, s *shared.Shared, start int64, set func(int64)) {
	round := 0
	rapid.Check(t, func(t *rapid.T) {
		round++
		key, owner := fmt.Sprint("key", round), ""
		if rapid.Bool().Draw(t, "owned") {
			owner = fmt.Sprint("usr", round)
		}
		now := start
		if set != nil {
			set(now)
		}
		limits := func(least int) quota.Limits {
			l := quota.Limits{Minute: quota.MaxMinute, Day: rapid.IntRange(least, 12).Draw(t, "day")}
			if set != nil {
				l.Minute = rapid.IntRange(least, 5).Draw(t, "minute")
			}
			return l
		}
		draw := func() charge {
			c := charge{limits: limits(1)}
			if owner != "" {
				c.owner = quota.Owner{ID: owner, Limits: limits(0)}
			}
			return c
		}
		var spent quota.Pair
		look := func(c charge) {
			want := spent.Look(c.limits, c.owner, now)
			d, err := s.Look(context.Background(), key, c.limits, c.owner, now)
			if err != nil || d.Day.Used != want.Day.Used || d.Day.Remaining != want.Day.Remaining || set != nil && d != want {
				t.Fatalf("Look: %+v, %v, want %+v", d, err, want)
			}
		}
		look(draw()) // makes the key
		var sent []charge
		last, charged := map[uint64]uint32{}, map[uint64]uint32{} // numbers by place
		for range rapid.IntRange(1, 40).Draw(t, "calls") {
			if set != nil {
				now += rapid.SampledFrom([]int64{0, 0, 0, 1000, minute, 24 * 60 * minute}).Draw(t, "later")
				set(now)
			}
			c := draw()
			if len(sent) > 0 && rapid.Bool().Draw(t, "again") {
				c = rapid.SampledFrom(sent).Draw(t, "call")
			} else {
				c.place = rapid.Uint64Range(1, 4).Draw(t, "place")
				last[c.place]++
				c.number = last[c.place]
				sent = append(sent, c)
			}
			d, err := s.Deliver(key, c.limits, c.owner, c.place, c.number)
			if c.number <= charged[c.place] {
				// Nobody waits for a call whose place was used again.
				if err != nil || c.number == charged[c.place] && !d.Allowed {
					t.Fatalf("%+v again: %+v, %v, want the answer of the first time", c, d, err)
				}
			} else {
				after, want := spent.Take(c.limits, c.owner, now)
				if err != nil || d.Allowed != want.Allowed || d.Day.Used != want.Day.Used || set != nil && d != want {
					t.Fatalf("%+v: %+v, %v, want %+v", c, d, err, want)
				}
				if spent = after; d.Allowed {
					charged[c.place] = c.number
				}
			}
			look(c)
		}
	})
}

// TestPlacesAreForgotten lets more charges of a key be under way than the server remembers,
// and checks how much it keeps, also on the next day.
func TestPlacesAreForgotten(t *testing.T) {
	server := enginetest.NewRedis(t)
	s := open(t, config(t, "redis://"+server.Addr()))
	s.TakeTimeFromKeys("seconds", "micros")
	setServer := setServerClock(t, server.Addr())
	setServer(noon)
	l := quota.Limits{Minute: quota.MaxMinute, Day: quota.MaxDay}
	take(t, s, "key", l)
	for i := range uint64(300) {
		if _, err := s.Deliver("key", l, quota.Owner{}, i+2, 1); err != nil {
			t.Fatal(err)
		}
	}
	if n := server.Ask(t, "STRLEN gamedex:key:{key}"); n != "1548" {
		t.Errorf("after 301 charges a key has %s bytes, want a state and 128 places of 12 each", n)
	}
	setServer(noon + 24*60*minute)
	take(t, s, "key", l)
	if n := server.Ask(t, "STRLEN gamedex:key:{key}"); n != "108" {
		t.Errorf("on the next day a key has %s bytes, want a state and 8 places", n)
	}
}

// TestBurstsOnABusyMachine lets two nodes allow bursts of requests, each with a new key,
// while other processes keep all processors busy.
func TestBurstsOnABusyMachine(t *testing.T) {
	calmDay(t)
	bursts := 3
	if os.Getenv("GAMEDEX_WORLD") == "full" {
		bursts = 50
	}
	nodes := nodesOn(t, "redis://"+enginetest.NewRedis(t).Addr(), 2, openHasty)
	keepBusy(t)
	l := quota.Limits{Minute: quota.MaxMinute, Day: 30}
	for burst := range bursts {
		var passed atomic.Int64
		var all sync.WaitGroup
		for i := range 60 {
			all.Go(func() {
				if take(t, nodes[i%2], fmt.Sprint("key", burst), l).Allowed {
					passed.Add(1)
				}
			})
		}
		all.Wait()
		if passed.Load() != 30 {
			t.Errorf("burst %d: %d requests passed, want 30", burst, passed.Load())
		}
	}
}

// keepBusy starts four processes for each processor, which work until the test ends.
func keepBusy(t *testing.T) {
	t.Helper()
	const work = `while kill -0 "$1"; do i=0; while [ $i -lt 100000 ]; do i=$((i + 1)); done; done`
	for range 4 * runtime.NumCPU() {
		busy := exec.CommandContext(t.Context(), "sh", "-c", work, "busy", strconv.Itoa(os.Getpid()))
		must(t, busy.Start())
		t.Cleanup(func() { busy.Wait() }) // the context has killed it
	}
}
