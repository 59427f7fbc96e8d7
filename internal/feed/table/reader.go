package table

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"gamedex/internal/money"
)

const maxRow = 1 << 20 // bytes

const notUTF8 = "is not valid UTF-8: save the table as CSV in UTF-8"

// Reader reads the rows of one table. It is not safe for concurrent use.
type Reader struct {
	options   Options
	in        *bounded
	rows      *csv.Reader
	separator rune
	columns   []column
	noPrices  []column // the columns without those of the price
	cells     int      // of the header
	skipped   int      // lines before the header
	line      int      // of the last row
	object    []byte

	money                []column // price and fullPrice
	regionAt, currencyAt int      // their columns, or -1
	defaults             defaults
	notes                []string
	asWritten            []column // as people write them: price, fullPrice and until
	point                rune     // the decimal mark of money; 0: no cell has one
	mixed                bool     // cells of money have both marks
	regions              map[string]string
	forms                money.Formatter
	copy                 *os.File // what is read, if the cells had to decide the mark; or nil
	copyEnd              error    // behind the copy
}

// Options say what a table does not.
type Options struct {
	// Decimal is the decimal mark of the columns price and fullPrice, '.' or ','; 0: their
	// cells decide. For that the table is copied to a file in TempDir (empty: the system's).
	Decimal rune
	TempDir string
	// Columns has fields by the names of columns, in any case.
	Columns map[string]string
	// Platform, Region and ObservedAt are those of a table without such columns. If they are
	// zero, the table must have the columns. ObservedFrom says what the time is, for a note.
	Platform, Region string
	ObservedAt       time.Time
	ObservedFrom     string
}

// RowError is the reason why a row is refused. The next rows can still be read.
type RowError struct {
	Column string // as the first row has it; empty: the whole row
	Value  string // the cell
	Reason string
}

// Error returns the column, the value and the reason.
func (e *RowError) Error() string {
	if e.Column == "" {
		return e.Reason
	}
	return fmt.Sprintf("%s: %q %s", e.Column, e.Value, e.Reason)
}

// NewReader reads the header of a table in UTF-8 without a byte order mark, and finds
// out how its cells are separated and what the decimal mark of its prices is. It keeps at
// most a few rows in memory. The caller closes the Reader.
func NewReader(in *bufio.Reader, options Options) (*Reader, error) {
	r := &Reader{options: options, in: &bounded{in: in, left: maxRow, keep: true}, regions: make(map[string]string), point: options.Decimal}
	var err error
	if r.separator, err = r.peekHeader(in); err != nil {
		return nil, err
	}
	r.newRows()
	names, err := r.rows.Read()
	if err != nil {
		return nil, fmt.Errorf("read the first row, which must name the columns: %w", plain(err))
	}
	r.cells = len(names)
	if r.columns, r.notes, err = parseHeader(names, options); err != nil {
		return nil, err
	}
	r.line = 1 + r.skipped
	r.noPrices = slices.DeleteFunc(slices.Clone(r.columns), func(c column) bool { return c.object == "price" })
	r.regionAt, r.currencyAt = r.position("region"), r.position("price.currency")
	var notes []string
	r.defaults, notes = r.newDefaults()
	r.notes = append(r.notes, notes...)
	for _, c := range r.columns {
		if c.kind == written {
			r.money = append(r.money, c)
		}
		if c.kind == written || c.kind == end {
			r.asWritten = append(r.asWritten, c)
		}
	}
	if len(r.money) > 0 && r.point == 0 {
		if err := r.decide(in); err != nil {
			return nil, errors.Join(err, r.Close())
		}
	}
	r.in.keep, r.in.seen = false, nil
	return r, nil
}

// newRows begins to read rows of in.
func (r *Reader) newRows() {
	r.rows = csv.NewReader(r.in)
	r.rows.Comma, r.rows.FieldsPerRecord, r.rows.ReuseRecord = r.separator, -1, true
	r.rows.TrimLeadingSpace = r.separator != '\t'
}

// readRow returns the cells of the next row without white space around them.
func (r *Reader) readRow() ([]string, error) {
	r.in.left = maxRow
	cells, err := r.rows.Read()
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	return cells, err
}

// position returns where in a row the column of a field is; -1 if there is none.
func (r *Reader) position(field string) int {
	for _, c := range r.columns {
		if c.path() == field {
			return c.at
		}
	}
	return -1
}

// peekHeader returns the separator that the first line has most often outside quotes.
// A line such as "sep=;", which Excel reads and writes, is skipped.
func (r *Reader) peekHeader(in *bufio.Reader) (separator rune, err error) {
	line, err := firstLine(in)
	if err != nil {
		return 0, err
	}
	if rest, ok := bytes.CutPrefix(bytes.TrimRight(line, "\r\n"), []byte("sep=")); ok && len(rest) == 1 && strings.Contains(",;\t", string(rest)) {
		in.Discard(len(line))
		r.skipped = 1
		return rune(rest[0]), nil
	}
	most, quoted, counts := byte(','), false, [256]int{}
	for _, c := range line {
		if c == '"' {
			quoted = !quoted
		}
		if !quoted {
			counts[c]++
		}
	}
	for _, c := range []byte(";\t") {
		if counts[c] > counts[most] {
			most = c
		}
	}
	return rune(most), nil
}

// firstLine returns the first line, with its end, without reading on.
func firstLine(in *bufio.Reader) ([]byte, error) {
	head, err := in.Peek(in.Size())
	if err != nil && err != io.EOF {
		return nil, err
	}
	line := head
	if end := bytes.IndexByte(head, '\n'); end >= 0 {
		line = head[:end+1]
	} else if len(head) == in.Size() {
		return nil, fmt.Errorf("the first row, which must name the columns, is longer than %d bytes", in.Size())
	}
	switch {
	case len(bytes.TrimSpace(line)) == 0:
		return nil, errors.New("the first row must name the columns; it is empty")
	case line[0] == '{':
		return nil, errors.New("the first row must name the columns; it is JSON, which import reads without --csv")
	case bytes.IndexByte(line, 0) >= 0:
		return nil, errors.New("is not UTF-8 text: save the table as CSV in UTF-8")
	case bytes.IndexByte(bytes.TrimRight(line, "\r\n"), '\r') >= 0:
		return nil, errors.New("its lines end with CR alone: save the table as CSV in UTF-8")
	}
	return line, nil
}

// Next returns the next row as a JSON object, valid until the next call, and the number
// of its first line, from 1. A *RowError refuses one row. io.EOF is the end. Any other
// error means that the rest cannot be read. Next skips empty rows.
func (r *Reader) Next() (line int, object []byte, err error) {
	for {
		cells, err := r.readRow()
		var broken *csv.ParseError
		switch {
		case errors.As(err, &broken):
			r.line = r.skipped + broken.StartLine
			return r.line, nil, &RowError{Reason: explain(broken, r.skipped)}
		case err != nil:
			return r.line + 1, nil, err
		}
		line, _ := r.rows.FieldPos(0)
		r.line = r.skipped + line
		if object, err := r.convert(cells); object != nil || err != nil {
			return r.line, object, err
		}
	}
}

// Notes says where the values of missing columns come from, and which fields columns with
// other names are.
func (r *Reader) Notes() []string { return r.notes }

// Column returns the name of the column of a field ("price.base"), as the first row has it,
// or the name that the column would have.
func (r *Reader) Column(field string) string {
	for _, c := range r.columns {
		if strings.EqualFold(c.path(), field) { // case: of a locale
			return c.header
		}
	}
	return strings.TrimPrefix(field, "price.")
}

// convert returns the object of a row; nil if the row is empty.
func (r *Reader) convert(cells []string) ([]byte, error) {
	filled := len(cells)
	for filled > 0 && cells[filled-1] == "" {
		filled--
	}
	switch {
	case filled == 0:
		return nil, nil
	case filled > r.cells || len(cells) < r.cells:
		return nil, &RowError{Reason: fmt.Sprintf("has %d cells, the first row has %d: put a cell with a separator or a line end in quotes", len(cells), r.cells)}
	}
	for _, c := range r.asWritten {
		if isNothing(cells[c.at]) {
			cells[c.at] = ""
		}
	}
	var p prices
	if len(r.money) > 0 {
		var refused *RowError
		if p, refused = r.readPrices(cells); refused != nil {
			return nil, refused
		}
	}
	b, refused := r.defaults.append(append(r.object[:0], '{'), r, cells)
	if refused != nil {
		return nil, refused
	}
	object := ""
	columns := r.columns
	if !saysPrice(columns, cells) {
		columns = r.noPrices
	}
	for _, c := range columns {
		cell := cells[c.at]
		if c.isAbsent(cell) {
			continue
		}
		if c.object != object {
			b = closeObject(b, object)
			b = append(appendText(b, c.object), ":{"...)
			object = c.object
			if object == price {
				b = p.append(b, r.money)
			}
		}
		if c.kind == written {
			continue
		}
		b = append(appendText(b, c.name), ':')
		if !utf8.ValidString(cell) {
			return nil, &RowError{Column: c.header, Reason: notUTF8}
		}
		if c.kind == country {
			if cell = r.region(cells); cell == "" {
				return nil, &RowError{Column: c.header, Value: cells[c.at], Reason: "is not a country: write its code (DE, DEU) or its English name (Germany)"}
			}
		}
		var reason string
		if b, reason = appendCell(b, c.kind, cell); reason != "" {
			return nil, &RowError{Column: c.header, Value: cell, Reason: reason}
		}
		b = append(b, ',')
	}
	r.object = append(bytes.TrimSuffix(closeObject(b, object), []byte(",")), '}')
	return r.object, nil
}

// closeObject ends a contained object, if there is one.
func closeObject(b []byte, object string) []byte {
	if object == "" {
		return b
	}
	return append(bytes.TrimSuffix(b, []byte(",")), "},"...)
}

// saysPrice reports whether a row has a price. A currency, a source and false flags
// are not a price: a table may have them in each row.
func saysPrice(columns []column, cells []string) bool {
	for _, c := range columns {
		if c.object == "price" && c.name != "currency" && c.name != "source" && !c.isAbsent(cells[c.at]) {
			return true
		}
	}
	return false
}

func explain(e *csv.ParseError, skipped int) string {
	if errors.Is(e.Err, csv.ErrQuote) && e.Line > e.StartLine {
		return fmt.Sprintf("a cell begins with a quote that ends wrongly or not at all up to line %d: double the quotes inside a cell", skipped+e.Line)
	}
	return "has a quote that is not doubled, or text beside a quoted cell: put the whole cell in quotes and double those inside"
}

// plain returns an error without its line number.
func plain(err error) error {
	if broken, ok := errors.AsType[*csv.ParseError](err); ok {
		return errors.New(explain(broken, 0))
	}
	return err
}

var errTooLong = errors.New("the row is longer than 1 MiB: is a quote not closed?")

// bounded is an input that fails if a row takes too many bytes, because package csv
// keeps a whole row in memory.
type bounded struct {
	in   io.Reader
	left int
	keep bool // what is read in seen
	seen []byte
	end  error // in place of io.EOF, if it is not nil
}

// Read implements io.Reader.
func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errTooLong
	}
	n, err := b.in.Read(p)
	if err == io.EOF && b.end != nil {
		err = b.end
	}
	b.left -= n
	if b.keep {
		b.seen = append(b.seen, p[:n]...)
	}
	return n, err
}
