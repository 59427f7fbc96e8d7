package enginetest_test

import (
	"net"
	"strings"
	"testing"

	"gamedex/internal/testing/enginetest"
)

// TestRestartedRedis checks that a server starts again on its port, and is empty.
func TestRestartedRedis(t *testing.T) {
	s := enginetest.NewRedis(t, "--maxmemory-policy", "volatile-ttl")
	s.Ask(t, "SET word a")
	if got := s.Ask(t, "GET word"); got != "a" {
		t.Errorf("word is %q", got)
	}
	if err := s.Kill(); err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", s.Addr()); err == nil {
		c.Close()
		t.Error("a killed server accepts connections")
	}
	s.Restart(t)
	if n := s.Ask(t, "DBSIZE"); n != "0" {
		t.Errorf("the server has %s keys after its memory was lost", n)
	}
	if info := s.Ask(t, "INFO memory"); !strings.Contains(info, "maxmemory_policy:volatile-ttl") {
		t.Error("the settings are gone")
	}
}
