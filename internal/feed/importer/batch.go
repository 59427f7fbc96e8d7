package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

const (
	batchLines = 2000    // that a database saves without delaying other writers
	batchBytes = 4 << 20 // bounds the memory for long lines
)

type batch struct {
	input       string
	listings    []catalog.Listing
	lines       []int // of the listings
	rejected    []*feed.LineError
	warnings    []*feed.LineError
	unknown     map[string]int // counts of the whole input, in its last batch
	decoded     int            // the same of listings with HTML entities
	repeated    int            // lines that are not stored
	notes       []string       // of a table, in its last batch
	repeats     Repeats        // those of the whole input, in its last batch
	bytes, size int64          // bytes read of the input, and its length or -1
	text        int            // bytes of the lines
}

// batches passes batches from the goroutine that reads to the one that saves, and back
// to be filled again.
type batches struct {
	full, free chan *batch
	failed     chan error // when full is closed: nil at the end of all inputs
}

type reading struct {
	inputs []string
	open   Opener
	table  *feed.TableOptions // nil: NDJSON
	now    func() time.Time
}

// readBatches starts to read the inputs, until ctx ends. If an input fails, the lines
// before the failure are still sent.
func readBatches(ctx context.Context, r reading) batches {
	bs := batches{make(chan *batch), make(chan *batch, 2), make(chan error, 1)}
	bs.free <- new(batch)
	bs.free <- new(batch)
	go func() {
		defer close(bs.full)
		for _, input := range r.inputs {
			in, size, err := r.open(ctx, input)
			if err == nil {
				err = bs.readInput(ctx, r, input, &counted{Reader: in}, size)
				if err = errors.Join(err, in.Close()); err != nil {
					err = fmt.Errorf("%s: %w", shownName(input), err)
				}
			}
			if err != nil {
				bs.failed <- err
				return
			}
		}
		bs.failed <- nil
	}()
	return bs
}

// newReader returns the Reader of an input.
func (r reading) newReader(input string, in io.Reader) (*feed.Reader, error) {
	if r.table == nil {
		return feed.NewReader(in, r.now)
	}
	o := *r.table
	o.ObservedAt, o.ObservedFrom = r.now(), "the time of the import"
	if input != "-" && !isURL(input) {
		if stat, err := os.Stat(input); err == nil && stat.Mode().IsRegular() && stat.ModTime().Before(o.ObservedAt) {
			o.ObservedAt, o.ObservedFrom = stat.ModTime(), "when the file was last changed"
		}
	}
	return feed.NewTableReader(in, r.now, o)
}

// readInput sends one input in batches.
func (bs batches) readInput(ctx context.Context, from reading, input string, in *counted, size int64) (err error) {
	r, err := from.newReader(input, in)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	seen := finder{make(map[uint64]knownLine), Repeats{Input: shownName(input)}}
	for ended := false; !ended; {
		var b *batch
		select {
		case b = <-bs.free:
		case <-ctx.Done():
			return ctx.Err()
		}
		clear(b.listings) // release their strings
		*b = batch{input: shownName(input), listings: b.listings[:0], lines: b.lines[:0], rejected: b.rejected[:0], warnings: b.warnings[:0]}
		failed := b.fill(r, &seen)
		ended = failed != nil
		if ended {
			b.unknown, b.decoded, b.repeats, b.notes = r.Unknown(), r.Decoded(), seen.found, r.Notes()
		}
		b.bytes, b.size = in.n, size
		select {
		case bs.full <- b:
		case <-ctx.Done():
			return ctx.Err()
		}
		if ended && failed != io.EOF {
			return failed
		}
	}
	return nil
}

// fill reads until the batch is full. It returns the error of the reader.
func (b *batch) fill(r *feed.Reader, seen *finder) error {
	for len(b.listings)+len(b.rejected)+b.repeated < batchLines && b.text < batchBytes {
		n := len(b.listings)
		b.listings = append(b.listings, catalog.Listing{})
		line, err := r.Next(&b.listings[n])
		if err == nil {
			if seen.repeats(&b.listings[n], line) {
				b.repeated++
				b.listings = b.listings[:n]
				continue
			}
			b.lines = append(b.lines, line)
			b.text += r.Size()
			if why := r.Warning(); why != nil {
				b.warnings = append(b.warnings, why)
			}
			continue
		}
		b.listings = b.listings[:n]
		why, refused := err.(*feed.LineError)
		if !refused {
			return err
		}
		b.rejected = append(b.rejected, why)
	}
	return nil
}

type counted struct {
	io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}
