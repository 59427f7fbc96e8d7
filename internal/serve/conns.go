package serve

import (
	"net"
	"sync"
	"time"
)

// limitConns returns a listener with at most n connections open at a time, so
// that clients cannot use up the process's descriptors. Others wait in the
// kernel's queue. Who has a connection must take a piece of his answer within
// the write timeout.
func limitConns(l net.Listener, n int, writeTimeout time.Duration) net.Listener {
	return &limitedListener{
		Listener: l, writeTimeout: writeTimeout,
		places: make(chan struct{}, n), closed: make(chan struct{}),
	}
}

type limitedListener struct {
	net.Listener
	writeTimeout time.Duration
	places       chan struct{}
	closed       chan struct{}
	once         sync.Once
	// joined keeps the memory in which connections join lines into a header.
	// What is written at once with one is no more than net/http's 4 KiB.
	joined sync.Pool
}

func (l *limitedListener) Accept() (net.Conn, error) {
	select {
	case l.places <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	conn, err := l.Listener.Accept()
	if err != nil {
		<-l.places
		return nil, err
	}
	return &limitedConn{
		pacedConn: pacedConn{
			Conn: conn, timeout: l.writeTimeout, opened: time.Now(), lines: lines{joined: &l.joined},
		},
		places: l.places,
	}, nil
}

func (l *limitedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type limitedConn struct {
	pacedConn
	places chan struct{}
	once   sync.Once
}

func (c *limitedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(func() { <-c.places })
	return err
}

// CloseWrite lets the server end an answer and still wait for the client: a
// refusal (431) that is followed by a reset might never be read.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
