package feed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

const (
	maxLine   = 1 << 20   // bytes, without the line's end
	maxWindow = 128 << 20 // bytes; zstd does not use more by default
	readSize  = 64 << 10  // bytes
)

var errTooLong = errors.New("line too long")

// unpack recognises gzip and zstd by their first bytes and skips a byte order mark.
func unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, readSize)
	head, err := in.Peek(4)
	if err != nil && err != io.EOF {
		return nil, err
	}
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		plain, err := gzip.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("unpack gzip: %w", err)
		}
		in = bufio.NewReaderSize(plain, readSize)
	case bytes.HasPrefix(head, []byte("\x28\xb5\x2f\xfd")),
		len(head) == 4 && head[0]&0xf0 == 0x50 && string(head[1:]) == "\x2a\x4d\x18": // a skippable frame
		plain, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), // without goroutines it needs no Close
			zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, fmt.Errorf("unpack zstd: %w", err)
		}
		in = bufio.NewReaderSize(plain, readSize)
	}
	if mark, _ := in.Peek(3); string(mark) == "\ufeff" {
		in.Discard(3)
	}
	return in, nil
}

type lines struct {
	in   *bufio.Reader
	n    int    // number of the last line, from 1
	long []byte // a line that is longer than the input's buffer
}

// readListing returns the next line that is neither empty nor a comment, and its number.
func (l *lines) readListing() (int, []byte, error) {
	for {
		text, err := l.readLine()
		if err != nil || !bytes.HasPrefix(text, []byte("#")) && len(bytes.TrimLeft(text, " \t\r")) > 0 {
			return l.n, text, err
		}
	}
}

// readLine returns a line without its end, valid until the next call. It returns
// errTooLong for a line over maxLine, io.EOF, or the error of the input.
func (l *lines) readLine() ([]byte, error) {
	l.n++
	line, err := l.in.ReadSlice('\n')
	if err == bufio.ErrBufferFull {
		l.long = append(l.long[:0], line...)
		for err == bufio.ErrBufferFull {
			line, err = l.in.ReadSlice('\n')
			if len(l.long) <= maxLine+len("\r\n") { // discard the rest of a line that is too long
				l.long = append(l.long, line...)
			}
		}
		line = l.long
	}
	if err == io.EOF && len(line) > 0 {
		err = nil // the last line needs no line end
	}
	if err != nil {
		return nil, err
	}
	line = bytes.TrimSuffix(bytes.TrimSuffix(line, []byte("\n")), []byte("\r"))
	if len(line) > maxLine && line[0] != '#' {
		return nil, errTooLong
	}
	return line, nil
}

// LineError is the reason why a listing is refused. The next lines can still be read.
type LineError struct {
	Line   int    // from 1; 0 for a listing that is not from a line
	Field  string // as in the feed: "price.current", or the column of a table; empty: the whole line
	Value  string // as in the feed, strings quoted, shortened; empty if there is none
	Reason string // "is above base 4000"
}

// Error returns one sentence: "line 12: price.current: 5000 is above base 4000".
func (e *LineError) Error() string {
	var b strings.Builder
	if e.Line > 0 {
		b.WriteString("line " + strconv.Itoa(e.Line) + ": ")
	}
	if e.Field != "" {
		b.WriteString(printable(e.Field) + ": ")
	}
	if e.Value != "" {
		b.WriteString(printable(e.Value) + " ")
	}
	b.WriteString(e.Reason)
	return b.String()
}

// printable escapes characters that a terminal would interpret or not show, because
// feeds come from others.
func printable(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, func(r rune) bool { return !strconv.IsPrint(r) }) < 0 {
		return s
	}
	quoted := strconv.Quote(s)
	return quoted[1 : len(quoted)-1]
}

// inside puts the name of the containing member before e's field: "current" inside
// "price" becomes "price.current".
func (e *LineError) inside(member string) *LineError {
	if e.Field != "" {
		member += "." + e.Field
	}
	e.Field = member
	return e
}

func refuse(field, value, reason string) *LineError {
	return &LineError{Field: field, Value: value, Reason: reason}
}

const maxShown = 60

func quoted(s string) string { return strconv.Quote(shorten(s)) }

// shorten cuts s between code points, so that the result is valid UTF-8.
func shorten(s string) string {
	if len(s) <= maxShown {
		return s
	}
	return strings.ToValidUTF8(s[:maxShown], "") + "…"
}
