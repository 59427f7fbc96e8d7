package growth

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"

	"gamedex/bench/lab"
)

// asking makes questions about a catalog.
type asking struct {
	catalog *lab.Catalog
	rng     *rand.Rand
}

func (a *asking) title() []string {
	products := a.catalog.Sample.Products
	return strings.Fields(products[a.rng.IntN(len(products))].Title)
}

// query is two words of a title, or the beginning of one.
func (a *asking) query() string {
	words := a.title()
	if a.rng.IntN(2) == 0 && len(words) > 1 {
		return words[0] + " " + words[len(words)-1]
	}
	return words[0][:min(len(words[0]), 3+a.rng.IntN(3))]
}

func (a *asking) search(h *lab.Handler) *http.Request {
	return h.Get("/catalog/search?q=" + url.QueryEscape(a.query()))
}

func (a *asking) suggest(h *lab.Handler) *http.Request {
	return h.Get("/catalog/suggest?q=" + url.QueryEscape(a.query()))
}

func (a *asking) card(h *lab.Handler) *http.Request {
	c := a.catalog.View.Card(a.rng.IntN(a.catalog.View.Len()))
	return h.Get(lab.CardPath(c))
}

func (a *asking) prices(h *lab.Handler) *http.Request {
	ids := make([]string, 1000)
	for i := range ids {
		ids[i] = fmt.Sprintf("%q", a.catalog.View.Card(a.rng.IntN(a.catalog.View.Len())).ID())
	}
	return h.Post(`{"ids":[` + strings.Join(ids, ",") + `]}`)
}
