package endpoints

import (
	"math/rand/v2"
	"net/url"

	"gamedex/bench/lab"
	"gamedex/internal/index"
)

// api is where the service has its endpoints.
const api = "/api/v1"

// asking makes a GET request of each path, keys in turn.
func asking(paths, keys []string) []lab.Request {
	var list []lab.Request
	for i, path := range paths {
		list = append(list, lab.Request{Method: "GET", Path: path, Header: []string{"Authorization: Bearer " + keys[i%len(keys)]}})
	}
	return list
}

// withText makes a path of each text.
func withText(path string, texts []string) []string {
	var list []string
	for _, t := range texts {
		list = append(list, path+"?q="+url.QueryEscape(t))
	}
	return list
}

// cardPaths are those of random cards of both platforms.
func cardPaths(rng *rand.Rand, v *index.View, n int) []string {
	var list []string
	for range n {
		list = append(list, api+lab.CardPath(v.Card(rng.IntN(v.Len()))))
	}
	return list
}
