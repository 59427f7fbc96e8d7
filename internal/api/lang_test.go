package api_test

import (
	"slices"
	"strings"
	"testing"

	"gamedex/internal/index"
)

// TestWithoutALanguageNothingChanges compares answers without lang over a catalog with
// texts by language and over the same catalog without.
func TestWithoutALanguageNothingChanges(t *testing.T) {
	with, without := newWorld(t, unlimited), newWorld(t, unlimited)
	s := sampleCatalog()
	for i := range s.in.Cards {
		s.in.Cards[i].Texts = nil
		for j := range s.in.Cards[i].Offers {
			s.in.Cards[i].Offers[j].Texts = nil
		}
	}
	without.live.Swap(index.NewView(s.open(t), sampleManifest(t)))
	data := func(w *world, path string) string { // and what is before it, but not the requests that are left
		body, _, _ := strings.Cut(string(w.get(path).want(200).body), `"rateLimit"`)
		return body
	}
	for _, path := range langPaths {
		want := data(without, path)
		if got := data(with, path); got != want {
			t.Errorf("%s:\n%.3000s\nwithout texts by language:\n%.3000s", path, got, want)
		}
		// A language that no card has changes nothing but filters.
		if got := strings.Replace(data(with, path+"&lang=fr"), `,"lang":"fr"`, "", 1); got != want {
			t.Errorf("%s: in French\n%.3000s\nwant\n%.3000s", path, got, want)
		}
	}
}

// langPaths are requests of all kinds that take lang.
var langPaths = []string{
	"/catalog/search?q=%D0%BA%D1%83%D0%B7%D0%BD%D1%8F&includeRelated=1", "/catalog/search?q=star&includeRelated=1&includeMembers=1", "/catalog/suggest?q=star",
	"/catalog/games/" + forge + "?", "/catalog/games/" + deluxe + "?currency=USD", "/catalog/pcstore/games/star-forge?",
	"/catalog/prices?ids=" + forge + "," + deluxe + ",star-forge,nope&include=editions,meta,url", "/catalog/history?ids=" + forge + "&regions=all",
	"/catalog/browse?limit=20&sort=title", "/catalog/deals?regions=all",
}

// TestALanguageChangesNoOrder checks that lang changes neither what is found nor in which
// order, and that a page can follow one in another language.
func TestALanguageChangesNoOrder(t *testing.T) {
	w := newWorld(t, unlimited)
	for _, path := range []string{"/catalog/search?q=star", "/catalog/suggest?q=forge", "/catalog/browse?sort=title", "/catalog/search?q=%D0%BA%D1%83%D0%B7%D0%BD%D1%8F"} {
		want := idsIn(t, w.get(path).want(200).body)
		for _, l := range []string{"en", "uk", "ru", "fr"} {
			if got := idsIn(t, w.get(path+"&lang="+l).want(200).body); !slices.Equal(got, want) || len(got) == 0 {
				t.Errorf("%s in %s: %v, want %v", path, l, got, want)
			}
		}
	}
	cursor := w.get("/catalog/browse?limit=3&lang=uk").want(200).at("data.nextCursor").(string)
	w.get("/catalog/browse?limit=3&lang=en&cursor=" + cursor).want(200)
}

// idsIn returns the values of all members "id", in the order of the answer.
func idsIn(t testing.TB, body []byte) (ids []string) {
	t.Helper()
	for _, part := range strings.Split(string(body), `{"id":"`)[1:] {
		id, _, _ := strings.Cut(part, `"`)
		ids = append(ids, id)
	}
	return ids
}

// TestTheTitleThatMatched checks which titles results show: that in the language, or else
// the one that matched.
func TestTheTitleThatMatched(t *testing.T) {
	w := newWorld(t, unlimited)
	for l, want := range map[string]string{"": "Звёздная кузня", "&lang=fr": "Звёздная кузня", "&lang=en": "Star Forge", "&lang=uk": "Зоряна кузня", "&lang=ru": "Звёздная кузня"} {
		w.get("/catalog/search?q=%D0%BA%D1%83%D0%B7%D0%BD%D1%8F"+l).want(200).is("data.results.0.title", `"`+want+`"`)
	}
}
