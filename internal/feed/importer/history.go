package importer

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"gamedex/internal/feed"
	"gamedex/internal/history"
)

// HistoryRepository is where ImportHistory saves series and exchange rates. Both methods store
// all that they are given or nothing, and do not keep it.
type HistoryRepository interface {
	SaveHistory(ctx context.Context, batch []history.Series) (history.ImportCounts, error)
	// AddDayRates adds the tables of days that have none, and returns how many it added.
	AddDayRates(ctx context.Context, tables []history.DayRates) (added int, err error)
}

// HistorySummary counts the outcomes of an import of history.
type HistorySummary struct {
	Read     int // lines, valid or not
	Rejected int
	history.ImportCounts
	Days    int // of which the exchange rates were read
	NewDays int // of these, those without rates until then
}

// A batch of an import of history ends with the line that reaches one of these numbers of
// lines or steps.
const (
	historyLines = 500
	historySteps = 20_000
)

// ImportHistory reads inputs in the history format and adds the steps that are older than
// those that are stored, and the exchange rates of days that have none. It calls rejected
// with each refused line, and warned with each table of rates of which entries are skipped.
// The summary is correct even with an error: what it counts is
// stored. An import can always be repeated.
func ImportHistory(ctx context.Context, repository HistoryRepository, inputs []string, open Opener, now func() time.Time, rejected, warned func(input string, why *feed.LineError)) (sum HistorySummary, err error) {
	for _, input := range inputs {
		if err := importHistory(ctx, repository, input, open, now, rejected, warned, &sum); err != nil {
			return sum, fmt.Errorf("import history from %s: %w", shownName(input), err)
		}
	}
	return sum, nil
}

func importHistory(ctx context.Context, repository HistoryRepository, input string, open Opener, now func() time.Time, rejected, warned func(string, *feed.LineError), sum *HistorySummary) error {
	file, _, err := open(ctx, input)
	if err != nil {
		return err
	}
	defer file.Close()
	reader, err := feed.NewHistoryReader(file, now)
	if err != nil {
		return err
	}
	var batch historyBatch
	for {
		record, err := reader.Next()
		if err == io.EOF {
			return batch.save(ctx, repository, sum)
		}
		if refused, ok := errors.AsType[*feed.LineError](err); ok {
			sum.Read++
			sum.Rejected++
			rejected(shownName(input), refused)
			continue
		}
		if err != nil {
			return errors.Join(err, batch.save(ctx, repository, sum))
		}
		sum.Read++
		if record.Warning != nil {
			warned(shownName(input), record.Warning)
		}
		if record.Rates != nil {
			batch.rates = append(batch.rates, *record.Rates)
		} else {
			batch.series, batch.steps = append(batch.series, record.Series), batch.steps+len(record.Series.Steps)
		}
		if len(batch.series)+len(batch.rates) == historyLines || batch.steps >= historySteps {
			if err := batch.save(ctx, repository, sum); err != nil {
				return err
			}
		}
	}
}

// historyBatch is what is saved at once.
type historyBatch struct {
	series []history.Series
	steps  int
	rates  []history.DayRates
}

// save saves the batch, counts what was done, and empties it.
func (b *historyBatch) save(ctx context.Context, repository HistoryRepository, sum *HistorySummary) error {
	added, err := repository.AddDayRates(ctx, b.rates)
	if err == nil {
		sum.Days, sum.NewDays = sum.Days+len(b.rates), sum.NewDays+added
		var counts history.ImportCounts
		if counts, err = repository.SaveHistory(ctx, b.series); err == nil {
			sum.ImportCounts = sum.Add(counts)
		}
	}
	b.series, b.steps, b.rates = b.series[:0], 0, b.rates[:0]
	return err
}
