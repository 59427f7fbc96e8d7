package pricehistory

import (
	"cmp"
	"context"
	"fmt"

	"gamedex/internal/api/respond"
	"gamedex/internal/api/selection"
	"gamedex/internal/catalog"
	"gamedex/internal/history"
	"gamedex/internal/index"
	"gamedex/internal/money"
)

// MaxSteps is the most steps of an answer.
const MaxSteps = 20_000

// Memory is how many bytes an answer holds at most while it is read and encoded.
const Memory = 8 << 20

// defaultPeriod is how long before its end the period begins if the client does not say.
const defaultPeriod = 365 * 24 * 60 * 60 * 1000

// Params are the parameters of a request.
type Params struct {
	selection.Params
	Since, Until *catalog.Millis  // nil: not sent
	Language     catalog.Language // of titles; "": as they are without one
}

// Repository has the recorded price steps and the exchange rates of past days.
type Repository interface {
	// Histories calls fn for each of the listings that is stored, in any order and from
	// one transaction, with at least its steps from the one in force at since to the first one
	// after until. fn does not keep the steps.
	Histories(ctx context.Context, keys []catalog.Key, since, until catalog.Millis, fn func(history.Part) error) error
	// EachDayRates calls fn for the table of exchange rates of each UTC day from first to
	// last that has one, in the order of the days. The body is valid until fn returns.
	EachDayRates(ctx context.Context, first, last int64, fn func(history.DayRates) error) error
}

// Answer is the answer to one request.
type Answer struct {
	selection.Selection
	params Params
	now    catalog.Millis

	items []item // of each card
	steps int    // of all items
	usd   map[dayCurrency]money.Converter
}

// item is a card with its regions, in the order of the answer.
type item struct {
	card    index.Card
	regions []region
}

// region is the history of a card in a region.
type region struct {
	number       uint8
	watchedSince catalog.Millis // 0: its listing is not stored
	spans        []history.Span
}

// dayCurrency says which rate converts a price.
type dayCurrency struct {
	day      int64
	currency money.Currency
}

// TooManyStepsError is returned for a request whose answer would have more than MaxSteps
// steps.
type TooManyStepsError struct{ Steps int }

// Error implements error. Clients see the text.
func (e *TooManyStepsError) Error() string {
	return fmt.Sprintf("the answer would have %d steps; at most %d are allowed: request fewer ids, fewer regions or a shorter period", e.Steps, MaxSteps)
}

// Find finds the cards of the ids and the regions to show.
func (a *Answer) Find(v *index.View, params Params, now int64) {
	a.params, a.now = params, catalog.Millis(now)
	a.Selection.Find(v, params.Params)
	a.CollectSpellings()
	for _, c := range a.Cards {
		it := item{card: c}
		rows := c.Rows()
		for _, i := range a.AppendRows(nil, rows) {
			it.regions = append(it.regions, region{number: rows.Region(i)})
		}
		a.items = append(a.items, it)
	}
}

// period returns the first and the last time to show.
func (a *Answer) period() (since, until catalog.Millis) {
	until = *cmp.Or(a.params.Until, &a.now)
	return *cmp.Or(a.params.Since, new(until-defaultPeriod)), until
}

// Read reads the steps of all regions and the exchange rates of their days. It returns a
// [*TooManyStepsError] if there are too many steps.
func (a *Answer) Read(ctx context.Context, from Repository) error {
	since, until := a.period()
	var keys []catalog.Key
	regions := map[catalog.Key]*region{}
	for i := range a.items {
		card := a.items[i].card
		for j := range a.items[i].regions {
			r := &a.items[i].regions[j]
			row, _ := card.Rows().InRegion(r.number)
			key := catalog.Key{Platform: card.Platform(), Region: a.View.Region(r.number).Code, Product: row.Product()}
			keys, regions[key] = append(keys, key), r
		}
	}
	err := from.Histories(ctx, keys, since, until, func(part history.Part) error {
		spans := history.Between(history.AppendSpans(nil, part.Steps, a.now), since, until)
		if a.steps += len(spans); a.steps <= MaxSteps {
			r := regions[part.Key]
			r.watchedSince, r.spans = part.Since, spans
		}
		return nil
	})
	if err != nil {
		return err
	}
	if a.steps > MaxSteps {
		return &TooManyStepsError{a.steps}
	}
	return a.readRates(ctx, from)
}

// readRates reads the exchange rates of the days on which a price began.
func (a *Answer) readRates(ctx context.Context, from Repository) error {
	var days []int64
	currencies := map[money.Currency]bool{}
	a.eachSpan(func(s *history.Span) {
		if s.State == history.Priced {
			days = append(days, s.At.Day())
			currencies[s.Currency] = true
		}
	})
	a.usd = map[dayCurrency]money.Converter{}
	chooser := history.ChooseRates(days, func(days []int64, table history.DayRates) error {
		rates, err := money.ParsePastRates(table.Body, currencies)
		if err != nil {
			return fmt.Errorf("rates of day %d: %w", table.Day, err)
		}
		for c := range currencies {
			converter := rates.USD(c)
			for _, d := range days {
				a.usd[dayCurrency{d, c}] = converter
			}
		}
		return nil
	})
	first, last, ok := chooser.Bounds()
	if !ok {
		return nil
	}
	if err := from.EachDayRates(ctx, first, last, chooser.Add); err != nil {
		return err
	}
	return chooser.End()
}

// cents returns the price of a span in US cents by the rates of its day.
func (a *Answer) cents(s *history.Span) (int64, bool) {
	if s.State != history.Priced {
		return 0, false
	}
	if s.Currency == money.USD { // needs no table
		return int64(s.Current), s.Current.Known()
	}
	return a.usd[dayCurrency{s.At.Day(), s.Currency}].Cents(s.Current)
}

func (a *Answer) eachSpan(fn func(*history.Span)) {
	for i := range a.items {
		for j := range a.items[i].regions {
			r := &a.items[i].regions[j]
			for k := range r.spans {
				fn(&r.spans[k])
			}
		}
	}
}

// Tag adds to t everything that data shows.
func (a *Answer) Tag(t respond.Tag) respond.Tag {
	t = a.Selection.Tag(t)
	for _, bound := range []*catalog.Millis{a.params.Since, a.params.Until} {
		t = t.Number(uint64(*cmp.Or(bound, new(catalog.Millis)))).Flag(bound != nil)
	}
	for i := range a.items {
		for j := range a.items[i].regions {
			r := &a.items[i].regions[j]
			t = t.Number(uint64(r.number)).Number(uint64(r.watchedSince)).Number(uint64(len(r.spans)))
		}
	}
	a.eachSpan(func(s *history.Span) {
		cents, known := a.cents(s)
		t = t.Number(uint64(s.At)).Number(uint64(s.Until)).Number(uint64(s.State)).Text(string(s.Currency))
		t = t.Number(uint64(s.Base)).Number(uint64(s.Current)).Number(uint64(cents)).Flag(known)
		t = t.Flag(s.Trial).Flag(s.Subscription).Flag(s.Doubtful).Flag(s.Inferred)
	})
	return t
}
