package limiter

import (
	"context"
	"strings"
	"testing"
	"time"

	"gamedex/internal/quota"
)

// generous lets the first request pass whatever the limit.
type generous struct {
	*local
	spent chan struct{}
}

func (g generous) take(ctx context.Context, key string, l quota.Limits, now int64) (bool, error) {
	select {
	case g.spent <- struct{}{}:
		return true, nil
	default:
		return g.local.take(ctx, key, l, now)
	}
}

func TestCheckFindsOneTooMany(t *testing.T) {
	exact := newLocal(t.Context())
	if err := check(t.Context(), exact); err != nil {
		t.Errorf("our counter: %v", err)
	}
	err := check(t.Context(), generous{newLocal(t.Context()), make(chan struct{}, 1)})
	if err == nil || !strings.Contains(err.Error(), "501 requests passed a limit of 500") {
		t.Errorf("one too many: %v", err)
	}
}

// sparing refuses everything.
type sparing struct{}

func (sparing) take(context.Context, string, quota.Limits, int64) (bool, error) { return false, nil }

func TestRefusedChecksAreNoSpeed(t *testing.T) {
	var names [keys]string
	if s, err := drive(t.Context(), sparing{}, &names, time.Second); err == nil {
		t.Errorf("refused checks gave %v", s)
	}
	s, err := drive(t.Context(), newLocal(t.Context()), &names, 10*time.Millisecond)
	if err != nil || s[opsRate] <= 0 {
		t.Errorf("%v, %v", s, err)
	}
}
