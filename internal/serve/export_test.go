package serve

import "net"

// ReplaceListener makes the server accept the connections of l.
func (s *Server) ReplaceListener(l net.Listener) error {
	limited := s.listener.(*limitedListener)
	err := limited.Listener.Close()
	limited.Listener = l
	return err
}

// FreeHeaderMemory returns what is left for long request lines and headers.
func (s *Server) FreeHeaderMemory() int64 { return s.listener.(*limitedListener).headers.free.Load() }
