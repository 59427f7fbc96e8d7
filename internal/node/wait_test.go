package node

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"gamedex/internal/sqldb"
	"gamedex/internal/sqldb/engine"
	"gamedex/internal/testing/porttest"
)

// TestReasonOfTheWait has a server that is down at first, and then starts for a while:
// /readyz tells why it does not answer now.
func TestReasonOfTheWait(t *testing.T) {
	addr := porttest.Addr(t)
	end := errors.New("the server has another program's tables")
	tries := 0
	open := func(context.Context) (*sqldb.DB, error) {
		switch tries++; tries {
		case 1:
			return nil, &engine.UnreachableError{Err: errors.New("connection refused")}
		case 2:
			return nil, &engine.UnreachableError{Err: errors.New("the server is starting up")}
		}
		answer, err := http.Get("http://" + addr + "/readyz")
		if err != nil {
			return nil, err
		}
		defer answer.Body.Close()
		body, err := io.ReadAll(answer.Body)
		if err != nil {
			return nil, err
		}
		if answer.StatusCode != http.StatusServiceUnavailable || !strings.Contains(string(body), "the server is starting up") {
			t.Errorf("/readyz: %d %s", answer.StatusCode, body)
		}
		return nil, end
	}
	c := Config{OpsAddr: addr, Hint: func(text string) string { return text }, Log: slog.New(slog.DiscardHandler)}
	if _, err := AwaitDatabase(t.Context(), c, open); !errors.Is(err, end) {
		t.Errorf("the wait ended with %v, want %v", err, end)
	}
}
