package feed

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// maxSteps is the most steps in a line, which bounds its length. A listing with more has
// several lines.
const maxSteps = 5000

// HistoryWriter writes series as lines of the history format.
type HistoryWriter struct {
	w   io.Writer
	buf []byte
}

// NewHistoryWriter returns a HistoryWriter that calls w.Write once for each line.
func NewHistoryWriter(w io.Writer) *HistoryWriter { return &HistoryWriter{w: w} }

// Write appends the lines of a series. The newest steps come first: an import adds only
// what is older than the first step that is stored.
func (w *HistoryWriter) Write(s history.Series) error {
	for end := len(s.Steps); end > 0; {
		begin := max(0, end-maxSteps)
		w.buf = append(appendSeries(w.buf[:0], s.Key, s.Steps[begin:end]), '\n')
		if _, err := w.w.Write(w.buf); err != nil {
			return fmt.Errorf("write history of %s %s %s: %w", s.Platform, s.Region, s.Product, err)
		}
		end = begin
	}
	return nil
}

func appendSeries(dst []byte, key catalog.Key, steps []history.Step) []byte {
	o := opened(dst)
	o.text("platform", key.Platform.String())
	o.text("region", key.Region.String())
	o.text("product", key.Product)
	o.name("steps")
	for i := range steps {
		s := &steps[i]
		step := opened(append(o.dst, "[,"[min(i, 1)]))
		step.moment("at", s.At)
		step.text("state", s.State.String())
		step.text("currency", string(s.Currency))
		step.amount("base", s.Base)
		step.amount("current", s.Current)
		step.moment("discountEndsAt", s.EndsAt)
		step.flag("trial", s.Trial)
		step.flag("subscription", s.Subscription)
		step.flag("doubtful", s.Doubtful)
		o.dst = step.closed()
	}
	o.dst = append(o.dst, ']')
	return o.closed()
}

// historyLine is a line of the history format.
type historyLine struct {
	Platform string        `json:"platform"`
	Region   string        `json:"region"`
	Product  string        `json:"product"`
	Steps    []historyStep `json:"steps"`
}

type historyStep struct {
	At             time.Time      `json:"at"`
	State          string         `json:"state"`
	Currency       money.Currency `json:"currency"`
	Base           *money.Amount  `json:"base"`
	Current        *money.Amount  `json:"current"`
	DiscountEndsAt time.Time      `json:"discountEndsAt"`
	Trial          bool           `json:"trial"`
	Subscription   bool           `json:"subscription"`
	Doubtful       bool           `json:"doubtful"`
}

// parseSeries reads a line. Steps after now are refused.
func parseSeries(line []byte, now catalog.Millis) (s history.Series, err error) {
	var read historyLine
	if err := json.Unmarshal(line, &read, json.RejectUnknownMembers(true)); err != nil {
		return s, explainHistory(line, err)
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
		known, err := money.ParseCurrency(string(r.Currency))
		if err != nil {
			return refuse("currency", quoted(string(r.Currency)), "is not an ISO 4217 code in use")
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
		return checkMoment("discountEndsAt", s.EndsAt)
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

// HistoryStore is where ImportHistory saves series.
type HistoryStore interface {
	// SaveHistory stores a whole batch or nothing. It does not keep the slice.
	SaveHistory(ctx context.Context, batch []history.Series) (history.ImportCounts, error)
}

// HistorySummary counts the outcomes of an import of history.
type HistorySummary struct {
	Read     int // lines, valid or not
	Rejected int
	history.ImportCounts
}

// A batch of an import of history has at most so many lines or, but for the last line,
// steps.
const (
	historyLines = 500
	historySteps = 20_000
)

// ImportHistory reads inputs in the history format and adds the steps that are older than
// those that are stored. It calls rejected with each refused line. The summary is correct
// even with an error: what it counts is stored. An import can always be repeated.
func ImportHistory(ctx context.Context, store HistoryStore, inputs []string, open Opener, now func() time.Time, rejected func(input string, why *LineError)) (sum HistorySummary, err error) {
	for _, input := range inputs {
		if err := importHistory(ctx, store, input, open, now, rejected, &sum); err != nil {
			return sum, fmt.Errorf("import history from %s: %w", input, err)
		}
	}
	return sum, nil
}

func importHistory(ctx context.Context, store HistoryStore, input string, open Opener, now func() time.Time, rejected func(string, *LineError), sum *HistorySummary) error {
	file, _, err := open(ctx, input)
	if err != nil {
		return err
	}
	defer file.Close()
	reader, err := NewReader(file, now)
	if err != nil {
		return err
	}
	var batch []history.Series
	steps := 0
	save := func() error {
		counts, err := store.SaveHistory(ctx, batch)
		if err == nil {
			sum.ImportCounts = sum.Add(counts)
		}
		batch, steps = batch[:0], 0
		return err
	}
	for {
		line, text, err := reader.readText()
		if err == io.EOF {
			return save()
		}
		var series history.Series
		if err == nil {
			series, err = parseSeries(text, catalog.MillisOf(now()))
		}
		if refused, ok := errors.AsType[*LineError](err); ok {
			refused.Line = line
			sum.Read++
			sum.Rejected++
			rejected(input, refused)
			continue
		}
		if err != nil {
			return errors.Join(err, save())
		}
		sum.Read++
		batch, steps = append(batch, series), steps+len(series.Steps)
		if len(batch) == historyLines || steps >= historySteps {
			if err := save(); err != nil {
				return err
			}
		}
	}
}
