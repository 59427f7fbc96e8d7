package porttest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// Ports are chosen from these: below are those of well-known services, above those that
// systems give to connections and to listeners on port 0. Where a port cannot stay
// reserved, none of these takes the port of a server that restarts.
const (
	lowest  = 11_000
	highest = 32_000
)

// Reserve returns a port on which nothing listens. On Linux it is reserved until this
// process ends: a server can listen on it, because servers set SO_REUSEADDR, as often as it
// restarts. Other systems know no such reservation, and another process may take the port
// before the server does.
func Reserve() (int, error) {
	s, port, err := bindAny()
	if err != nil {
		return 0, err
	}
	return port, share(s)
}

// Addr returns an address with a port of [Reserve].
func Addr(t testing.TB) string {
	t.Helper()
	port, err := Reserve()
	if err != nil {
		t.Fatal(err)
	}
	return address(port)
}

// Closed returns an address that refuses connections until the test ends.
func Closed(t testing.TB) string {
	t.Helper()
	s, port, err := bindAny()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closeSocket(s) })
	return address(port)
}

func address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

// bindAny binds a socket to a port that no other socket has.
func bindAny() (s socket, port int, err error) {
	for range 1000 {
		port = lowest + rand.IntN(highest-lowest)
		if s, err = bind(port); err == nil {
			return s, port, nil
		}
	}
	return s, 0, fmt.Errorf("find a free port: %w", err)
}
