package importer_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/feed"
	"gamedex/internal/feed/importer"
	"gamedex/internal/history"
)

// keptHistory is a repository that keeps what it is given.
type keptHistory struct {
	all     []history.Series
	rates   []history.DayRates
	batches []int // lengths, in order
	err     error
}

func (k *keptHistory) SaveHistory(_ context.Context, batch []history.Series) (history.ImportCounts, error) {
	if k.err != nil {
		return history.ImportCounts{}, k.err
	}
	k.all, k.batches = append(k.all, batch...), append(k.batches, len(batch))
	return history.ImportCounts{Added: len(batch)}, nil
}

func (k *keptHistory) AddDayRates(_ context.Context, tables []history.DayRates) (int, error) {
	k.rates = append(k.rates, tables...)
	return len(tables), k.err
}

// seriesLine returns a line with the steps of a product.
func seriesLine(product string, steps int) string {
	all := make([]string, steps)
	for i := range all {
		all[i] = fmt.Sprintf(`{"at":"2026-01-05T10:00:00.%03dZ","state":%q}`, i%1000, [2]string{"gone", "unpriced"}[i%2])
	}
	return fmt.Sprintf(`{"platform":"pcstore","region":"TR","product":%q,"steps":[%s]}`, product, strings.Join(all, ",")) + "\n"
}

const ratesLine = `{"day":"2026-11-18","source":"ecb","rates":{"base":"USD","rates":{"USD":1},"updatedAt":"2026-11-18T01:00:00Z"}}` + "\n"

func importHistory(repository *keptHistory, inputs ...string) (importer.HistorySummary, []string, error) {
	var refused []string
	sum, err := importer.ImportHistory(context.Background(), repository, inputs, texts, clock,
		func(_ string, why *feed.LineError) { refused = append(refused, why.Error()) },
		func(_ string, why *feed.LineError) { refused = append(refused, "warning: "+why.Error()) })
	return sum, refused, err
}

// TestImportHistory reads two inputs, whose lines are series, rates and a refused one.
func TestImportHistory(t *testing.T) {
	var repository keptHistory
	sum, refused, err := importHistory(&repository, seriesLine("a", 2)+ratesLine+"{}\n", seriesLine("b", 1))
	want := importer.HistorySummary{Read: 4, Rejected: 1, ImportCounts: history.ImportCounts{Added: 2}, Days: 1, NewDays: 1}
	if diff := cmp.Diff(want, sum); diff != "" || err != nil || len(refused) != 1 || !strings.HasPrefix(refused[0], "line 3: ") {
		t.Errorf("refused %q, %v (-want +got):\n%s", refused, err, diff)
	}
	if len(repository.all) != 2 || len(repository.all[0].Steps) != 2 || len(repository.rates) != 1 {
		t.Errorf("stored %+v", repository)
	}
}

// TestImportHistoryBatches checks the bounds of a batch: 500 lines, or 20,000 steps and
// the rest of a line.
func TestImportHistoryBatches(t *testing.T) {
	for _, tt := range []struct {
		lines, steps int
		want         []int
	}{
		{1201, 1, []int{500, 500, 201}},
		{50, 900, []int{23, 23, 4}},
	} {
		var text strings.Builder
		for i := range tt.lines {
			text.WriteString(seriesLine(fmt.Sprint("p", i), tt.steps))
		}
		var repository keptHistory
		sum, refused, err := importHistory(&repository, text.String())
		if err != nil || len(refused) > 0 || sum.Read != tt.lines || !slices.Equal(repository.batches, tt.want) {
			t.Errorf("%d lines of %d steps: batches of %v, %+v, %v, refused %d; want %v", tt.lines, tt.steps, repository.batches, sum, err, len(refused), tt.want)
		}
	}
}

// TestImportHistoryStopsAtBrokenInput checks that the lines before the damage are stored.
func TestImportHistoryStopsAtBrokenInput(t *testing.T) {
	var text strings.Builder
	for i := range 3000 {
		text.WriteString(seriesLine(fmt.Sprint("p", i), 1))
	}
	packed := gzipped(t, text.String())
	var repository keptHistory
	sum, _, err := importHistory(&repository, packed[:len(packed)-100])
	if err == nil || !strings.Contains(err.Error(), "the input is truncated, get it again") || sum.Added == 0 || sum.Added != sum.Read || len(repository.all) != sum.Added {
		t.Errorf("%+v, %v", sum, err)
	}
}

// TestImportHistoryNamesBadRates checks that a table is stored without the entries that are
// no rates, and that they are named.
func TestImportHistoryNamesBadRates(t *testing.T) {
	var repository keptHistory
	sum, refused, err := importHistory(&repository, ratesLine+strings.Replace(strings.ReplaceAll(ratesLine, "-18", "-19"), `"USD":1`, `"USD":1,"UAH":41,"HRK":7,"PLN":null`, 1))
	want := []string{`warning: line 2: rates: skipped: "HRK" (no ISO 4217 code in use at the time of the table), PLN ("null" is not a JSON number)`}
	if diff := cmp.Diff(want, refused); diff != "" || err != nil || sum.Read != 2 || sum.Rejected != 0 || sum.NewDays != 2 {
		t.Errorf("%+v, %v (-want +got):\n%s", sum, err, diff)
	}
	if body := string(repository.rates[1].Body); body != `{"base":"USD","rates":{"UAH":41,"USD":1},"updatedAt":"2026-11-19T01:00:00.000Z"}` {
		t.Errorf("stored %s", body)
	}
}

func TestImportHistoryStopsWhenTheStoreFails(t *testing.T) {
	full := errors.New("the disk is full")
	sum, _, err := importHistory(&keptHistory{err: full}, seriesLine("a", 1))
	if !errors.Is(err, full) || sum.Added != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}
