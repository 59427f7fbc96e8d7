package serve

import (
	"net/http"
	"time"
)

const pieceSize = 64 << 10

// paced gives every piece of an answer its own deadline. http.Server's
// WriteTimeout alone would cut off a long answer over a slow line.
func paced(next http.Handler, timeout time.Duration) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// The server has just set the first deadline itself.
		next.ServeHTTP(&pacedWriter{ResponseWriter: w, timeout: timeout, set: time.Now()}, r)
	})
}

type pacedWriter struct {
	http.ResponseWriter
	timeout time.Duration
	set     time.Time // when the deadline in force was set
}

func (w *pacedWriter) WriteHeader(status int) {
	w.extend()
	w.ResponseWriter.WriteHeader(status)
}

func (w *pacedWriter) Write(p []byte) (int, error) {
	written := 0
	for {
		w.extend()
		piece := p[written:min(len(p), written+pieceSize)]
		n, err := w.ResponseWriter.Write(piece)
		written += n
		if err != nil || written == len(p) {
			return written, err
		}
	}
}

// FlushError is what http.ResponseController calls.
func (w *pacedWriter) FlushError() error {
	w.extend()
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements http.Flusher. An error shows at the next Write.
func (w *pacedWriter) Flush() { _ = w.FlushError() }

// Unwrap is what http.ResponseController looks for.
func (w *pacedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// extend moves the deadline on, once most of a second has passed: that is
// exact enough and costs small answers nothing.
func (w *pacedWriter) extend() {
	now := time.Now()
	if now.Sub(w.set) < min(time.Second, w.timeout/10) {
		return
	}
	w.set = now
	// A writer that knows no deadlines belongs to a test.
	_ = http.NewResponseController(w.ResponseWriter).SetWriteDeadline(now.Add(w.timeout))
}
