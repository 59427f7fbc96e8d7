package shared

import (
	"context"
	_ "embed" // for tries.lua
	"errors"
	"math"
	"strconv"
	"time"

	"github.com/valkey-io/valkey-go"

	"gamedex/internal/account"
)

//go:embed tries.lua
var triesScript string

// triesPrefix is that of the windows of tries. The tag keeps all of them in one slot: a
// try is counted in several at once.
const triesPrefix = "gamedex:tries:{signin}:"

var errAlone = errors.New("this node counts alone")

// TakeTry implements [account.SharedTries].
func (s *Shared) TakeTry(windows []account.TryWindow) (retryAfter time.Duration, err error) {
	return s.askTries(windows, 1)
}

// DropTries implements [account.SharedTries].
func (s *Shared) DropTries(windows []account.TryWindow, n int) error {
	_, err := s.askTries(windows, -n)
	return err
}

// askTries lets the server count tries. If it does not answer, the node counts alone
// from then on.
func (s *Shared) askTries(windows []account.TryWindow, n int) (wait time.Duration, err error) {
	defer func() {
		if err != nil {
			s.own.Add(1)
		}
	}()
	if s.alone.Load() {
		return 0, errAlone
	}
	sent := s.tick()
	wait, err = s.runTries(s.deadline(sent), s.client, windows, n)
	switch {
	case err == nil:
		s.answered.Store(int64(s.tick()))
	case !s.lateOnly(err, sent):
		s.trip(s.probeTries, err)
	}
	return wait, err
}

// runTries runs the script on a server: it counts n tries, or takes off -n.
func (s *Shared) runTries(ctx context.Context, client valkey.Client, windows []account.TryWindow, n int) (wait time.Duration, err error) {
	names, args := make([]string, len(windows)), []string{strconv.Itoa(n)}
	for i, w := range windows {
		names[i] = triesPrefix + w.Name
		args = append(args, strconv.Itoa(w.Limit), strconv.FormatInt(max(w.Span.Milliseconds(), 1), 10))
	}
	millis, err := s.tries.Exec(ctx, client, names, args).AsInt64()
	return time.Duration(millis) * time.Millisecond, err
}

// probeWindow is a window that nobody is refused by.
var probeWindow = []account.TryWindow{{Name: "probe", Limit: math.MaxInt32, Span: time.Second}}

// probeTries returns nil if tries can be counted.
func (s *Shared) probeTries(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, s.wait)
	defer cancel()
	_, err := s.runTries(ctx, s.client, probeWindow, 1)
	return err
}
