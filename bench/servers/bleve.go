package servers

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"gamedex/bench/alternatives"
	"gamedex/bench/harness"
	"gamedex/internal/index"
)

// runBleve answers /search?q=TEXT with the ten best cards, in the product's
// format. It makes the index in the folder args[1].
func runBleve(ctx context.Context, args []string, out io.Writer) error {
	if len(args) != 2 {
		return errors.New("name the folder of the snapshots and that of the index")
	}
	v, err := harness.OpenView(ctx, args[0])
	if err != nil {
		return err
	}
	s := &titleSearch{}
	titles := make([][]string, v.Len())
	for i := range v.Len() {
		c := v.Card(i)
		for j := range c.Titles().Len() {
			titles[i] = append(titles[i], c.Titles().At(j))
		}
		titles[i] = append(titles[i], c.InvariantName())
		s.cards = append(s.cards, resultOf(v, c))
	}
	if s.index, err = alternatives.BuildBleve(args[1], titles); err != nil {
		return err
	}
	defer s.index.Close()
	return serveHTTP(ctx, s, out)
}

// titleSearch is the handler. It holds every card as a struct, ready to encode.
type titleSearch struct {
	index *alternatives.Bleve
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
		ID          string       `json:"id"`
		Platform    string       `json:"platform"`
		Title       string       `json:"title"`
		Type        string       `json:"type"`
		Thumbnail   string       `json:"thumbnail"`
		Price       *resultPrice `json:"price"`
		Regions     []string     `json:"regions"`
		StoreURL    string       `json:"storeUrl"`
		Platforms   []string     `json:"platforms"`
		EditionName *string      `json:"editionName"`
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

// ServeHTTP implements [http.Handler].
func (s *titleSearch) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const limit = 10
	best, total, err := s.index.Find(r.Context(), r.URL.Query().Get("q"), limit)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body := resultBody{OK: true, Data: resultData{Results: make([]*result, len(best)), Total: total, Limit: limit}}
	for i, n := range best {
		body.Data.Results[i] = &s.cards[n]
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(body) // the client may be gone
}

// resultOf returns a card in the format of search.
func resultOf(v *index.View, c index.Card) result {
	r := result{
		ID: c.ID(), Platform: c.Platform().String(), Title: c.Title(), Type: c.Type().String(),
		Thumbnail: c.Thumbnail(), StoreURL: c.StoreURL(), Regions: []string{}, Platforms: []string{},
	}
	for i := range c.Platforms().Len() {
		r.Platforms = append(r.Platforms, c.Platforms().At(i))
	}
	if name := c.EditionName(); name != "" {
		r.EditionName = &name
	}
	rows := c.Rows()
	for _, region := range v.Active() {
		if _, ok := rows.InRegion(region.No); ok {
			r.Regions = append(r.Regions, region.Lower)
		}
	}
	row, ok := c.Rows().Simple(time.Now().UnixMilli())
	if !ok {
		return r
	}
	r.Price = &resultPrice{Currency: string(v.Currency(row.Currency)), Formatted: row.CurrentText()}
	if row.Current.Known() {
		amount := int64(row.Current)
		r.Price.Value = &amount
	}
	if row.Discounted() && row.Base.Known() {
		r.Price.Discount = &resultDiscount{Percentage: int(row.Percent), OriginalPrice: int64(row.Base)}
		if row.EndsAt != 0 {
			r.Price.Discount.EndsAt = time.UnixMilli(row.EndsAt).UTC().Format("2006-01-02T15:04:05.000Z07:00")
		}
	}
	return r
}
