package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
	"time"

	"gamedex/internal/api/params"
	"gamedex/internal/api/wire"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// takeBody reads the body of a POST or PATCH. Call it before taking anything from a pool, so
// that a client that sends slowly holds only the body.
func (rq *request) takeBody() ([]byte, error) {
	if rq.r.Method != http.MethodPost && rq.r.Method != http.MethodPatch {
		return nil, nil
	}
	if err := rq.reserve(bodyMemory(rq.r)); err != nil {
		return nil, err
	}
	return readBody(rq.r, rq.hold.Body(rq.r.Body))
}

// viewOf is view, and fails if the store of a platform, 0 for all, has not been read.
func (rq *request) viewOf(p catalog.Platform) (*index.View, error) {
	v, err := rq.view()
	if err == nil && p != 0 && !v.Serves(p) {
		err = upstream(p)
	}
	return v, err
}

// appendIndexMeta appends the last members of meta of an answer about games. out is that
// of [unavailablePlatforms].
func appendIndexMeta(dst []byte, v *index.View, out []string) []byte {
	dst = wire.AppendTimestamp(append(dst, `,"indexBuiltAt":`...), v.IndexBuiltAt)
	return append(appendUnavailable(dst, out), '}')
}

// appendUnavailable appends the member of meta that names platforms, if there are any.
func appendUnavailable(dst []byte, platforms []string) []byte {
	if len(platforms) == 0 {
		return dst
	}
	return wire.AppendStrings(append(dst, `,"unavailable":`...), platforms)
}

// appendNoRate appends the member of meta that says that prices cannot be converted to the
// currency that was sent, if one was and its rate is not known.
func appendNoRate(dst []byte, v *index.View, to money.Currency) []byte {
	if to == "" || v.Rates.PerBase(to) != nil {
		return dst
	}
	dst = wire.AppendText(append(dst, `,"noRate":{"currency":`...), string(to))
	message := "no exchange rate for " + string(to)
	if v.Rates.IsZero() {
		message = "no exchange rates yet"
	}
	message += ": prices in other currencies are not converted; the operator imports a table of rates that has " +
		string(to) + ": gamedex rates import FILE"
	return append(wire.AppendText(append(dst, `,"message":`...), message), '}')
}

const (
	maxBody = 1 << 20 // bytes of a request body
	// trusted is how much memory is allocated for the announced length of a body
	// before any byte of it has arrived.
	trusted = 64 << 10

	maxDrain  = 4 * maxBody     // bytes of a refused body that are read
	drainTime = 2 * time.Second // and how long that may take
)

// bodyMemory returns how much memory the body of a request takes: as it was sent,
// and as text. A body without a length may have any.
func bodyMemory(r *http.Request) int64 {
	if r.ContentLength < 0 || r.ContentLength > maxBody {
		return 2 * maxBody
	}
	return 2 * r.ContentLength
}

// readBody reads the JSON text of a request from its body. It checks in the order of the
// interface: 415, then 413.
func readBody(r *http.Request, from io.Reader) ([]byte, error) {
	if !isJSON(r.Header) {
		return nil, &problem{code: codeUnsupportedMedia}
	}
	if r.ContentLength > maxBody {
		return nil, &problem{code: codePayloadTooLarge}
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength, trusted)) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(from, maxBody+1)); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, &problem{code: codePayloadTooLarge, cause: err}
		}
		p := invalid(&params.Fault{Field: "body", Constraint: params.JSON}) // this answer probably does not arrive
		p.cause = fmt.Errorf("read body: %w", err)
		return nil, p
	}
	if buf.Len() > maxBody {
		return nil, &problem{code: codePayloadTooLarge}
	}
	return buf.Bytes(), nil
}

// drain reads the rest of a refused body: otherwise a client that is still
// sending would see its connection reset instead of the answer. It does not
// read from a client that sent an Expect header, which gets the answer first
// and sends nothing. It waits only briefly for a body that was announced and
// does not arrive.
func drain(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.Header.Get("Expect") != "" {
		return
	}
	// If these fail, the answer will fail as well.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.CopyN(io.Discard, r.Body, maxDrain)
}

// isJSON reports whether a body is declared as JSON, or not declared at all,
// and has no content encoding but identity, which is none.
func isJSON(h http.Header) bool {
	for coding := range strings.SplitSeq(strings.Join(h["Content-Encoding"], ","), ",") {
		if coding = strings.TrimSpace(coding); coding != "" && !strings.EqualFold(coding, "identity") {
			return false
		}
	}
	sent := h.Get("Content-Type")
	if sent == "" {
		return true
	}
	kind, _, err := mime.ParseMediaType(sent)
	if err != nil && !errors.Is(err, mime.ErrInvalidMediaParameter) {
		return false
	}
	return kind == "application/json" || strings.HasPrefix(kind, "application/") && strings.HasSuffix(kind, "+json")
}
