package api

import (
	"io"
	"net/http"
	"strconv"
)

// answer is the body of one good response on its way out. Encoders append to
// buf and call full between two parts that belong together; whatever fits one
// piece goes out whole, with its length, and the rest piece by piece, so that
// a slow reader holds one piece of memory and not its answer.
type answer struct {
	rq   *request
	buf  []byte
	to   io.Writer // nil until the first piece goes out
	held *[]byte
	paid coding // what the memory was taken for
	code coding
	zip  compressor
	err  error // the client is gone; what is appended from now on is dropped
}

// answer starts a response with status 200 or another good one.
func (rq *request) answer(status int, encode func(*answer)) error {
	code := negotiate(rq.r.Header["Accept-Encoding"])
	held, err := rq.api.memory.take(rq.r.Context(), code)
	if err != nil {
		return err
	}
	a := &answer{rq: rq, held: held, paid: code, buf: (*held)[:0], code: code}
	defer a.release()
	rq.cacheHeaders()
	if rq.r.Method == http.MethodHead {
		rq.status = status
		rq.w.WriteHeader(status)
		return nil
	}
	encode(a)
	rq.status = status
	return a.finish(status)
}

// cacheHeaders says how long the answer may be kept. Only tagged ones may be,
// and are asked for again each time.
func (rq *request) cacheHeaders() {
	h := rq.w.Header()
	if h.Get("ETag") == "" {
		h.Set("Cache-Control", "no-store")
		h.Add("Vary", "Accept-Encoding")
		return
	}
	h.Set("Cache-Control", "private, no-cache")
	h.Add("Vary", "Accept-Encoding, Authorization, X-Api-Key")
}

// full sends a piece if there is one. It reports whether going on has a sense:
// a client that is gone needs no rest.
func (a *answer) full() bool {
	if len(a.buf) < pieceSize {
		return true
	}
	if a.to == nil && a.err == nil {
		a.rq.status = http.StatusOK
		a.err = a.open(http.StatusOK)
	}
	a.flush()
	return a.err == nil
}

// open sends the headers of an answer whose length is not known yet.
func (a *answer) open(status int) error {
	a.to = a.rq.w
	if a.code != identity {
		zip, err := a.rq.api.zips.take(a.code, a.rq.w)
		if err != nil {
			return err
		}
		a.zip, a.to = zip, zip
		a.rq.w.Header().Set("Content-Encoding", string(a.code))
	}
	a.rq.w.WriteHeader(status)
	return nil
}

func (a *answer) flush() {
	if a.err == nil {
		_, a.err = a.to.Write(a.buf)
	}
	a.buf = a.buf[:0]
}

// finish sends what is left. An answer that is out in part and cannot be
// completed must not look whole: the connection is cut.
func (a *answer) finish(status int) error {
	if a.to == nil && a.err == nil {
		if a.code == identity || len(a.buf) < minCompressed {
			a.rq.w.Header().Set("Content-Length", strconv.Itoa(len(a.buf)))
			a.code = identity
		}
		a.err = a.open(status)
	}
	a.flush()
	if a.zip != nil && a.err == nil {
		a.err = a.zip.Close()
	}
	if a.err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// release gives back what the answer held, whatever became of it.
func (a *answer) release() {
	if a.zip != nil {
		a.rq.api.zips.give(a.code, a.zip)
	}
	*a.held = a.buf
	a.rq.api.memory.give(a.held, a.paid)
}
