package api

import (
	"io"
	"net/http"

	"gamedex/internal/deflate"
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
	// marks compresses instead of zip if parts of the answer are marked. The
	// beginning of buf then is what it wants to see again.
	marks *deflate.Writer
	err   error // the client is gone; what is appended from now on is dropped
}

// answer starts a response with status 200 or another good one.
func (rq *request) answer(status int, encode func(*answer)) error {
	code := negotiate(rq.r.Header["Accept-Encoding"])
	held, err := rq.api.memory.take(rq.r.Context(), code)
	if err != nil {
		return err
	}
	rq.out = answer{rq: rq, held: held, paid: code, buf: (*held)[:0], code: code}
	a := &rq.out
	defer a.release()
	rq.setCaching()
	if rq.r.Method == http.MethodHead {
		rq.status = status
		rq.w.WriteHeader(status)
		return nil
	}
	encode(a)
	rq.status = status
	return a.finish(status)
}

// marked gives what parts of the answer can be marked with where they repeat
// earlier ones, nil if nobody would look at the marks. Only answers that are
// large and much alike are worth it.
func (a *answer) marked() *deflate.Writer {
	if a.code == gzipped && a.marks == nil {
		a.marks = a.rq.api.zips.takeMarked(a.rq.w)
	}
	return a.marks
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
	if a.code != identity && a.marks == nil {
		zip, err := a.rq.api.zips.take(a.code, a.rq.w)
		if err != nil {
			return err
		}
		a.zip, a.to = zip, zip
	}
	if a.code != identity {
		a.rq.w.Header()["Content-Encoding"] = []string{string(a.code)}
	}
	a.rq.w.WriteHeader(status)
	return nil
}

func (a *answer) flush() {
	if a.err == nil && a.marks != nil {
		a.buf, a.err = a.marks.Compress(a.buf)
		return
	}
	if a.err == nil {
		_, a.err = a.to.Write(a.buf)
	}
	a.buf = a.buf[:0]
}

// finish sends what is left. An answer that is out in part and cannot be
// completed must not look whole: the connection is cut.
func (a *answer) finish(status int) error {
	if a.to == nil && a.err == nil {
		a.whole()
		a.err = a.open(status)
	}
	a.flush()
	if a.err == nil {
		a.err = a.end()
	}
	if a.err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}

// whole decides how an answer goes out that fits one piece.
func (a *answer) whole() {
	if len(a.buf) < minMarked {
		a.unmark()
	}
	if a.code == identity || len(a.buf) < minCompressed {
		a.rq.setLength(len(a.buf))
		a.code = identity
	}
}

// end writes what ends a coding.
func (a *answer) end() error {
	switch {
	case a.marks != nil:
		return a.marks.Close()
	case a.zip != nil:
		return a.zip.Close()
	}
	return nil
}

// unmark goes without the marks.
func (a *answer) unmark() {
	if a.marks != nil {
		a.rq.api.zips.giveMarked(a.marks)
		a.marks = nil
	}
}

// release gives back what the answer held, whatever became of it.
func (a *answer) release() {
	a.unmark()
	if a.zip != nil {
		a.rq.api.zips.give(a.code, a.zip)
	}
	*a.held = a.buf
	a.rq.api.memory.give(a.held, a.paid)
}
