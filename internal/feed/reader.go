package feed

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"gamedex/internal/catalog"
)

// Reader reads listings from one input. It is not safe for concurrent use.
type Reader struct {
	lines   lines
	decoder *decoder
	clock   func() time.Time
	now     catalog.Millis // the clock when it was last read
	size    int            // of the last line, in bytes
}

// NewReader returns a Reader of r, whose compression it recognises. Reading needs a few
// hundred KiB, plus up to 1 MiB for a long line and the window of a compressed input. The
// Reader starts no goroutine and needs no closing.
func NewReader(r io.Reader, clock func() time.Time) (*Reader, error) {
	in, err := unpack(r)
	if err != nil {
		return nil, err
	}
	d := &decoder{strings: make(memo), regions: make(map[string]catalog.Region), unknown: make(map[string]int)}
	d.json = jsontext.NewDecoder(&d.input)
	return &Reader{lines: lines{in: in}, decoder: d, clock: clock}, nil
}

// Next reads the next listing into l, which shares no memory with the reader. After a
// *LineError, which refuses one line, the next lines can still be read. io.EOF is the
// end. Any other error means that the rest of the input is unreadable, and names the
// line. Next always returns the number of the line, from 1.
func (r *Reader) Next(l *catalog.Listing) (line int, err error) {
	for {
		text, err := r.lines.readLine()
		switch {
		case err == nil && (bytes.HasPrefix(text, []byte("#")) || len(bytes.TrimLeft(text, " \t\r")) == 0):
			continue // a comment, or empty
		case err == nil:
			r.size = len(text)
			return r.lines.n, r.readListing(text, l)
		case err == io.EOF:
			return r.lines.n, err
		case err == errTooLong:
			return r.lines.n, &LineError{Line: r.lines.n, Reason: "is longer than 1 MiB"}
		case errors.Is(err, io.ErrUnexpectedEOF):
			err = fmt.Errorf("the input is truncated, get it again: %w", err)
		case errors.Is(err, gzip.ErrChecksum), errors.Is(err, zstd.ErrCRCMismatch):
			err = fmt.Errorf("the input is damaged, get it again: %w", err)
		case errors.Is(err, gzip.ErrHeader), errors.Is(err, zstd.ErrMagicMismatch):
			err = fmt.Errorf("there is other data after the compressed input, compress it in one piece: %w", err)
		case errors.Is(err, zstd.ErrWindowSizeExceeded):
			err = fmt.Errorf("the input needs more than %d MiB to decompress, decompress it with zstd before the import: %w", maxWindow>>20, err)
		}
		return r.lines.n, fmt.Errorf("read line %d: %w", r.lines.n, err)
	}
}

func (r *Reader) readListing(text []byte, l *catalog.Listing) error {
	*l = catalog.Listing{}
	err := r.decoder.decode(text, l)
	if err == nil {
		if l.ObservedAt > r.now { // only then the clock must be read
			r.now = catalog.MillisOf(r.clock())
		}
		err = Check(l, r.now)
	}
	if refused, ok := err.(*LineError); ok {
		refused.Line = r.lines.n
	}
	return err
}

// Unknown returns the number of lines with each unknown field, by name ("price.vat"), for
// the first hundred names.
func (r *Reader) Unknown() map[string]int { return maps.Clone(r.decoder.unknown) }
