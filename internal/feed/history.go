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
		step.timestamp("at", s.At)
		step.text("state", s.State.String())
		step.text("currency", string(s.Currency))
		step.amount("base", s.Base)
		step.amount("current", s.Current)
		step.timestamp("discountEndsAt", s.EndsAt)
		step.flag("trial", s.Trial)
		step.flag("subscription", s.Subscription)
		step.flag("doubtful", s.Doubtful)
		o.dst = step.closed()
	}
	o.dst = append(o.dst, ']')
	return o.closed()
}

// historyLine is a line of the history format: a series, or the exchange rates of a day.
type historyLine struct {
	Platform string        `json:"platform"`
	Region   string        `json:"region"`
	Product  string        `json:"product"`
	Steps    []historyStep `json:"steps"`

	Day    string         `json:"day"`
	Source string         `json:"source"`
	Rates  jsontext.Value `json:"rates"`
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
