package porttest_test

import (
	"errors"
	"net"
	"runtime"
	"syscall"
	"testing"

	"gamedex/internal/testing/porttest"
)

// TestClosed checks that an address refuses connections, and that nobody can listen on it.
func TestClosed(t *testing.T) {
	addr := porttest.Closed(t)
	if conn, err := net.Dial("tcp", addr); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("%v %v, want a refusal", conn, err)
	}
	if l, err := net.Listen("tcp", addr); err == nil {
		l.Close()
		t.Error("somebody can listen on the address")
	}
}

// TestReserve checks that many callers get ports of their own, on which a server can listen
// more than once.
func TestReserve(t *testing.T) {
	seen := make(map[string]bool)
	for range 50 {
		addr := porttest.Addr(t)
		if seen[addr] && runtime.GOOS == "linux" {
			t.Errorf("%s is given to two callers", addr)
		}
		seen[addr] = true
		for range 2 {
			l, err := net.Listen("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			conn, err := net.Dial("tcp", addr)
			if err != nil {
				t.Fatal(err)
			}
			conn.Close()
			l.Close()
		}
	}
}
