package enginetest_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// TestProxy checks that each fault of a network shows, and that it ends.
func TestProxy(t *testing.T) {
	s := enginetest.SharedPostgres(t)
	p := enginetest.NewProxy(t, fmt.Sprint("127.0.0.1:", s.Port))
	ask := func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", p.Addr))
		if err == nil {
			conn.Close(ctx)
		}
		return err
	}
	for name, fault := range map[string]string{
		"lost requests": enginetest.LostRequests, "lost answers": enginetest.LostAnswers, "cut requests": enginetest.CutRequests,
		"cut answers": enginetest.CutAnswers, "reset": enginetest.Reset,
	} {
		p.Break(t, fault)
		silent, patience := strings.HasPrefix(name, "lost"), await.Patience
		if silent {
			patience = 100 * time.Millisecond
		}
		limited, cancel := context.WithTimeout(t.Context(), patience)
		err := ask(limited)
		cancel()
		if err == nil {
			t.Errorf("%s: the server answers", name)
		}
		if silent != errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: %v", name, err)
		}
		p.Heal()
		if err := ask(t.Context()); err != nil {
			t.Errorf("%s, healed: %v", name, err)
		}
	}
	p.Break(t, enginetest.Slow)
	began := time.Now()
	if err := ask(t.Context()); err != nil || time.Since(began) < 400*time.Millisecond {
		t.Errorf("a slow network: %v after %v", err, time.Since(began))
	}
}
