package serve

import "net/http"

// writer records the status and the size of an answer.
type writer struct {
	http.ResponseWriter
	status int   // 0: nothing was written
	bytes  int64 // of the body
	head   bool  // the request is HEAD: the body is not sent
}

func (w *writer) WriteHeader(status int) {
	// 1xx statuses precede the final one, except 101, which is final.
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

// FlushError flushes the answer; http.ResponseController calls it.
func (w *writer) FlushError() error {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return http.NewResponseController(w.ResponseWriter).Flush()
}

// Flush implements http.Flusher. The next Write returns the error, if any.
func (w *writer) Flush() { _ = w.FlushError() }

// Unwrap returns the underlying writer; http.ResponseController calls it.
func (w *writer) Unwrap() http.ResponseWriter { return w.ResponseWriter }
