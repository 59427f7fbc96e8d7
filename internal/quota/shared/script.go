package shared

import (
	"context"
	_ "embed" // for take.lua
	"encoding/binary"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/quota"
)

//go:embed take.lua
var takeScript string

// call is one call of the script. Zero limits of the key charge nothing.
type call struct {
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
	stateBytes = 12
	clockBytes = 8
	maxCount   = math.MaxUint32

	minuteMillis = 60_000
)

// args returns the arguments of the script.
func (c call) args(owner bool) []string {
	var args []string
	switch {
	case c.charge && !owner && !c.report:
		args = []string{strconv.Itoa(c.limits.Minute), strconv.Itoa(c.limits.Day)}
	case c.charge:
		args = []string{strconv.Itoa(c.limits.Minute), strconv.Itoa(c.limits.Day), strconv.Itoa(c.owner.Minute), strconv.Itoa(c.owner.Day)}
	case c.report:
		args = make([]string, 4)
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
func (s *Shared) run(ctx context.Context, p pair, c call) (answer, error) {
	names := p.names()
	if c.report {
		names = s.namesToReport(p)
	}
	text, err := s.take.Exec(ctx, s.client, names, c.args(p.owner != nil)).ToString()
	if err != nil {
		return answer{}, err
	}
	a, err := readAnswer(text, p.owner != nil)
	a.received = s.tick()
	s.answered.Store(int64(a.received))
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
		b = binary.BigEndian.AppendUint32(b, uint32(min(max(n, 0), maxCount)))
	}
	return valkey.BinaryString(b)
}
