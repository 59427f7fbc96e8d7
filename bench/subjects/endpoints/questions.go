package endpoints

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strings"

	"gamedex/bench/lab"
	"gamedex/internal/catalog"
	"gamedex/internal/index"
)

// texts are what people type: for every second one two words of one title, for
// the others the beginning of a word, two to five letters long. Numerals are
// left out: the service finds them in both scripts, bleve does not.
func texts(rng *rand.Rand, v *index.View, n int) []string {
	var list []string
	for len(list) < n {
		words := slices.DeleteFunc(strings.Fields(v.Card(rng.IntN(v.Len())).Title()), isNumeral)
		i := rng.IntN(len(words))
		if len(list)%2 == 0 {
			if len(words) > 1 {
				j := (i + 1 + rng.IntN(len(words)-1)) % len(words)
				list = append(list, words[i]+" "+words[j])
			}
			continue
		}
		if word := []rune(words[i]); len(word) >= 2 {
			list = append(list, string(word[:min(len(word), 2+rng.IntN(4))]))
		}
	}
	return list
}

// isNumeral is true for lone punctuation, too.
func isNumeral(word string) bool { return strings.Trim(word, "IVX0123456789-&:") == "" }

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
		c := v.Card(rng.IntN(v.Len()))
		path := "/api/v1/catalog/games/"
		if c.Platform() == catalog.PCStore {
			path = "/api/v1/catalog/pcstore/games/"
		}
		list = append(list, path+url.PathEscape(c.ID()))
	}
	return list
}
