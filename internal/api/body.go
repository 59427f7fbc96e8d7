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

	"github.com/go-json-experiment/json/jsontext"
)

const (
	maxBody = 1 << 20 // bytes of a request body
	// trusted is how much memory is allocated for the announced length of a body
	// before any byte of it has arrived.
	trusted = 64 << 10
	// maxDepth bounds how deep objects and arrays nest in a body.
	maxDepth = 64
	// maxEcho bounds what an error repeats of the body it refuses.
	maxEcho = 4096

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

// readBody reads the JSON text of a request. It checks in the order of the
// interface: 415, then 413.
func readBody(r *http.Request) ([]byte, error) {
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
	if _, err := buf.ReadFrom(io.LimitReader(r.Body, maxBody+1)); err != nil {
		if _, tooLarge := errors.AsType[*http.MaxBytesError](err); tooLarge {
			return nil, &problem{code: codePayloadTooLarge, cause: err}
		}
		p := invalid("body", "", constraintJSON) // this answer probably does not arrive
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

// jsonObject is a JSON object as a source of bulk parameters: the members that
// are known, as they are in the body. Its memory is reused.
type jsonObject struct {
	text    string       // the body
	input   bytes.Buffer // the body, as json reads it
	json    *jsontext.Decoder
	members map[string]*jsonMember // those that are known
}

type jsonMember struct {
	raw   string
	kind  jsontext.Kind // 0: absent
	texts []string      // a string, or those of an array
	mixed bool          // the array holds something other than strings
}

func newJSONObject(names ...string) *jsonObject {
	o := &jsonObject{members: map[string]*jsonMember{}}
	o.json = jsontext.NewDecoder(&o.input)
	for _, name := range names {
		o.members[name] = new(jsonMember)
	}
	return o
}

// reset clears the object. It releases the memory of a request that was far
// larger than usual.
func (o *jsonObject) reset() {
	o.text, o.input = "", bytes.Buffer{}
	o.json.Reset(&o.input)
	for _, m := range o.members {
		clear(m.texts)
		*m = jsonMember{texts: m.texts[:0]}
		if cap(m.texts) > keptIDs {
			m.texts = nil
		}
	}
}

// byteOrderMark is what some programs write before a text in UTF-8.
var byteOrderMark = []byte("\ufeff")

// parse reads body as one JSON object and keeps the members that are known. A
// name may not come twice. A byte-order mark before the object is ignored. An
// empty body and null are an object without members.
func (o *jsonObject) parse(body []byte) error {
	body = bytes.TrimPrefix(body, byteOrderMark)
	switch string(bytes.Trim(body, " \t\r\n")) {
	case "", "null":
		return nil
	}
	o.text, o.input = string(body), *bytes.NewBuffer(body)
	o.json.Reset(&o.input, jsontext.AllowInvalidUTF8(true)) // lone halves of surrogate pairs
	if utf8.Valid(body) && o.readMembers() == nil {
		return nil
	}
	var sent value
	if len(body) > 0 && len(body) <= maxEcho {
		sent = textValue(o.text)
	}
	return invalid("body", sent, constraintJSON)
}

var errNotObject = errors.New("not one JSON object")

func (o *jsonObject) readMembers() error {
	if open, err := o.json.ReadToken(); err != nil || open.Kind() != '{' {
		return errNotObject
	}
	for o.json.PeekKind() != '}' {
		name, err := o.json.ReadToken()
		if err != nil {
			return err
		}
		if m := o.members[name.String()]; m != nil {
			err = o.readMember(m)
		} else {
			_, err = o.readValue()
		}
		if err != nil {
			return err
		}
	}
	_, _ = o.json.ReadToken() // the brace
	if _, err := o.json.ReadToken(); err != io.EOF {
		return errNotObject
	}
	return nil
}

func (o *jsonObject) readMember(m *jsonMember) (err error) {
	m.kind = o.json.PeekKind()
	if m.kind != '[' {
		m.raw, err = o.readValue()
		m.addText(m.raw)
		return err
	}
	if _, err := o.json.ReadToken(); err != nil {
		return err
	}
	start := o.json.InputOffset() - 1
	for o.json.PeekKind() != ']' {
		element, err := o.readValue()
		if err != nil {
			return err
		}
		m.addText(element)
	}
	_, err = o.json.ReadToken()
	m.raw = o.text[start:o.json.InputOffset()]
	return err
}

// addText adds the text of raw, if that is a string.
func (m *jsonMember) addText(raw string) {
	switch {
	case !strings.HasPrefix(raw, `"`):
		m.mixed = true
	case strings.IndexByte(raw, '\\') < 0:
		m.texts = append(m.texts, raw[1:len(raw)-1])
	default:
		// The decoder has checked the string; halves of surrogate pairs become
		// the replacement character.
		text, _ := jsontext.AppendUnquote(nil, raw)
		m.texts = append(m.texts, string(text))
	}
}

var errTooDeep = errors.New("nested too deep")

// readValue reads a value of any kind and returns its part of the body.
func (o *jsonObject) readValue() (string, error) {
	if kind := o.json.PeekKind(); kind != '{' && kind != '[' {
		raw, err := o.json.ReadValue()
		end := int(o.json.InputOffset())
		return o.text[end-len(raw) : end], err
	}
	outside := o.json.StackDepth()
	_, err := o.json.ReadToken()
	start := o.json.InputOffset() - 1
	for err == nil && o.json.StackDepth() > outside {
		if o.json.StackDepth() > maxDepth {
			return "", errTooDeep
		}
		_, err = o.json.ReadToken()
	}
	return o.text[start:o.json.InputOffset()], err
}

// list returns a member that is a string or an array of strings.
func (o *jsonObject) list(field, wrongType string) given {
	m := o.members[field]
	g := given{field: field, texts: m.texts, array: m.kind == '[', json: value(m.raw)}
	if len(m.raw) > maxEcho {
		g.json = "null"
	}
	switch m.kind {
	case 0, 'n', '"':
	case '[':
		if m.mixed {
			g.fault = g.invalid(constraintString)
		}
	default:
		g.fault = g.invalid(wrongType)
	}
	return g
}

func (*jsonObject) rest() *problem { return nil }
