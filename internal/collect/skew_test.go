package collect_test

import (
	"strings"
	"testing"
	"time"

	"gamedex/internal/collect"
)

// TestCollectorWithAWrongClock has a collector whose clock is days ahead of or behind the
// database's. It stores nothing: prices that it dates into the future would hide those of other
// collectors until then. It works as soon as its clock is right.
func TestCollectorWithAWrongClock(t *testing.T) {
	for name, ahead := range map[string]time.Duration{"ahead": 48 * time.Hour, "behind": -48 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(w *world) {
				s := pricesShop("UA").stock(4)
				wrong := ahead
				w.tune = func(cfg *collect.Config) {
					cfg.Clock = w.db.Nodes.Clock
					cfg.Now = func() time.Time { return time.Now().Add(wrong) }
				}
				c := w.collector("a", w.db, s)
				w.runFor(time.Minute, c)
				if _, err := c.Once(w.t.Context(), collect.Filter{}, nil); err == nil || !strings.Contains(err.Error(), "by 48h0m0s") {
					t.Errorf("collect once: %v", err)
				}
				if n, log := len(w.listings()), w.log.String(); n > 0 || strings.Count(log, "the clock of this machine differs") != 1 {
					t.Errorf("%d listings are stored, and the log has\n%s", n, log)
				}
				wrong = 0
				w.runFor(time.Minute, c)
				if n := len(w.listings()); n != 4 {
					t.Errorf("%d listings with the right clock, want 4", n)
				}
			})
		})
	}
}
