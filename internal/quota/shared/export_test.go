package shared

import (
	"strings"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/quota"
	"gamedex/internal/testing/await"
)

func init() { openTime, stuckTime, probeEvery = await.Patience, await.Patience, 50*time.Millisecond }

// WaitLonger makes calls wait for a server that is slow because the machine is busy.
func (s *Shared) WaitLonger() { s.WaitFor(await.Patience, await.Patience) }

// WaitFor makes further calls wait so long for the server, and so long on the other connection.
func (s *Shared) WaitFor(waits ...time.Duration) {
	for i, wait := range waits {
		s.connections[i].wait = wait
		s.connections[i].last.Store(nil)
	}
}

// CompareClocksOften makes Run compare the clocks every few milliseconds.
func (s *Shared) CompareClocksOften() { s.every = 5 * time.Millisecond }

// ComeBack makes the node ask the server again, as Run does, but reports nothing to it.
func (s *Shared) ComeBack() { s.alone.Store(false) }

// TakeTimeFromKeys makes the script read two keys of Redis in place of the server's
// clock. All else is the script of the program.
func (s *Shared) TakeTimeFromKeys(seconds, micros string) {
	const clock = "call('TIME')"
	if strings.Count(takeScript, clock) != 1 {
		panic("the script does not read the clock once")
	}
	s.take = valkey.NewLuaScript(strings.Replace(takeScript, clock, "call('MGET', '"+seconds+"', '"+micros+"')", 1))
}

// CheckInfo checks what a server says about itself.
func CheckInfo(cfg Config, info string) error {
	return (&Shared{cfg: cfg}).checkInfo(readInfo(info))
}

// Tick returns the time since the start.
func (s *Shared) Tick() time.Duration { return s.tick() }

// Reporting calls do while a call reports to the server what was granted to a key. The call fails.
func (s *Shared) Reporting(keyID string, do func()) {
	p := s.pair(keyID, "")
	c := p.claim(s.node)
	do()
	p.putBack(c)
}

// LateOnly reports whether a call that was sent at a tick and failed does not make the node alone.
func (s *Shared) LateOnly(err error, sent time.Duration) bool { return s.lateOnly(err, sent) }

// Deliver sends a charge to the server once, with one of the places of a key and a number
// there, and returns what the node decides from the answer. The server must know the key.
func (s *Shared) Deliver(keyID string, l quota.Limits, o quota.Owner, name uint64, number uint32) (quota.Decision, error) {
	c := call{place: place{s.node + name, number}, charge: true, limits: l, owner: o.Limits}
	a, err := s.run(s.pair(keyID, o.ID), c)
	_, d := a.before.Take(l, o, a.at)
	return d, err
}
