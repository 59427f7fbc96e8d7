package enginetest_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"gamedex/internal/testing/await"
	"gamedex/internal/testing/enginetest"
)

// inFullWorld skips a test that takes seconds, but for GAMEDEX_WORLD=full.
func inFullWorld(t *testing.T) {
	t.Helper()
	if os.Getenv("GAMEDEX_WORLD") != "full" {
		t.Skip("with GAMEDEX_WORLD=full only: it starts servers and standbys")
	}
}

// TestPromotedStandby checks that a standby that its server waits for has every commit,
// also after its server was killed, and that clients find the promoted one.
func TestPromotedStandby(t *testing.T) {
	inFullWorld(t)
	primary := enginetest.NewPostgres(t)
	primary.Exec(t, "postgres", "CREATE TABLE word (text TEXT)", "GRANT ALL ON word TO gamedex")
	standby := primary.NewStandby(t)
	primary.WaitForStandby(t)
	for i := range 20 {
		primary.Exec(t, "postgres", fmt.Sprintf("INSERT INTO word VALUES ('%d')", i))
	}
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	dsn := enginetest.OneOf("postgres", primary, standby)
	if conn, err := pgx.Connect(t.Context(), dsn); err == nil {
		conn.Close(t.Context())
		t.Error("a DSN that asks for the primary connects to the standby")
	}
	standby.Promote(t)
	if got := texts(t, dsn, "INSERT INTO word VALUES ('new') RETURNING (SELECT count(*) FROM word)::text"); strings.Join(got, " ") != "20" {
		t.Errorf("the promoted server has %q words, want 20", got)
	}
}

// TestStandbyWithoutTheLastCommits checks that a standby that was away while its server
// committed does not have that after its promotion.
func TestStandbyWithoutTheLastCommits(t *testing.T) {
	inFullWorld(t)
	primary := enginetest.NewPostgres(t)
	standby := primary.NewStandby(t)
	if err := standby.Kill(); err != nil {
		t.Fatal(err)
	}
	primary.Exec(t, "postgres", "CREATE TABLE lost (text TEXT)")
	if err := primary.Kill(); err != nil {
		t.Fatal(err)
	}
	standby.Restart(t)
	standby.Promote(t)
	if got := texts(t, standby.DSN("postgres", "postgres"), "SELECT relname::text FROM pg_class WHERE relname = 'lost'"); len(got) > 0 {
		t.Error("the standby has what was committed without it")
	}
	if err := primary.Stop(); err != nil {
		t.Errorf("stopping a killed server: %v", err)
	}
	primary.Restart(t)
	if got := texts(t, primary.DSN("postgres", "postgres"), "SELECT relname::text FROM pg_class WHERE relname = 'lost'"); len(got) != 1 {
		t.Error("a server that starts again has lost its data")
	}
}

// TestFrozenPostgres checks that a frozen server accepts connections, answers nothing,
// in old connections either, and goes on.
func TestFrozenPostgres(t *testing.T) {
	s := enginetest.SharedPostgres(t)
	conn, err := pgx.Connect(t.Context(), s.DSN("postgres", "postgres"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(t.Context())
	if err := s.Freeze(); err != nil {
		t.Fatal(err)
	}
	answer := make(chan error, 1)
	go func() {
		var one int
		answer <- conn.QueryRow(context.Background(), "SELECT 1").Scan(&one)
	}()
	raw, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", s.Port))
	if err != nil {
		t.Errorf("a frozen server refuses connections: %v", err)
	} else {
		raw.Close()
	}
	select {
	case err := <-answer:
		t.Errorf("a frozen server answers: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	if err := s.Thaw(); err != nil {
		t.Fatal(err)
	}
	if err := <-answer; err != nil {
		t.Errorf("after it was thawed: %v", err)
	}
}

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
