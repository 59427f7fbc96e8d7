package api_test

import (
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// searchResults is the part of a search answer that filters decide on.
type searchResults struct {
	Data struct {
		Results []struct {
			ID, Platform, Type string
			Platforms          []string
		}
		Total int
	}
}

// search returns the results of a query.
func (w *world) search(query url.Values) (found searchResults) {
	w.t.Helper()
	answer := w.get("/catalog/search?" + query.Encode()).want(200)
	if err := json.Unmarshal(answer.body, &found); err != nil {
		w.t.Fatal(err)
	}
	return found
}

// TestSearchFiltersAgreeWithANaiveFilter filters all results by type and device, and
// walks over the pages of the search with these filters.
func TestSearchFiltersAgreeWithANaiveFilter(t *testing.T) {
	w := newWorld(t, unlimited)
	kept, left := 0, 0
	for _, q := range []string{"star", "star forge", "star forge zebra", "forge", "starr"} {
		for _, types := range []string{"", "game", "DLC", "edition,bundle"} {
			for _, devices := range [][]string{nil, {"PS5"}, {"PS4", "PS5"}, {"Toaster"}} {
				everything := w.search(url.Values{"q": {q}, "limit": {"100"}}).Data
				var want, got []string
				for _, r := range everything.Results {
					ok := types == "" || slices.Contains(map[string][]string{"game": {"game"}, "DLC": {"dlc"}, "edition,bundle": {"edition", "bundle"}}[types], r.Type)
					if ok && (devices == nil || slices.ContainsFunc(r.Platforms, func(d string) bool { return slices.Contains(devices, d) })) {
						want = append(want, r.ID)
					} else {
						left++
					}
				}
				kept += len(want)
				query := url.Values{"q": {q}, "types": {types}, "platforms": devices, "limit": {"2"}}
				for offset := 0; offset <= len(want); offset += 2 {
					query.Set("offset", fmt.Sprint(offset))
					page := w.search(query).Data
					if page.Total != len(want) {
						t.Errorf("%v: total %d, want %d", query, page.Total, len(want))
					}
					for _, r := range page.Results {
						got = append(got, r.ID)
					}
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%v (-want +got):\n%s", query, diff)
				}
			}
		}
	}
	if kept == 0 || left == 0 {
		t.Errorf("%d results pass, %d do not: nothing is tested", kept, left)
	}
}
