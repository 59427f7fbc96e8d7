package stands

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"

	"gamedex/bench/bleveindex"
	"gamedex/bench/published"
	"gamedex/internal/index"
)

// bleved answers /search?q=TEXT with the ten best cards, each as the service
// shows it. The index is made in the folder args[1].
func bleved(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("name the folder of the snapshots and that of the index")
	}
	v, err := published.View(ctx, args[0])
	if err != nil {
		return err
	}
	s := &titleSearch{}
	titles := make([][]string, v.Len())
	for i := range v.Len() {
		c := v.Card(i)
		titles[i] = titlesOf(c)
		s.cards = append(s.cards, resultOf(v, c))
	}
	if s.index, err = bleveindex.Build(args[1], titles); err != nil {
		return err
	}
	defer s.index.Close()
	return serveHandler(ctx, s, out)
}

// titlesOf are all titles that a card is found by.
func titlesOf(c index.Card) []string {
	var list []string
	for i := range c.Titles().Len() {
		list = append(list, c.Titles().At(i))
	}
	return append(list, c.InvariantName())
}

// titleSearch is the handler. What it shows of a card is ready as a struct.
type titleSearch struct {
	index *bleveindex.Index
	cards []result
}

type (
	resultBody struct {
		OK   bool       `json:"ok"`
		Data resultData `json:"data"`
	}
	resultData struct {
		Results []*result `json:"results"`
		Total   int       `json:"total"`
		Limit   int       `json:"limit"`
		Offset  int       `json:"offset"`
	}
	result struct {
		ID        string       `json:"id"`
		Platform  string       `json:"platform"`
		Title     string       `json:"title"`
		Type      string       `json:"type"`
		Thumbnail string       `json:"thumbnail"`
		Price     *resultPrice `json:"price"`
		Regions   []string     `json:"regions"`
		StoreURL  string       `json:"storeUrl"`
	}
	resultPrice struct {
		Value     *int64          `json:"value"`
		Currency  string          `json:"currency"`
		Formatted string          `json:"formatted"`
		Discount  *resultDiscount `json:"discount,omitempty"`
	}
	resultDiscount struct {
		Percentage    int    `json:"percentage"`
		OriginalPrice int64  `json:"originalPrice"`
		EndsAt        string `json:"endsAt,omitempty"`
	}
)

// ServeHTTP implements http.Handler.
func (s *titleSearch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const limit = 10
	best, total, err := s.index.Find(r.Context(), r.URL.Query().Get("q"), true, limit)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body := resultBody{OK: true, Data: resultData{Results: make([]*result, len(best)), Total: total, Limit: limit}}
	for i, n := range best {
		body.Data.Results[i] = &s.cards[n]
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // who left needs no answer
}
