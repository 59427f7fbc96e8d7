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
// that are known, as they stand in the body.
type jsonObject map[string]string

// parseObject reads text as one JSON object and keeps the members named. A
// member may not come twice, known or not.
func parseObject(text string, names ...string) (jsonObject, error) {
	kept := make(jsonObject, len(names))
	for _, name := range names {
		kept[name] = ""
	}
	seen := map[string]bool{}
	s := scanner{text: text}
	ok := utf8.ValidString(text) && s.object(func(name string) bool {
		start := s.pos
		if seen[name] || !s.skip(1) {
			return false
		}
		seen[name] = true
		if _, known := kept[name]; known {
			kept[name] = strings.TrimRight(text[start:s.pos], " \t\r\n")
		}
		return true
	})
	if !ok || s.pos != len(text) {
		return nil, invalid("body", bodyValue(text), constraintJSON)
	}
	return kept, nil
}

func bodyValue(text string) value {
	if text == "" || len(text) > maxEcho {
		return ""
	}
	return textValue(text)
}

// list reads a member that is a string or an array of strings.
func (o jsonObject) list(field, wrongType string) given {
	raw := o[field]
	g := given{field: field, value: func() value {
		if len(raw) > maxEcho {
			return ""
		}
		return value(raw)
	}}
	switch {
	case raw == "" || raw == "null":
	case raw[0] == '"':
		g.texts = []string{unquote(raw)}
	case raw[0] == '[':
		g.array = true
		if g.texts = stringElements(raw); g.texts == nil {
			g.fault = g.invalid(constraintString)
		}
	default:
		g.fault = g.invalid(wrongType)
	}
	return g
}

func (jsonObject) rest() *problem { return nil }

// stringElements gives the strings of an array; nil if it holds anything else.
// The array's grammar has been checked.
func stringElements(raw string) []string {
	texts := make([]string, 0, min(1+strings.Count(raw, ","), maxIDs))
	s := scanner{text: raw}
	ok := s.array(func() bool {
		element, ok := s.str()
		if ok {
			texts = append(texts, unquote(element))
		}
		return ok
	})
	if !ok {
		return nil
	}
	return texts
}
