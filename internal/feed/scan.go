package feed

import (
	"fmt"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds the nesting of a line; the format itself needs three.
const maxDepth = 100

// scanner walks over the JSON text of one line, which must be valid UTF-8. It
// accepts exactly what RFC 8259 does, but for lone surrogates and nesting
// beyond maxDepth. Its errors are *LineError without line and field.
type scanner struct {
	data  []byte
	pos   int
	depth int
	text  []byte // holds strings that had escapes
}

func (s *scanner) reset(line []byte) { s.data, s.pos, s.depth = line, 0, 0 }

// space moves to the next byte that is not white space and returns it; 0 at
// the end of the line.
func (s *scanner) space() byte {
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; c {
		case ' ', '\t', '\r', '\n':
		default:
			return c
		}
	}
	return 0
}

func (s *scanner) malformed(what string) error {
	return refuse("", "", fmt.Sprintf("is not JSON: %s at byte %d", what, s.pos+1))
}

// unexpected complains about the byte at the present position.
func (s *scanner) unexpected() error {
	if s.pos >= len(s.data) {
		return refuse("", "", "is not JSON: ends too early")
	}
	r, _ := utf8.DecodeRune(s.data[s.pos:])
	return s.malformed(fmt.Sprintf("unexpected %q", r))
}

func (s *scanner) expect(c byte) error {
	if s.space() != c {
		return s.unexpected()
	}
	s.pos++
	return nil
}

// object calls member for each name, with the scanner before its value. The
// name is valid until the value is read.
func (s *scanner) object(member func(name []byte) error) error {
	if err := s.open('{'); err != nil {
		return err
	}
	for first := true; s.another('}', first); first = false {
		if s.space() != '"' {
			return s.unexpected()
		}
		name, err := s.string()
		if err != nil {
			return err
		}
		if err := s.expect(':'); err != nil {
			return err
		}
		if err := member(name); err != nil {
			return err
		}
	}
	return s.close('}')
}

// list calls element with the scanner before each element.
func (s *scanner) list(element func() error) error {
	if err := s.open('['); err != nil {
		return err
	}
	for first := true; s.another(']', first); first = false {
		if err := element(); err != nil {
			return err
		}
	}
	return s.close(']')
}

func (s *scanner) open(c byte) error {
	if s.depth++; s.depth > maxDepth {
		return s.malformed(fmt.Sprintf("nested deeper than %d", maxDepth))
	}
	return s.expect(c)
}

// another says whether a further element follows, and steps over the comma
// before it. Where neither comma nor end stands, close complains.
func (s *scanner) another(end byte, first bool) bool {
	c := s.space()
	if first {
		return c != end
	}
	if c != ',' {
		return false
	}
	s.pos++
	return true
}

func (s *scanner) close(c byte) error {
	s.depth--
	return s.expect(c)
}

// skip steps over any value and refuses names given twice in it.
func (s *scanner) skip() error {
	switch c := s.space(); c {
	case '{':
		seen := make(map[string]struct{})
		return s.object(func(name []byte) error {
			if _, twice := seen[string(name)]; twice {
				return refuse(shorten(string(name)), "", "is given twice")
			}
			seen[string(name)] = struct{}{}
			return s.skip()
		})
	case '[':
		return s.list(s.skip)
	case '"':
		_, err := s.string()
		return err
	case 't':
		return s.literal("true")
	case 'f':
		return s.literal("false")
	case 'n':
		return s.literal("null")
	}
	_, err := s.number()
	return err
}

func (s *scanner) literal(word string) error {
	for i := range len(word) {
		if s.pos >= len(s.data) || s.data[s.pos] != word[i] {
			return s.unexpected()
		}
		s.pos++
	}
	return nil
}

// number returns the text of a number.
func (s *scanner) number() ([]byte, error) {
	start := s.pos
	s.sign("-")
	if s.pos < len(s.data) && s.data[s.pos] == '0' {
		s.pos++ // no digit may follow a leading zero
	} else if s.digits() == 0 {
		return nil, s.unexpected()
	}
	if s.pos < len(s.data) && s.data[s.pos] == '.' {
		s.pos++
		if s.digits() == 0 {
			return nil, s.unexpected()
		}
	}
	if s.pos < len(s.data) && s.data[s.pos]|0x20 == 'e' {
		s.pos++
		s.sign("+-")
		if s.digits() == 0 {
			return nil, s.unexpected()
		}
	}
	return s.data[start:s.pos], nil
}

func (s *scanner) sign(allowed string) {
	for i := range len(allowed) {
		if s.pos < len(s.data) && s.data[s.pos] == allowed[i] {
			s.pos++
			return
		}
	}
}

func (s *scanner) digits() (n int) {
	for ; s.pos < len(s.data) && isDigit(s.data[s.pos]); s.pos++ {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// string returns the text of the string that begins here, valid until the next
// call.
func (s *scanner) string() ([]byte, error) {
	s.pos++ // the opening quote
	start := s.pos
	for ; s.pos < len(s.data); s.pos++ {
		switch c := s.data[s.pos]; {
		case c == '"':
			s.pos++
			return s.data[start : s.pos-1], nil
		case c == '\\':
			return s.unescape(start)
		case c < ' ':
			return nil, s.unexpected()
		}
	}
	return nil, s.unexpected()
}

// unescape goes on where string met the first backslash.
func (s *scanner) unescape(start int) ([]byte, error) {
	s.text = append(s.text[:0], s.data[start:s.pos]...)
	for s.pos < len(s.data) {
		c := s.data[s.pos]
		switch {
		case c == '"':
			s.pos++
			return s.text, nil
		case c < ' ':
			return nil, s.unexpected()
		case c == '\\':
			if err := s.escape(); err != nil {
				return nil, err
			}
		default:
			s.text = append(s.text, c)
			s.pos++
		}
	}
	return nil, s.unexpected()
}

// escape reads one escape, from its backslash on.
func (s *scanner) escape() error {
	s.pos++
	if s.pos >= len(s.data) {
		return s.unexpected()
	}
	c := s.data[s.pos]
	switch c {
	case 'b':
		c = '\b'
	case 'f':
		c = '\f'
	case 'n':
		c = '\n'
	case 'r':
		c = '\r'
	case 't':
		c = '\t'
	case '"', '\\', '/':
	case 'u':
		return s.unicodeEscape()
	default:
		return s.unexpected()
	}
	s.text = append(s.text, c)
	s.pos++
	return nil
}

// unicodeEscape reads uXXXX, or a pair of them that is one code point.
func (s *scanner) unicodeEscape() error {
	r, err := s.hex()
	if err != nil {
		return err
	}
	if utf16.IsSurrogate(r) {
		low := utf8.RuneError
		if s.pos+1 < len(s.data) && s.data[s.pos] == '\\' && s.data[s.pos+1] == 'u' {
			s.pos++
			if low, err = s.hex(); err != nil {
				return err
			}
		}
		if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
			return s.malformed("half of a surrogate pair before")
		}
	}
	s.text = utf8.AppendRune(s.text, r)
	return nil
}

// hex reads u and four hexadecimal digits.
func (s *scanner) hex() (rune, error) {
	var r rune
	s.pos++
	for end := s.pos + 4; s.pos < end; s.pos++ {
		if s.pos >= len(s.data) {
			return 0, s.unexpected()
		}
		c := s.data[s.pos]
		switch {
		case isDigit(c):
			c -= '0'
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			c = c | 0x20 - 'a' + 10
		default:
			return 0, s.unexpected()
		}
		r = r<<4 | rune(c)
	}
	return r, nil
}
