package feed

import (
	"errors"
	"io"
	"time"

	"github.com/go-json-experiment/json"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
)

// HistoryReader reads lines of the history format from one input. It is not safe for
// concurrent use.
type HistoryReader struct {
	lines *Reader
	clock func() time.Time
}

// HistoryRecord is a line of the history format: steps of a listing, or the exchange
// rates of a day.
type HistoryRecord struct {
	Series history.Series
	Rates  *history.DayRates // nil: the line is a series
}

// NewHistoryReader returns a HistoryReader of r, whose compression it recognises.
func NewHistoryReader(r io.Reader, clock func() time.Time) (*HistoryReader, error) {
	lines, err := NewReader(r, clock)
	if err != nil {
		return nil, err
	}
	return &HistoryReader{lines: lines, clock: clock}, nil
}

// Next reads the next line, which shares no memory with the reader. After a *LineError,
// which refuses one line, the next lines can still be read. io.EOF is the end. Any other
// error means that the rest of the input is unreadable, and names the line.
func (r *HistoryReader) Next() (HistoryRecord, error) {
	line, text, err := r.lines.readText()
	if err != nil {
		return HistoryRecord{}, err
	}
	record, err := readRecord(text, catalog.MillisOf(r.clock()))
	if refused, ok := errors.AsType[*LineError](err); ok {
		refused.Line = line
	}
	return record, err
}

// readRecord reads one line. Steps and days after now are refused.
func readRecord(text []byte, now catalog.Millis) (record HistoryRecord, err error) {
	var read historyLine
	if err := json.Unmarshal(text, &read, json.RejectUnknownMembers(true)); err != nil {
		return record, explainHistory(text, err)
	}
	if read.Day != "" {
		table, err := read.dayRates(now)
		return HistoryRecord{Rates: &table}, err
	}
	record.Series, err = read.series(now)
	return record, err
}
