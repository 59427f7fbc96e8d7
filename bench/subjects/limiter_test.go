package subjects

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gamedex/internal/quota"
)

func TestCheckLimiterFindsOneTooMany(t *testing.T) {
	if err := checkLimiter(t.Context(), newMemoryLimiter(t.Context())); err != nil {
		t.Errorf("our limiter: %v", err)
	}
	exact := newMemoryLimiter(t.Context())
	var used atomic.Bool
	generous := func(ctx context.Context, key string, l quota.Limits, now int64) (bool, error) {
		if used.CompareAndSwap(false, true) {
			return true, nil
		}
		return exact(ctx, key, l, now)
	}
	err := checkLimiter(t.Context(), generous)
	if err == nil || !strings.Contains(err.Error(), "a limit of 500 allowed 501 requests") {
		t.Errorf("one too many: %v", err)
	}
}

func TestDriveLimiter(t *testing.T) {
	refuse := func(context.Context, string, quota.Limits, int64) (bool, error) { return false, nil }
	if v, err := driveLimiter(t.Context(), refuse, time.Second); err == nil {
		t.Errorf("refused requests were measured: %v", v)
	}
	v, err := driveLimiter(t.Context(), newMemoryLimiter(t.Context()), 10*time.Millisecond)
	if err != nil || v[checksRate] <= 0 {
		t.Errorf("%v, %v", v, err)
	}
}
