package growth

import (
	"math/rand/v2"
	"net/http"
	"net/url"

	"gamedex/bench/lab"
	"gamedex/bench/typed"
)

// asking is how many different requests there are of a kind.
const asking = 400

// kinds are the questions, in the order of the table.
var kinds = [...]struct {
	name string
	ask  func(*rand.Rand, *lab.Handler, *lab.Catalog) []*http.Request
}{
	{"search", typing("/catalog/search")},
	{"suggest", typing("/catalog/suggest")},
	{"card", cards},
	{"prices of 1000", prices},
}

func typing(path string) func(*rand.Rand, *lab.Handler, *lab.Catalog) []*http.Request {
	return func(rng *rand.Rand, h *lab.Handler, c *lab.Catalog) []*http.Request {
		var list []*http.Request
		for _, text := range typed.Texts(rng, c.View, asking) {
			list = append(list, h.Get(path+"?q="+url.QueryEscape(text)))
		}
		return list
	}
}

func cards(rng *rand.Rand, h *lab.Handler, c *lab.Catalog) []*http.Request {
	var list []*http.Request
	for range asking {
		list = append(list, h.Get(lab.CardPath(c.View.Card(rng.IntN(c.View.Len())))))
	}
	return list
}

func prices(rng *rand.Rand, h *lab.Handler, c *lab.Catalog) []*http.Request {
	var list []*http.Request
	for _, ids := range c.DrawIDs(rng, asking, 1000) {
		list = append(list, h.Prices(ids))
	}
	return list
}
