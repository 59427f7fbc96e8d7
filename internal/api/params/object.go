package params

import (
	"bytes"
	"errors"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxDepth bounds how deep objects and arrays nest in a body.
	maxDepth = 64
	// maxEcho bounds what a fault repeats of the body.
	maxEcho = 4096
)

// Object is a JSON object as a source of parameters: the members that are known,
// as they are in the body. Its memory is reused.
type Object struct {
	text    string       // the body
	input   bytes.Buffer // the body, as json reads it
	json    *jsontext.Decoder
	members map[string]*member // those that are known
}

type member struct {
	raw   string
	kind  jsontext.Kind // 0: absent
	texts []string      // a string, or those of an array
	mixed bool          // the array holds something other than strings
}

// NewObject returns an empty object that knows the members with these names.
func NewObject(names ...string) *Object {
	o := &Object{members: map[string]*member{}}
	o.json = jsontext.NewDecoder(&o.input)
	for _, name := range names {
		o.members[name] = new(member)
	}
	return o
}

// Reset clears the object. It releases the memory of a request that was far
// larger than usual.
func (o *Object) Reset() {
	o.text, o.input = "", bytes.Buffer{}
	o.json.Reset(&o.input)
	for _, m := range o.members {
		clear(m.texts)
		*m = member{texts: m.texts[:0]}
		if cap(m.texts) > kept {
			m.texts = nil
		}
	}
}

// byteOrderMark is what some programs write before a text in UTF-8.
var byteOrderMark = []byte("\ufeff")

// Parse reads body as one JSON object and keeps the members that are known. A
// name may not come twice. A byte-order mark before the object is ignored. An
// empty body and null are an object without members.
func (o *Object) Parse(body []byte) *Fault {
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
	var sent Value
	if len(body) > 0 && len(body) <= maxEcho {
		sent = textValue(o.text)
	}
	return &Fault{"body", sent, JSON}
}

var errNotObject = errors.New("not one JSON object")

func (o *Object) readMembers() error {
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

func (o *Object) readMember(m *member) (err error) {
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
func (m *member) addText(raw string) {
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
func (o *Object) readValue() (string, error) {
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

// List returns a member that is a string or an array of strings.
func (o *Object) List(field, wrongType string) List {
	m := o.members[field]
	l := List{field: field, Texts: m.texts, Array: m.kind == '[', json: Value(m.raw)}
	if len(m.raw) > maxEcho {
		l.json = "null"
	}
	switch m.kind {
	case 0, 'n', '"':
	case '[':
		if m.mixed {
			l.Fault = l.Invalid(String)
		}
	default:
		l.Fault = l.Invalid(wrongType)
	}
	return l
}

// Rest implements [Reader].
func (*Object) Rest() *Fault { return nil }
