package api

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	maxBody = 1 << 20 // bytes of a request body
	// trusted is how much memory a body gets for its announcement alone, before
	// a byte of it came.
	trusted = 64 << 10
	// maxEcho bounds what an error repeats of the body it refuses.
	maxEcho = 4096
)

// readBody takes the JSON text of a request. The order of its refusals is the
// interface's: 415, then 413.
func readBody(r *http.Request) (string, error) {
	if !isJSON(r.Header) {
		return "", &problem{code: codeUnsupportedMedia}
	}
	if r.ContentLength > maxBody {
		return "", &problem{code: codePayloadTooLarge}
	}
	var buf bytes.Buffer
	if r.ContentLength > 0 {
		buf.Grow(int(min(r.ContentLength, trusted)) + bytes.MinRead)
	}
	if _, err := buf.ReadFrom(io.LimitReader(r.Body, maxBody+1)); err != nil {
		return "", bodyFailure(err)
	}
	if buf.Len() > maxBody {
		return "", &problem{code: codePayloadTooLarge}
	}
	return buf.String(), nil
}

// bodyFailure is for a body that stopped coming: nobody reads the answer.
func bodyFailure(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &problem{code: codePayloadTooLarge, cause: err}
	}
	p := invalid("body", "", constraintJSON)
	p.cause = fmt.Errorf("read body: %w", err)
	return p
}

// maxDrain is how much of a body is read only to be thrown away.
const maxDrain = 4 * maxBody

// drainTime is how long a client may go on sending what is thrown away.
const drainTime = 2 * time.Second

// drain reads what is left of a body that is refused: a client that is still
// sending would see its connection reset instead of the answer. One that asks
// before it sends is told the answer and sends nothing; one that promised a
// body and does not send it is not waited for.
func drain(w http.ResponseWriter, r *http.Request) {
	if r.Body == nil || r.Body == http.NoBody || r.Header.Get("Expect") != "" {
		return
	}
	// If these fail, the answer will fail as well.
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(drainTime))
	_, _ = io.CopyN(io.Discard, r.Body, maxDrain)
}

// isJSON accepts a body that says it is JSON, and one that says nothing.
func isJSON(h http.Header) bool {
	if h.Get("Content-Encoding") != "" {
		return false
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

// jsonObject is a JSON object as a source of bulk parameters: the members
// that are known, as they stand in the body. Its memory is used again.
type jsonObject struct {
	members []*jsonMember
	unknown map[string]bool // the other members met; made only if there are any
}

type jsonMember struct {
	name, raw string
	met       bool
	texts     []string     // of the list that was read last
	echo      func() value // for an error
}

func newJSONObject(names ...string) *jsonObject {
	o := new(jsonObject)
	for _, name := range names {
		m := &jsonMember{name: name}
		m.echo = func() value {
			if len(m.raw) > maxEcho {
				return ""
			}
			return value(m.raw)
		}
		o.members = append(o.members, m)
	}
	return o
}

// reset forgets the body. The memory of a request far larger than the usual
// is let go.
func (o *jsonObject) reset() {
	o.unknown = nil
	for _, m := range o.members {
		m.raw, m.met = "", false
		clear(m.texts)
		m.texts = m.texts[:0]
		if cap(m.texts) > keptIDs {
			m.texts = nil
		}
	}
}

// parse reads text as one JSON object and keeps the members that are known. A
// member may not come twice, known or not.
func (o *jsonObject) parse(text string) error {
	s := scanner{text: text}
	ok := utf8.ValidString(text) && s.object(func(name string) bool {
		start := s.pos
		if !o.meet(name) || !s.skip(1) {
			return false
		}
		if m := o.member(name); m != nil {
			m.raw = strings.TrimRight(text[start:s.pos], " \t\r\n")
		}
		return true
	})
	if !ok || s.pos != len(text) {
		return invalid("body", bodyValue(text), constraintJSON)
	}
	return nil
}

// member is nil for an unknown name.
func (o *jsonObject) member(name string) *jsonMember {
	for _, m := range o.members {
		if m.name == name {
			return m
		}
	}
	return nil
}

// meet is false the second time.
func (o *jsonObject) meet(name string) (first bool) {
	if m := o.member(name); m != nil {
		first, m.met = !m.met, true
		return first
	}
	if o.unknown == nil {
		o.unknown = map[string]bool{}
	}
	first = !o.unknown[name]
	o.unknown[name] = true
	return first
}

func bodyValue(text string) value {
	if text == "" || len(text) > maxEcho {
		return ""
	}
	return textValue(text)
}

// list reads a member that is a string or an array of strings. Its texts are
// good until the member is read again.
func (o *jsonObject) list(field, wrongType string) given {
	m := o.member(field)
	g := given{field: field, value: m.echo}
	m.texts = m.texts[:0]
	switch {
	case m.raw == "" || m.raw == "null":
	case m.raw[0] == '"':
		m.texts = append(m.texts, unquote(m.raw))
	case m.raw[0] == '[':
		g.array = true
		if !m.readTexts() {
			g.fault = g.invalid(constraintString)
		}
	default:
		g.fault = g.invalid(wrongType)
	}
	g.texts = m.texts
	return g
}

func (*jsonObject) rest() *problem { return nil }

// readTexts takes the strings of an array; false if it holds anything else.
// The array's grammar has been checked.
func (m *jsonMember) readTexts() bool {
	m.texts = slices.Grow(m.texts, min(1+strings.Count(m.raw, ","), maxIDs))
	s := scanner{text: m.raw}
	return s.array(func() bool {
		element, ok := s.str()
		if ok {
			m.texts = append(m.texts, unquote(element))
		}
		return ok
	})
}
