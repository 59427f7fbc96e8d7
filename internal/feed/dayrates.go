package feed

import (
	"fmt"
	"slices"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/money"
)

// maxRates is the longest table of exchange rates in bytes.
const maxRates = 1 << 16

// WriteRates appends the line of the exchange rates of a day.
func (w *HistoryWriter) WriteRates(r history.DayRates) error {
	table := jsontext.Value(slices.Clone(r.Body))
	if err := table.Compact(); err != nil {
		return fmt.Errorf("write exchange rates of day %d: %w", r.Day, err)
	}
	o := opened(w.buf[:0])
	o.text("day", catalog.DayStart(r.Day).Time().Format(time.DateOnly))
	o.text("source", r.Source)
	o.name("rates")
	o.dst = append(o.dst, table...)
	w.buf = append(o.closed(), '\n')
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("write exchange rates of day %d: %w", r.Day, err)
	}
	return nil
}

// dayRates returns the exchange rates of a line. Those of a day after now are refused.
func (read *historyLine) dayRates(now catalog.Millis) (r history.DayRates, err error) {
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
	if why := checkTable(read.Rates); why != nil {
		return r, why
	}
	return history.DayRates{Day: at.Day(), Body: slices.Clone(read.Rates), Source: read.Source, TakenAt: at}, nil
}

// checkTable checks a table of exchange rates. Currencies that have gone out of use are
// allowed.
func checkTable(text jsontext.Value) *LineError {
	if len(text) > maxRates {
		return refuse("rates", "", fmt.Sprintf("is longer than %d bytes", maxRates))
	}
	var table struct {
		Rates map[money.Currency]jsontext.Value `json:"rates"`
	}
	err := json.Unmarshal(text, &table)
	if err == nil {
		of := make(map[money.Currency]bool, len(table.Rates))
		for c := range table.Rates {
			of[c] = true
		}
		_, err = money.ParsePastRates(text, of)
	}
	if err != nil {
		return refuse("rates", "", "is not a table of exchange rates: "+err.Error())
	}
	return nil
}
