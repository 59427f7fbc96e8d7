package feed

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gamedex/internal/catalog"
	"gamedex/internal/feed/table"
)

// Reader reads listings from one input. It is not safe for concurrent use.
type Reader struct {
	lines   lines
	table   *table.Reader // instead of lines; nil: the input is NDJSON
	decoder *decoder
	clock   func() time.Time
	now     catalog.Millis // the clock when it was last read
	size    int            // see Size
	decoded int            // see Decoded
	warning *LineError     // see Warning
}

// NewReader returns a Reader of r, whose compression it recognises. Reading needs a few
// hundred KiB, plus up to 1 MiB for a long line and the window of a compressed input. The
// Reader starts no goroutine. Only that of a table needs closing.
func NewReader(r io.Reader, clock func() time.Time) (*Reader, error) {
	in, err := unpack(r)
	if err != nil {
		return nil, err
	}
	return newReader(in, clock), nil
}

// TableOptions say what a table does not.
type TableOptions = table.Options

// NewTableReader returns a Reader of a table in CSV, which needs closing. It refuses a table
// without the columns that every listing needs.
func NewTableReader(r io.Reader, clock func() time.Time, options TableOptions) (*Reader, error) {
	in, err := unpack(r)
	if err != nil {
		return nil, err
	}
	reader := newReader(in, clock)
	if reader.table, err = table.NewReader(in, options); err != nil {
		return nil, err
	}
	return reader, nil
}

func newReader(in *bufio.Reader, clock func() time.Time) *Reader {
	d := &decoder{regions: make(map[string]catalog.Region), unknown: make(map[string]int)}
	d.json = jsontext.NewDecoder(&d.input)
	return &Reader{lines: lines{in: in}, decoder: d, clock: clock}
}

// Next reads the next listing into l, which shares no memory with the reader. After a
// *LineError, which refuses one line, the next lines can still be read. io.EOF is the
// end. Any other error means that the rest of the input is unreadable, and names the
// line. Next always returns the number of the line, from 1; of a row of a table, that of
// its first line.
func (r *Reader) Next(l *catalog.Listing) (line int, err error) {
	line, text, err := r.readText()
	if err != nil {
		return line, err
	}
	r.size = len(text)
	return line, r.readListing(line, text, l)
}

// Size returns the bytes of the listing that Next returned, in the input or, of a row of a
// table, as a JSON object.
func (r *Reader) Size() int { return r.size }

// readText returns the next listing as a JSON object, valid until the next call.
func (r *Reader) readText() (line int, text []byte, err error) {
	if r.table != nil {
		line, text, err = r.table.Next()
	} else {
		line, text, err = r.lines.readListing()
	}
	row, refused := err.(*table.RowError)
	switch {
	case err == nil, err == io.EOF:
		return line, text, err
	case refused:
		why := &LineError{Line: line, Field: row.Column, Reason: row.Reason}
		if row.Value != "" {
			why.Value = quoted(row.Value)
		}
		return line, nil, why
	case err == errTooLong:
		return line, nil, &LineError{Line: line, Reason: "is longer than 1 MiB"}
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = fmt.Errorf("the input is truncated, get it again: %w", err)
	case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
		err = fmt.Errorf("the input is damaged, get it again: %w", err)
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
		err = fmt.Errorf("there is other data after the compressed input, compress it in one piece: %w", err)
	case errors.Is(err, zstd.ErrWindowSizeExceeded):
		err = fmt.Errorf("the input needs more than %d MiB to decompress, decompress it with zstd before the import: %w", maxWindow>>20, err)
	}
	return line, nil, fmt.Errorf("read line %d: %w", line, err)
}

func (r *Reader) readListing(line int, text []byte, l *catalog.Listing) error {
	*l, r.warning = catalog.Listing{}, nil
	err := r.decoder.decode(text, l)
	if err == nil {
		if l.ObservedAt > r.now { // only then the clock must be read
			r.now = catalog.MillisOf(r.clock())
		}
		var decoded bool
		if decoded, r.warning, err = check(l, r.now); err == nil && decoded {
			r.decoded++
		}
	}
	refused, _ := err.(*LineError)
	for _, why := range []*LineError{refused, r.warning} {
		if why == nil {
			continue
		}
		if why.Line = line; r.table != nil {
			why.Field = r.table.Column(why.Field)
		}
	}
	return err
}

// Notes says where the values of missing columns of a table come from, and which fields
// columns with other names are. It returns nothing of NDJSON.
func (r *Reader) Notes() []string {
	if r.table == nil {
		return nil
	}
	return r.table.Notes()
}

// Close releases what a table needs.
func (r *Reader) Close() error {
	if r.table == nil {
		return nil
	}
	return r.table.Close()
}

// Decoded returns the number of listings in whose titles and names HTML entities were
// decoded.
func (r *Reader) Decoded() int { return r.decoded }

// Warning returns what is wrong with the price of the listing that Next returned, and what
// was done about it; nil if nothing is.
func (r *Reader) Warning() *LineError { return r.warning }

// Unknown returns the number of lines with each unknown field, by name ("price.vat"), for
// the first hundred names.
func (r *Reader) Unknown() map[string]int { return maps.Clone(r.decoder.unknown) }
