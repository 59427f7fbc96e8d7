package sweeps

import (
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

func TestNewsOfTheLastBatch(t *testing.T) {
	here, there := sweep.Scope{Platform: catalog.ConsoleStore, Kind: sweep.Prices}, sweep.Scope{Platform: catalog.PCStore, Kind: sweep.Prices}
	var n news
	for _, step := range []struct {
		counts catalog.SaveCounts
		want   bool
	}{
		{catalog.SaveCounts{}, false},
		{catalog.SaveCounts{New: 3}, true},
		{catalog.SaveCounts{New: 1, Changed: 2, Unchanged: 1}, true},
		{catalog.SaveCounts{New: 1, Changed: 1, Unchanged: 1}, false},
		{catalog.SaveCounts{Changed: 1}, true},
		{catalog.SaveCounts{Older: 5}, false},
	} {
		if n.learn(here, step.counts); n.mostly(here) != step.want {
			t.Errorf("after %+v mostly news: %v, want %v", step.counts, !step.want, step.want)
		}
		if n.mostly(there) {
			t.Error("the other scope has no batch")
		}
	}
}
