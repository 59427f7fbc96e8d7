package serve

import (
	"net"
	"sync"
	"time"
)

// limitConns returns a listener with at most n open connections, so that
// clients cannot use up the file descriptors of the process. Further clients
// wait in the kernel's queue. Each connection is a [pacedConn].
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
		pacedConn: pacedConn{Conn: conn, timeout: l.writeTimeout, opened: time.Now()},
		places:    l.places,
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

// CloseWrite closes the writing side only. net/http does that after an error
// like 431: a reset could reach the client before it has read the answer.
func (c *limitedConn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
