package params

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/api/selection"
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
	lists   *selection.Lists   // that may have an array of the body; nil: none
}

type member struct {
	raw   string
	kind  jsontext.Kind // 0: absent
	texts []string      // a string, or those of an array
	mixed bool          // the array holds something other than strings
	known *selection.List
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
	o.json.Reset(&o.input)
	err := o.readMembers()
	if err == nil {
		return nil
	}
	fault := &Fault{Field: "body", Constraint: JSON, Reason: o.reason(err)}
	if isInvalidText(err) {
		fault.Constraint = Encoding
	}
	if len(body) > 0 && len(body) <= maxEcho {
		fault.Sent = textValue(o.text)
	}
	return fault
}

// isInvalidText reports whether an error is about bytes that are not UTF-8 or halves of
// surrogate pairs, which three different texts would have in common after a replacement.
func isInvalidText(err error) bool {
	syntactic, ok := errors.AsType[*jsontext.SyntacticError](err)
	return ok && syntactic.Err != nil && (strings.Contains(syntactic.Err.Error(), "UTF-8") || strings.Contains(syntactic.Err.Error(), "surrogate"))
}

// reason returns what is wrong in the body, and in which line and column.
func (o *Object) reason(err error) string {
	at, text := o.json.InputOffset(), err.Error()
	if syntactic, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
		at, text = syntactic.ByteOffset, syntactic.Err.Error()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			text = "the body ends too early"
		}
		if errors.Is(err, jsontext.ErrDuplicateName) {
			text = "the name " + syntactic.JSONPointer.LastToken() + " is there twice"
		}
	}
	before := o.text[:min(max(0, int(at)), len(o.text))]
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:]) + 1
	return fmt.Sprintf("%s (line %d, column %d)", text, strings.Count(before, "\n")+1, column)
}

var errNotObject = errors.New("not one JSON object")

func (o *Object) readMembers() error {
	if kind := o.json.PeekKind(); kind != '{' && kind != 0 {
		return errNotObject
	}
	if _, err := o.json.ReadToken(); err != nil {
		return err
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
	if _, err := o.json.ReadToken(); err != nil { // the brace
		return err
	}
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
	if m.known = o.knownList(); m.known != nil {
		m.raw, err = o.readWhole()
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

// knownList returns the kept list of ids that begins at the next bracket; nil if there is none. A
// kept list is a whole array, so that the text cannot go on differently.
func (o *Object) knownList() *selection.List {
	if o.lists == nil || len(o.text) > selection.MaxListBody {
		return nil
	}
	rest := o.text[o.json.InputOffset():]
	rest = rest[max(0, strings.IndexByte(rest, '[')):]
	return o.lists.Find(rest[:strings.IndexByte(rest, ']')+1])
}

// keepList keeps the list of ids that an array was read as, and returns it; nil if it is not kept.
func (o *Object) keepList(field string, ids []selection.ID, spellings []selection.Spelling) *selection.List {
	if len(o.text) > selection.MaxListBody || len(ids) < minList {
		return nil
	}
	return o.lists.Keep(o.members[field].raw, ids, spellings)
}

// minList is the length of the shortest list of ids that is kept: reading and looking up fewer takes little
// time.
const minList = 50

// addText adds the text of raw, if that is a string.
func (m *member) addText(raw string) {
	switch {
	case !strings.HasPrefix(raw, `"`):
		m.mixed = true
	case strings.IndexByte(raw, '\\') < 0:
		m.texts = append(m.texts, raw[1:len(raw)-1])
	default:
		// The decoder has checked the string.
		text, _ := jsontext.AppendUnquote(nil, raw)
		m.texts = append(m.texts, string(text))
	}
}

var errTooDeep = errors.New("nested too deep")

// readValue reads a value of any kind and returns its part of the body.
func (o *Object) readValue() (string, error) {
	if kind := o.json.PeekKind(); kind != '{' && kind != '[' {
		return o.readWhole()
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

// readWhole reads a value that is not nested deep.
func (o *Object) readWhole() (string, error) {
	raw, err := o.json.ReadValue()
	end := int(o.json.InputOffset())
	return o.text[end-len(raw) : end], err
}

// List returns a member that is a string or an array of strings.
func (o *Object) List(field, wrongType string) List {
	m := o.members[field]
	l := List{field: field, Texts: m.texts, Array: m.kind == '[', Known: m.known, json: Value(m.raw)}
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

// Elements returns the elements of a member that is an array, as they were sent; none if it is
// absent.
func (o *Object) Elements(field string) (elements []Value, fault *Fault) {
	m := o.members[field]
	if m.kind != '[' {
		if m.kind == 0 || m.kind == 'n' {
			return nil, nil
		}
		return nil, &Fault{Field: field, Sent: Value(m.raw).Bounded(), Constraint: Array, Reason: "send an array of strings or objects"}
	}
	var list []jsontext.Value
	_ = json.Unmarshal([]byte(m.raw), &list) // it was read once, so that nothing is wrong in it
	for _, raw := range list {
		elements = append(elements, Value(raw))
	}
	return elements, nil
}

// Has reports whether a member was sent and is not null.
func (o *Object) Has(field string) bool {
	return o.members[field].kind != 0 && o.members[field].kind != 'n'
}

// Value returns a member as it was sent.
func (o *Object) Value(field string) Value { return Value(o.members[field].raw) }

// Integer returns a member that is a whole number of a range; 0 if it is absent.
func (o *Object) Integer(field string, least, most int) (int, *Fault) {
	if !o.Has(field) {
		return 0, nil
	}
	sent := o.Value(field)
	n, err := strconv.Atoi(string(sent))
	fault := &Fault{Field: field, Sent: sent.Bounded(), Constraint: Integer}
	switch {
	case err != nil:
		return 0, fault
	case n < least:
		fault.Constraint = fmt.Sprintf("min:%d", least)
	case n > most:
		fault.Constraint = fmt.Sprintf("max:%d", most)
	default:
		return n, nil
	}
	return 0, fault
}

// Enum returns the index in names of a member that is one of them, in any case; absent if it is
// absent.
func (o *Object) Enum(field string, absent int, names []string) (int, *Fault) {
	sent := o.List(field, String)
	text, fault := sent.First()
	if fault != nil || text == "" {
		return absent, fault
	}
	i := indexOf(names, strings.TrimSpace(text))
	if i < 0 {
		return absent, sent.Invalid("enum:" + strings.Join(names, ","))
	}
	return i, nil
}

// Boolean returns a member that is true or false; false if it is absent.
func (o *Object) Boolean(field string) (bool, *Fault) {
	switch o.members[field].kind {
	case 't':
		return true, nil
	case 0, 'n', 'f':
		return false, nil
	}
	return false, &Fault{Field: field, Sent: o.Value(field).Bounded(), Constraint: Boolean}
}

// Rest implements [Reader].
func (*Object) Rest() *Fault { return nil }
