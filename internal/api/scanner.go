package api

import (
	"encoding/json"
	"strings"
)

// maxDepth bounds how deep arrays and objects may nest in a body. Nothing of
// the interface nests deeper than two.
const maxDepth = 64

// scanner walks over JSON text without building values from it: a body of a
// thousand ids costs no allocation per id.
type scanner struct {
	text string
	pos  int
}

func (s *scanner) space() {
	for s.pos < len(s.text) {
		switch s.text[s.pos] {
		case ' ', '\n', '\r', '\t':
			s.pos++
		default:
			return
		}
	}
}

// take moves past c, and past white space on both sides of it.
func (s *scanner) take(c byte) bool {
	s.space()
	if s.pos >= len(s.text) || s.text[s.pos] != c {
		return false
	}
	s.pos++
	s.space()
	return true
}

// skip moves past one value of any kind.
func (s *scanner) skip(depth int) bool {
	s.space()
	if s.pos >= len(s.text) || depth > maxDepth {
		return false
	}
	switch c := s.text[s.pos]; {
	case c == '"':
		_, ok := s.str()
		return ok
	case c == '{':
		return s.object(func(string) bool { return s.skip(depth + 1) })
	case c == '[':
		return s.array(func() bool { return s.skip(depth + 1) })
	case c == '-' || '0' <= c && c <= '9':
		return s.number()
	}
	return s.word("true") || s.word("false") || s.word("null")
}

func (s *scanner) word(w string) bool {
	if !strings.HasPrefix(s.text[s.pos:], w) {
		return false
	}
	s.pos += len(w)
	return true
}

// object calls member for each key, which must move past the value.
func (s *scanner) object(member func(name string) bool) bool {
	if !s.take('{') {
		return false
	}
	if s.take('}') {
		return true
	}
	for {
		raw, ok := s.str()
		if !ok || !s.take(':') || !member(unquote(raw)) {
			return false
		}
		if s.take('}') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// array calls element for each one, which must move past it.
func (s *scanner) array(element func() bool) bool {
	if !s.take('[') {
		return false
	}
	if s.take(']') {
		return true
	}
	for {
		if !element() {
			return false
		}
		if s.take(']') {
			return true
		}
		if !s.take(',') {
			return false
		}
	}
}

// str moves past a string and gives it as it stands, quotes included.
func (s *scanner) str() (raw string, ok bool) {
	start := s.pos
	if start >= len(s.text) || s.text[start] != '"' {
		return "", false
	}
	for i := start + 1; i < len(s.text); i++ {
		switch c := s.text[i]; {
		case c == '"':
			s.pos = i + 1
			return s.text[start:s.pos], true
		case c < ' ':
			return "", false
		case c == '\\':
			n := escapeLen(s.text[i:])
			if n == 0 {
				return "", false
			}
			i += n - 1
		}
	}
	return "", false
}

// escapeLen is the length of the escape that s begins with; 0 if it is none.
func escapeLen(s string) int {
	if len(s) < 2 {
		return 0
	}
	if strings.IndexByte(`"\/bfnrt`, s[1]) >= 0 {
		return 2
	}
	if s[1] != 'u' || len(s) < 6 {
		return 0
	}
	for _, c := range []byte(s[2:6]) {
		if !isHex(c) {
			return 0
		}
	}
	return 6
}

// unquote gives the text of a string that str has accepted.
func unquote(raw string) string {
	if strings.IndexByte(raw, '\\') < 0 {
		return raw[1 : len(raw)-1]
	}
	var text string
	// The scanner has checked the grammar; halves of surrogate pairs become
	// the replacement character.
	_ = json.Unmarshal([]byte(raw), &text)
	return text
}

func (s *scanner) number() bool {
	if s.text[s.pos] == '-' {
		s.pos++
	}
	if s.pos < len(s.text) && s.text[s.pos] == '0' {
		s.pos++
	} else if s.digits() == 0 {
		return false
	}
	if s.pos < len(s.text) && s.text[s.pos] == '.' {
		s.pos++
		if s.digits() == 0 {
			return false
		}
	}
	if s.pos < len(s.text) && s.text[s.pos]|0x20 == 'e' {
		s.pos++
		if s.pos < len(s.text) && (s.text[s.pos] == '+' || s.text[s.pos] == '-') {
			s.pos++
		}
		return s.digits() > 0
	}
	return true
}

func (s *scanner) digits() int {
	start := s.pos
	for s.pos < len(s.text) && '0' <= s.text[s.pos] && s.text[s.pos] <= '9' {
		s.pos++
	}
	return s.pos - start
}
