package feed

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// maxSteps is the most steps in a line, which bounds its length. A listing with more has
// several lines.
const maxSteps = 5000

// HistoryWriter writes series as lines of the history format.
type HistoryWriter struct{ w io.Writer }

// NewHistoryWriter returns a HistoryWriter that calls w.Write once for each line.
func NewHistoryWriter(w io.Writer) *HistoryWriter { return &HistoryWriter{w} }

// Write appends the lines of a series. The newest steps come first: an import adds only
// what is older than the first step that is stored.
func (w *HistoryWriter) Write(s history.Series) error {
	for end := len(s.Steps); end > 0; {
		begin := max(0, end-maxSteps)
		line := historyLine{Platform: s.Platform.String(), Region: s.Region.String(), Product: s.Product}
		for _, step := range s.Steps[begin:end] {
			line.Steps = append(line.Steps, writtenStep(step))
		}
		if err := w.write(line); err != nil {
			return fmt.Errorf("write history of %s %s %s: %w", s.Platform, s.Region, s.Product, err)
		}
		end = begin
	}
	return nil
}

func (w *HistoryWriter) write(line historyLine) error {
	text, err := json.Marshal(line)
	if err == nil {
		_, err = w.w.Write(append(text, '\n'))
	}
	return err
}

func writtenStep(s history.Step) historyStep {
	step := historyStep{At: s.At.Time(), State: s.State.String(), Currency: s.Currency,
		Trial: s.Trial, Subscription: s.Subscription, Doubtful: s.Doubtful}
	if s.Base.Known() {
		step.Base = &s.Base
	}
	if s.Current.Known() {
		step.Current = &s.Current
	}
	if s.EndsAt != 0 {
		step.DiscountEndsAt = s.EndsAt.Time()
	}
	return step
}

// historyLine is a line of the history format: a series, or the exchange rates of a day.
type historyLine struct {
	Platform string        `json:"platform,omitzero"`
	Region   string        `json:"region,omitzero"`
	Product  string        `json:"product,omitzero"`
	Steps    []historyStep `json:"steps,omitzero"`

	Day    string         `json:"day,omitzero"`
	Source string         `json:"source,omitzero"`
	Rates  jsontext.Value `json:"rates,omitzero"`
}

type historyStep struct {
	At             time.Time      `json:"at,omitzero"`
	State          string         `json:"state,omitzero"`
	Currency       money.Currency `json:"currency,omitzero"`
	Base           *money.Amount  `json:"base,omitzero"`
	Current        *money.Amount  `json:"current,omitzero"`
	DiscountEndsAt time.Time      `json:"discountEndsAt,omitzero"`
	Trial          bool           `json:"trial,omitzero"`
	Subscription   bool           `json:"subscription,omitzero"`
	Doubtful       bool           `json:"doubtful,omitzero"`
}

// series returns the series of a line. Steps after now are refused.
func (read *historyLine) series(now catalog.Millis) (s history.Series, err error) {
	if read.Source != "" || read.Rates != nil {
		return s, refuse("day", "", "is required in a line with exchange rates")
	}
	if s.Platform, err = catalog.ParsePlatform(read.Platform); err != nil {
		return s, refuse("platform", quoted(read.Platform), "is not consolestore or pcstore")
	}
	if s.Region, err = catalog.ParseRegion(read.Region); err != nil {
		return s, refuse("region", quoted(read.Region), "is not an ISO 3166 country code")
	}
	if why := checkProduct("product", read.Product); why != nil || read.Product == "" {
		return s, refuse("product", quoted(read.Product), "is not a product id")
	}
	switch n := len(read.Steps); {
	case n == 0:
		return s, refuse("steps", "", "is missing or empty")
	case n > maxSteps:
		return s, refuse("steps", "", fmt.Sprintf("has %d steps; a line has at most %d", n, maxSteps))
	}
	s.Product, s.Steps = read.Product, make([]history.Step, len(read.Steps))
	for i := range read.Steps {
		if why := read.Steps[i].step(&s.Steps[i], now); why != nil {
			return s, why.inside(fmt.Sprintf("steps[%d]", i))
		}
	}
	if err := history.Check(s.Steps); err != nil {
		return s, refuse("steps", "", err.Error())
	}
	return s, nil
}

func (r *historyStep) step(s *history.Step, now catalog.Millis) *LineError {
	state, ok := history.ParseState(r.State)
	if !ok {
		return refuse("state", quoted(r.State), "is not priced, text, unpriced or gone")
	}
	*s = history.Step{At: catalog.MillisOf(r.At), State: state, Currency: r.Currency, Base: money.None, Current: money.None,
		Trial: r.Trial, Subscription: r.Subscription, Doubtful: r.Doubtful}
	if s.At <= 0 || s.At > now {
		return refuse("at", stamp(s.At), "is not between 1970 and now")
	}
	if r.Currency != "" {
		known, err := money.ParseCurrencyAt(string(r.Currency), int64(s.At))
		if err != nil {
			return refuse("currency", quoted(string(r.Currency)), "is not an ISO 4217 code in use at that time")
		}
		s.Currency = known
	}
	for _, a := range []struct {
		name string
		from *money.Amount
		to   *money.Amount
	}{{"base", r.Base, &s.Base}, {"current", r.Current, &s.Current}} {
		if a.from == nil {
			continue
		}
		if *a.from < 0 || *a.from > maxAmount {
			return refuse(a.name, amount(*a.from), fmt.Sprintf("is not between 0 and %d", maxAmount))
		}
		*a.to = *a.from
	}
	if !r.DiscountEndsAt.IsZero() {
		s.EndsAt = catalog.MillisOf(r.DiscountEndsAt)
		return checkTime("discountEndsAt", s.EndsAt)
	}
	return nil
}

// explainHistory returns the reason why a line cannot be read.
func explainHistory(line []byte, err error) error {
	if bad, ok := errors.AsType[*json.SemanticError](err); ok {
		reason := "is of a wrong JSON type"
		switch {
		case bad.JSONPointer == "":
			reason = "is not a JSON object"
		case errors.Is(err, json.ErrUnknownName):
			reason = "is not a field of the format"
		case bad.Err != nil:
			reason = "cannot be read: " + bad.Err.Error()
		}
		return refuse(strings.ReplaceAll(strings.Trim(string(bad.JSONPointer), "/"), "/", "."), shorten(string(bad.JSONValue)), reason)
	}
	return (&decoder{line: line}).explain(err)
}

// HistoryReader reads lines of the history format from one input. It is not safe for
// concurrent use.
type HistoryReader struct{ lines *Reader }

// HistoryRecord is a line of the history format: steps of a listing, or the exchange
// rates of a day.
type HistoryRecord struct {
	Series  history.Series
	Rates   *history.DayRates // nil: the line is a series
	Warning *LineError        // names entries of Rates that are no rates and are left out; nil without any
}

// NewHistoryReader returns a HistoryReader of r, whose compression it recognises.
func NewHistoryReader(r io.Reader, clock func() time.Time) (*HistoryReader, error) {
	lines, err := NewReader(r, clock)
	if err != nil {
		return nil, err
	}
	return &HistoryReader{lines}, nil
}

// Next reads the next line, which shares no memory with the reader. After a *LineError,
// which refuses one line, the next lines can still be read. io.EOF is the end. Any other
// error means that the rest of the input is unreadable, and names the line.
func (r *HistoryReader) Next() (HistoryRecord, error) {
	line, text, err := r.lines.readText()
	if err != nil {
		return HistoryRecord{}, err
	}
	record, err := readRecord(text, catalog.MillisOf(r.lines.clock()))
	if refused, ok := errors.AsType[*LineError](err); ok {
		refused.Line = line
	} else if record.Warning != nil {
		record.Warning.Line = line
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
		return read.dayRates(now)
	}
	record.Series, err = read.series(now)
	return record, err
}

// maxRates is the longest table of exchange rates in bytes.
const maxRates = 1 << 16

// WriteRates appends the line of the exchange rates of a day.
func (w *HistoryWriter) WriteRates(r history.DayRates) error {
	day := catalog.DayStart(r.Day).Time().Format(time.DateOnly)
	if err := w.write(historyLine{Day: day, Source: r.Source, Rates: r.Body}); err != nil {
		return fmt.Errorf("write exchange rates of day %d: %w", r.Day, err)
	}
	return nil
}

// dayRates returns the exchange rates of a line, without entries that are no rates. Those of
// a day after now are refused.
func (read *historyLine) dayRates(now catalog.Millis) (r HistoryRecord, err error) {
	if read.Platform+read.Region+read.Product != "" || read.Steps != nil {
		return r, refuse("day", quoted(read.Day), "is in a line of a listing; exchange rates have lines of their own")
	}
	day, err := time.Parse(time.DateOnly, read.Day)
	at := catalog.MillisOf(day)
	if err != nil || at < 0 || at > now {
		return r, refuse("day", quoted(read.Day), "is not a date (YYYY-MM-DD) between 1970 and today")
	}
	if why := checkText("source", read.Source); why != nil {
		return r, why
	}
	if len(read.Rates) > maxRates {
		return r, refuse("rates", "", fmt.Sprintf("is longer than %d bytes", maxRates))
	}
	table, err := money.ParseRates(read.Rates)
	if err != nil {
		return r, refuse("rates", "", "is not a table of exchange rates: "+err.Error())
	}
	if skipped := table.Skipped(); skipped != "" {
		r.Warning = refuse("rates", "", "skipped: "+skipped)
	}
	r.Rates = &history.DayRates{Day: at.Day(), Body: table.AppendJSON(nil), Source: read.Source, TakenAt: at}
	return r, nil
}
