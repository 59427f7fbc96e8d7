package serve

import (
	"net"
	"time"
)

// ReplaceListener makes the server accept the connections of l.
func (s *Server) ReplaceListener(l net.Listener) error {
	limited := s.listener.(*limitedListener)
	err := limited.Listener.Close()
	limited.Listener = l
	return err
}

// AwaitHeaders sets how long request line and headers may take to arrive.
func (s *Server) AwaitHeaders(d time.Duration) { s.http.ReadHeaderTimeout = d }

// FreeHeaderMemory returns what is left for long request lines and headers.
func (s *Server) FreeHeaderMemory() int64 { return s.listener.(*limitedListener).headers.free.Load() }
