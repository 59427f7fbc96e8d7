package collect

import (
	"context"
	"fmt"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

// maxSkew is how far the clocks of a collector and the database may differ: as far as the
// times of imported listings may be ahead.
const maxSkew = 10 * time.Minute

// checkClock returns an error if the clock of this process is wrong. Prices that are dated
// into the future would keep out newer ones until then.
func (c *Collector) checkClock(ctx context.Context) error {
	at, err := c.cfg.Clock(ctx)
	if err != nil {
		return err
	}
	if ahead := c.cfg.Now().Sub(time.UnixMilli(at)).Abs().Round(time.Minute); ahead > maxSkew {
		return fmt.Errorf("the clock of this machine differs from the database's by %s, so nothing is collected; synchronize it (NTP)", ahead)
	}
	return nil
}

// sweepsDue returns the states of the sweeps; Pending only tells whether there are
// items to read. A due time that is later than the
// interval allows comes from a clock that was ahead; such a scope is due now.
func (c *Collector) sweepsDue(ctx context.Context, now catalog.Millis) ([]sweep.State, error) {
	sweeps, err := c.cfg.Database.Sweeps(ctx, now, 1)
	if err != nil {
		return nil, err
	}
	var ahead []sweep.Scope
	for i := range sweeps {
		if s := &sweeps[i]; s.Attempts == 0 && s.DueAt > latestDue(s, now) {
			ahead = append(ahead, s.Scope)
			s.DueAt = now
		}
	}
	if len(ahead) == 0 {
		return sweeps, nil
	}
	c.cfg.Log.Warn("a clock that was ahead had postponed some scopes; they are due now", "scopes", len(ahead), "first", ahead[0].String())
	return sweeps, c.cfg.Database.Hasten(ctx, ahead)
}

// latestDue returns a time later than any that was planned until now.
func latestDue(s *sweep.State, now catalog.Millis) catalog.Millis { return now + 2*s.Interval }
