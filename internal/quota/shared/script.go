package shared

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/account"
	"gamedex/internal/quota"
)

//go:embed take.lua
var takeScript string

// call is one call of the script.
type call struct {
	place   place
	charge  bool
	limits  quota.Limits
	owner   quota.Limits
	report  bool // minimum and add are for the server
	create  bool // also if it does not know key or owner
	minimum quota.Pair
	add     batches
}

// answer is what the script returned.
type answer struct {
	at       int64         // the server's time, Unix milliseconds
	received time.Duration // a tick
	found    bool
	before   quota.Pair // if found
}

const (
	stateBytes  = 12
	clockBytes  = 8
	chargeBytes = 28
	maxCount    = math.MaxUint32

	minuteMillis = 60_000
)

// args returns the arguments of the script.
func (c call) args() []string {
	args := []string{""}
	if c.charge {
		b := make([]byte, 0, chargeBytes)
		for _, n := range []int{c.limits.Minute, c.limits.Day, c.owner.Minute, c.owner.Day} {
			b = appendCount(b, int64(n))
		}
		b = binary.BigEndian.AppendUint64(b, c.place.name)
		args[0] = valkey.BinaryString(binary.BigEndian.AppendUint32(b, c.place.number))
	}
	if c.report {
		create := ""
		if c.create {
			create = "make"
		}
		args = append(args, create, pack(c.minimum.Key), pack(c.add.key.spent), c.add.key.text(),
			pack(c.minimum.Owner), pack(c.add.owner.spent), c.add.owner.text())
	}
	return args
}

// text returns the number of a batch as the script reads it.
func (b batch) text() string {
	if b.number == 0 {
		return ""
	}
	return strconv.FormatInt(b.number, 10)
}

// run runs the script on the server.
func (s *Shared) run(p pair, c call) (answer, error) {
	names := p.names()
	if c.report {
		names = s.namesToReport(p)
	}
	text, err := s.call(s.take, names, c.args()).ToString()
	if err != nil {
		return answer{}, err
	}
	a, err := readAnswer(text, p.owned())
	a.received = s.tick()
	return a, err
}

// readAnswer reads what the script returned.
func readAnswer(text string, owner bool) (answer, error) {
	states := 1
	if owner {
		states = 2
	}
	if len(text) != clockBytes && len(text) != clockBytes+states*stateBytes {
		return answer{}, fmt.Errorf("the server answered %d bytes, want %d", len(text), clockBytes+states*stateBytes)
	}
	number := func(i int) int64 { return int64(binary.BigEndian.Uint32([]byte(text[4*i : 4*i+4]))) }
	a := answer{at: number(0)*minuteMillis + number(1), found: len(text) > clockBytes}
	if a.found {
		a.before.Key = quota.Spent{Minute: number(2), MinuteUsed: int(number(3)), DayUsed: int(number(4))}
	}
	if a.found && owner {
		a.before.Owner = quota.Spent{Minute: number(5), MinuteUsed: int(number(6)), DayUsed: int(number(7))}
	}
	return a, nil
}

// pack returns a state as the script reads it.
func pack(s quota.Spent) string {
	b := make([]byte, 0, stateBytes)
	for _, n := range []int64{s.Minute, int64(s.MinuteUsed), int64(s.DayUsed)} {
		b = appendCount(b, n)
	}
	return valkey.BinaryString(b)
}

func appendCount(b []byte, n int64) []byte {
	return binary.BigEndian.AppendUint32(b, uint32(min(max(n, 0), maxCount)))
}

//go:embed tries.lua
var triesScript string

// triesPrefix is that of the windows of tries. The tag keeps all of them in one slot: a
// try is counted in several at once.
const triesPrefix = "gamedex:tries:{signin}:"

var errAlone = errors.New("this node counts alone")

// CountTries implements [account.SharedTries]. If the server does not answer, the node counts
// alone from then on.
func (s *Shared) CountTries(windows []account.TryWindow, n int) (retryAfter time.Duration, err error) {
	defer func() {
		if err != nil {
			s.own.Add(1)
		}
	}()
	if s.alone.Load() {
		return 0, errAlone
	}
	sent := s.tick()
	names, args := s.triesArgs(windows, n)
	millis, err := s.call(s.tries, names, args).AsInt64()
	if err != nil && !s.lateOnly(err, sent) {
		s.trip(s.probeTries, err)
	}
	return time.Duration(millis) * time.Millisecond, err
}

// triesArgs returns what the script needs to count n tries, or to take off -n.
func (s *Shared) triesArgs(windows []account.TryWindow, n int) (names, args []string) {
	names = append(names, fmt.Sprint(triesPrefix, "call:", s.self, ":", s.calls.Add(1)))
	args = append(args, strconv.Itoa(n))
	for _, w := range windows {
		names = append(names, triesPrefix+w.Name)
		args = append(args, strconv.Itoa(w.Limit), strconv.FormatInt(max(w.Span.Milliseconds(), 1), 10))
	}
	return names, args
}

// probeWindow is a window that nobody is refused by.
var probeWindow = []account.TryWindow{{Name: "probe", Limit: math.MaxInt32, Span: time.Second}}

// probeTries returns nil if tries can be counted.
func (s *Shared) probeTries() error {
	names, args := s.triesArgs(probeWindow, 1)
	return s.call(s.tries, names, args).Error()
}
