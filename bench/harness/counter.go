package harness

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync/atomic"
)

// Counter is an HTTP proxy that counts requests.
type Counter struct {
	URL   string
	count atomic.Int64
}

// CountRequests starts a proxy before a server, until the run closes. It passes requests
// on as they are, with the Host that the client has signed.
func (r *Run) CountRequests(server string) (*Counter, error) {
	to, err := url.Parse(server)
	if err != nil {
		return nil, fmt.Errorf("count requests: %w", err)
	}
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("count requests: %w", err)
	}
	c := &Counter{URL: "http://" + ln.Addr().String()}
	proxy := &http.Server{Handler: &httputil.ReverseProxy{Rewrite: func(p *httputil.ProxyRequest) {
		c.count.Add(1)
		p.SetURL(to)
		p.Out.Host = p.In.Host
	}}}
	ended := make(chan error, 1)
	go func() { ended <- proxy.Serve(ln) }()
	r.AtEnd(func() error {
		err := proxy.Close()
		if serving := <-ended; !errors.Is(serving, http.ErrServerClosed) {
			err = errors.Join(err, serving)
		}
		return err
	})
	return c, nil
}

// Count returns how many requests the proxy has passed on.
func (c *Counter) Count() int64 { return c.count.Load() }
