package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/index"
	ct "gamedex/internal/testing/catalogtest"
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

// localized is a catalog of listings whose titles and editions say which listing and
// language they are of: "en name7 US".
type localized struct {
	active []catalog.Region
	lines  []catalog.Listing
	cards  []catalog.Card
}

// drawLocalized draws games with a standard and a Deluxe edition and an add-on.
func drawLocalized(t *rapid.T) (localized, *sample) {
	world := localized{active: regionsOf("UA", "TR")}
	tags := map[string]string{"": "", "en": "en-US", "uk": "uk-UA", "ru": "ru", "zh-Hant": "zh-HK"}
	codes := []string{"", "en", "uk", "ru", "zh-Hant"}
	for game := range rapid.IntRange(1, 2).Draw(t, "games") {
		for product, kind := range []string{"game", "deluxe", "dlc"} {
			id := fmt.Sprintf("P%d%d", game, product)
			named := rapid.Bool().Draw(t, "invariant names")
			for _, region := range []string{"TR", "UA", "BY", "US"} {
				l := rapid.SampledFrom(codes).Draw(t, "language")
				if rapid.IntRange(0, 3).Draw(t, "sold in "+region) == 0 && !(region == "UA" && kind == "game") {
					continue
				}
				name := fmt.Sprintf("%s name%d%s %s", l, game, kind, region)
				options := []ct.Option{ct.Family(fmt.Sprint(game)), ct.FamilyName(fmt.Sprintf("Game %d", game)), ct.Title(name), ct.Locale(tags[l]), ct.Price("USD", 100),
					ct.Prose(catalog.Prose{Description: "about " + name})}
				if named {
					options = append(options, ct.Name(fmt.Sprintf("Game %d", game)+map[string]string{"deluxe": " Deluxe", "dlc": " Hat"}[kind]))
				}
				switch kind {
				case "deluxe":
					options = append(options, ct.Edition(l+" edition "+region), ct.Title(name+" "+l+" edition "+region))
				case "dlc":
					options = append(options, ct.Type(catalog.DLC))
				}
				world.lines = append(world.lines, ct.Console(region, id, options...))
			}
		}
	}
	var store ct.Listings
	store.Apply(world.lines...)
	table := store.Table()
	s := newSample()
	s.in.Active, s.in.Entries = world.active, table.Entries
	for id := range table.Prose {
		s.prose[catalog.ProseID(id)] = &table.Prose[id]
	}
	world.cards = merge.ComposeAll(merge.Merge(table.Entries, override.Set{}), table.Entries, world.active, table.Fields)
	s.in.Cards = world.cards
	return world, s
}

// shownTexts are the title, the edition and the description that a card shows.
type shownTexts struct{ title, edition, description string }

// in returns what a product's card shows in a language, by a plain reading of the
// contract, section 12; own is what it shows without a language.
func (w localized) in(product string, l catalog.Language, own shownTexts) shownTexts {
	rank := func(c catalog.Listing) string {
		if i := slices.Index(w.active, c.Region); i >= 0 {
			return fmt.Sprint(i)
		}
		return c.Region.String()
	}
	var lines []catalog.Listing
	for _, line := range w.lines {
		if line.Product == product {
			lines = append(lines, line)
		}
	}
	slices.SortFunc(lines, func(a, b catalog.Listing) int { return strings.Compare(rank(a), rank(b)) })
	invariant := lines[0].Facts.InvariantName
	own.description = ""
	for _, line := range lines {
		of, err := catalog.ParseLanguage(line.Locale)
		if err != nil || of != l {
			continue
		}
		title, edition := line.Facts.Title, line.Facts.Edition
		if edition != "" {
			title = strings.TrimSuffix(title, " "+edition)
			if l == "en" && invariant != "" {
				edition = "Deluxe" // of the invariant name
			}
			title += " - " + edition
		}
		if slices.Contains(w.active, line.Region) {
			return shownTexts{title, edition, line.Prose.Description}
		}
		return shownTexts{title, edition, ""}
	}
	if l != "en" || invariant == "" {
		return own
	}
	own.title = invariant
	if name, ok := strings.CutSuffix(invariant, " Deluxe"); ok {
		own.title, own.edition = name+" - Deluxe", "Deluxe"
	}
	return own
}

// TestLanguagesAgreeWithThePlainReading compares every title, edition name and
// description of all endpoints with a plain reading of the listings.
func TestLanguagesAgreeWithThePlainReading(t *testing.T) {
	w := newWorld(t, unlimited)
	rapid.Check(t, func(rt *rapid.T) {
		world, s := drawLocalized(rt)
		snap := s.open(t)
		w.live.Swap(index.NewView(snap, sampleManifest(t)))
		l := rapid.SampledFrom([]catalog.Language{"en", "uk", "ru", "zh-Hant", "fr"}).Draw(rt, "language")
		want := map[string]shownTexts{}
		var ids []string
		for i := range snap.Len() {
			c := snap.Card(i)
			row := c.Rows().At(0)
			want[c.ID()] = world.in(row.Product(), l, shownTexts{c.Title(), c.EditionName(), ""})
			ids = append(ids, c.ID())
		}
		check := func(path, id string, got, want any) {
			if got == nil {
				got = ""
			}
			if got != want {
				rt.Fatalf("%s: card %s shows %q, want %q", path, id, got, want)
			}
		}
		entries := func(path string, list any) {
			for _, entry := range list.([]any) {
				e := entry.(map[string]any)
				id := e["id"].(string)
				check(path, id, e["title"], want[id].title)
				for _, member := range []string{"editionName", "edition"} {
					if name, ok := e[member]; ok {
						check(path, id, name, want[id].edition)
					}
				}
			}
		}
		suffix := "lang=" + string(l)
		for _, id := range ids {
			path := "/catalog/games/" + id + "?" + suffix
			r := w.get(path).want(200)
			check(path, id, r.at("data.title"), want[id].title)
			check(path, id, r.at("data.details.editionName"), want[id].edition)
			plain, _ := snap.Lookup(0, id)
			description := want[id].description
			if description == "" {
				description = plain.Description()
			}
			check(path, id, r.at("data.description"), description)
			entries(path, r.at("data.variants"))
			entries(path, r.at("data.related"))
		}
		for _, path := range []string{"/catalog/browse?", "/catalog/deals?regions=all&free=any&subscription=any&", "/catalog/history?ids=" + strings.Join(ids, ",") + "&", "/catalog/prices?include=meta,editions&regions=all&ids=" + strings.Join(ids, ",") + "&"} {
			r := w.get(path + suffix).want(200)
			entries(path, r.at("data.items"))
			for i := range ids {
				item, _ := r.at(fmt.Sprintf("data.items.%d", i)).(map[string]any)
				meta, ok := item["meta"].(map[string]any)
				if !ok {
					continue
				}
				id := item["id"].(string)
				check(path, id, meta["editionName"], want[id].edition)
				for _, region := range item["regions"].(map[string]any) {
					row := region.(map[string]any)
					if row["edition"] != nil && hasTexts(world, id, l) {
						check(path, id, row["edition"], want[id].edition)
					}
					entries(path, row["editions"])
				}
			}
		}
		for _, q := range []string{"game", "name0game"} {
			found := w.get("/catalog/search?q=" + q + "&includeRelated=1").want(200)
			r := w.get("/catalog/search?q=" + q + "&includeRelated=1&" + suffix).want(200)
			for i, result := range r.at("data.results").([]any) {
				c := result.(map[string]any)
				id := c["id"].(string)
				title := want[id].title
				if !hasTexts(world, id, l) {
					title = found.at(fmt.Sprintf("data.results.%d.title", i)).(string)
				}
				check("search", id, c["title"], title)
				check("search", id, c["editionName"], want[id].edition)
				entries("search", c["related"])
			}
		}
	})
}

func hasTexts(w localized, id string, l catalog.Language) bool {
	i := slices.IndexFunc(w.cards, func(c catalog.Card) bool { return c.ID == id })
	return slices.ContainsFunc(w.cards[i].Texts, func(text catalog.Texts) bool { return text.Language == l })
}
