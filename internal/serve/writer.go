package serve

import "net/http"

// writer notes what goes through it.
type writer struct {
	http.ResponseWriter
	lines  *lines // nil: there is no way for them
	status int    // 0: nothing was written
	bytes  int64  // of the body
	head   bool   // a body is not sent
}

// HeaderLines returns where to put header lines that go out as they are, each
// with its CRLF: a name that is in the header too would go out twice. It is nil
// where that cannot be, and once the header is written.
func (w *writer) HeaderLines() *[]byte {
	if w.lines == nil || w.status != 0 {
		return nil
	}
	return &w.lines.pending
}

func (w *writer) WriteHeader(status int) {
	// Informational answers come before the real one; 101 is the real one.
	if w.status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *writer) Write(p []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	n, err := w.ResponseWriter.Write(p)
	if !w.head {
		w.bytes += int64(n)
	}
	return n, err
}

// FlushError is what http.ResponseController calls. It sends the header.
func (w *writer) FlushError() error {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements http.Flusher. An error shows at the next Write.
func (w *writer) Flush() { _ = w.FlushError() }

// Unwrap is what http.ResponseController looks for.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
