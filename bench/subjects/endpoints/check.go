package endpoints

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"gamedex/bench/lab"
)

// checked is how many of the questions both are asked before.
const checked = 256

// check asks us and bleve the same. Both must find as many, show as many, and
// show a card that both show alike. Their order is each one's own, and which
// ten of many; and we show a title in the language of the question. It gives
// how many results an answer has on average.
func (w *world) check(ctx context.Context) (float64, error) {
	shown := 0
	for _, text := range w.texts[:checked] {
		path := withText("/search", []string{text})[0]
		ours, err := ask(ctx, w.ours.URL, asking([]string{api + "/catalog" + path}, w.ours.Keys)[0])
		if err != nil {
			return 0, err
		}
		theirs, err := ask(ctx, w.bleve.URL, asking([]string{path}, w.ours.Keys)[0])
		if err != nil {
			return 0, err
		}
		if err := ours.like(theirs); err != nil {
			return 0, fmt.Errorf("q=%q: %w", text, err)
		}
		shown += len(ours.Results)
	}
	return float64(shown) / checked, nil
}

// found is what both sides' answers to a search have.
type found struct {
	Results []map[string]any
	Total   int
}

func (f found) like(other found) error {
	if f.Total != other.Total || len(f.Results) != len(other.Results) || f.Total == 0 {
		return fmt.Errorf("%d results in all, bleve %d", f.Total, other.Total)
	}
	byID := map[any]map[string]any{}
	for _, r := range f.Results {
		delete(r, "title")
		byID[r["id"]] = r
	}
	for _, theirs := range other.Results {
		delete(theirs, "title")
		if ours := byID[theirs["id"]]; ours != nil && !reflect.DeepEqual(ours, theirs) {
			return fmt.Errorf("we show %v, bleve's handler %v", ours, theirs)
		}
	}
	return nil
}

func ask(ctx context.Context, base string, r lab.Request) (found, error) {
	body, _, err := r.Fetch(ctx, base)
	if err != nil {
		return found{}, err
	}
	var answer struct{ Data found }
	if err := json.Unmarshal(body, &answer); err != nil {
		return found{}, fmt.Errorf("%s: %w", r.Path, err)
	}
	return answer.Data, nil
}
