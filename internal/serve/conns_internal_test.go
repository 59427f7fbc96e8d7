package serve

import (
	"fmt"
	"net"
	"net/http"
	"slices"
	"testing"
)

// fakeListener accepts fakeConns of the given peers.
type fakeListener struct{ peers chan string }

func (l *fakeListener) Accept() (net.Conn, error) {
	peer, ok := <-l.peers
	if !ok {
		return nil, net.ErrClosed
	}
	return &fakeConn{peer: &net.TCPAddr{IP: net.ParseIP(peer), Port: 4000}}, nil
}
func (l *fakeListener) Close() error   { return nil }
func (l *fakeListener) Addr() net.Addr { return &net.TCPAddr{} }

type fakeConn struct {
	net.Conn
	peer   net.Addr
	closed bool
}

func (c *fakeConn) RemoteAddr() net.Addr { return c.peer }
func (c *fakeConn) Close() error         { c.closed = true; return nil }

// full returns a listener whose places are taken by connections of the peers. They are
// idle, the first ones for longest.
func full(t testing.TB, size int, peers func(i int) string) (*limitedListener, []*limitedConn) {
	t.Helper()
	l := newLimitedListener(&fakeListener{make(chan string, 1)}, Config{MaxConns: size})
	var conns []*limitedConn
	for i := range size {
		c := accept(t, l, peers(i))
		noteState(c, http.StateActive)
		noteState(c, http.StateIdle)
		conns = append(conns, c)
	}
	return l, conns
}

func accept(t testing.TB, l *limitedListener, peer string) *limitedConn {
	t.Helper()
	l.Listener.(*fakeListener).peers <- peer
	conn, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	return conn.(*limitedConn)
}

// TestWhichIdleConnectionsAreClosed checks that connections of the network with most
// of them are closed first, those that are idle for longest before others, and none
// that is in use or was used meanwhile.
func TestWhichIdleConnectionsAreClosed(t *testing.T) {
	l, conns := full(t, 40, func(i int) string { // two networks with two connections, the others with one
		if i == 9 || i == 19 {
			i -= 5
		}
		return fmt.Sprintf("10.0.0.%d", i)
	})
	noteState(conns[0], http.StateActive) // in use
	var order []int
	note := func() {
		for i, c := range conns {
			if c.Conn.(*fakeConn).closed && !slices.Contains(order, i) {
				order = append(order, i)
			}
		}
	}
	for i := range 4 {
		if i == 3 { // it would be next
			noteState(conns[2], http.StateActive)
			noteState(conns[2], http.StateIdle)
		}
		accept(t, l, fmt.Sprintf("10.0.1.%d", i))
		note()
	}
	if want := []int{4, 14, 1, 3}; !slices.Equal(order, want) {
		t.Errorf("closed %v, want %v", order, want)
	}
	if l.open != 40 {
		t.Errorf("%d connections are open, want 40", l.open)
	}
}

// BenchmarkAcceptWhenFull accepts connections while every place is taken by an idle
// one, of as many networks.
func BenchmarkAcceptWhenFull(b *testing.B) {
	peer := func(i int) string { return fmt.Sprintf("10.%d.%d.%d", i>>16&255, i>>8&255, i&255) }
	for _, size := range []int{100, 10_000} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			l, _ := full(b, size, peer)
			for i := size; b.Loop(); i++ {
				accept(b, l, peer(i%(1<<24)))
			}
		})
	}
}
