package feed

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Writer writes listings as lines of the feed format.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer that calls w.Write once for each line: use a bufio.Writer if
// that is slow.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write appends one line. The fields have the order of the format; absent fields and
// defaults are omitted. A Reader reads a listing that Check has accepted as the same
// value.
func (w *Writer) Write(l *catalog.Listing) error {
	w.buf = append(appendListing(w.buf[:0], l), '\n')
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("write listing %s %s %s: %w", l.Platform, l.Region, l.Product, err)
	}
	return nil
}

func appendListing(dst []byte, l listing) []byte {
	o := opened(dst)
	for i := range listingMembers {
		listingMembers[i].write(o, l)
	}
	return o.closed()
}

func (o *writing) titles(l listing) {
	if len(l.Facts.Titles) == 0 {
		return
	}
	o.name("titles")
	titles := opened(o.dst)
	for _, t := range l.Facts.Titles {
		titles.text(t.Locale, t.Title)
	}
	o.dst = titles.closed()
}

func (o *writing) popularity(l listing) {
	if l.Popularity > 0 {
		o.name("popularity")
		o.dst = strconv.AppendFloat(o.dst, l.Popularity, 'g', -1, 64)
	}
}

func (o *writing) price(l listing) {
	if l.Price != nil {
		o.object("price", priceMembers, l)
	}
}

type writing struct {
	dst   []byte
	empty bool
}

func opened(dst []byte) *writing { return &writing{dst: append(dst, '{'), empty: true} }

func (o *writing) closed() []byte { return append(o.dst, '}') }

// object appends an object of members, unless all are absent.
func (o *writing) object(name string, table []member, l listing) {
	before := *o
	o.name(name)
	o.dst, o.empty = append(o.dst, '{'), true
	for i := range table {
		table[i].write(o, l)
	}
	if o.empty {
		*o = before
		return
	}
	o.dst = o.closed()
}

func (o *writing) name(name string) {
	if !o.empty {
		o.dst = append(o.dst, ',')
	}
	o.empty = false
	o.dst = append(appendString(o.dst, name), ':')
}

func (o *writing) text(name, value string) {
	if value != "" {
		o.name(name)
		o.dst = appendString(o.dst, value)
	}
}

func (o *writing) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	o.name(name)
	for i, v := range values {
		o.dst = append(o.dst, "[,"[min(i, 1)])
		o.dst = appendString(o.dst, v)
	}
	o.dst = append(o.dst, ']')
}

func (o *writing) flag(name string, value bool) {
	if value {
		o.name(name)
		o.dst = append(o.dst, "true"...)
	}
}

// amount appends a number, but omits money.None and catalog.NoPercent.
func (o *writing) amount(name string, value money.Amount) {
	if value.Known() {
		o.name(name)
		o.dst = strconv.AppendInt(o.dst, int64(value), 10)
	}
}

func (o *writing) timestamp(name string, at catalog.Millis) {
	if at != 0 {
		o.name(name)
		o.dst = append(o.dst, '"')
		o.dst = at.Time().AppendFormat(o.dst, time.RFC3339Nano)
		o.dst = append(o.dst, '"')
	}
}

// appendString appends a JSON string that escapes only what it must, so that no line
// exceeds the maximum length of the format.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // Check has refused invalid UTF-8
	return dst
}
