package index_test

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	"gamedex/internal/money"
)

// TestRoundTrip builds random inputs and compares everything that
// can be read of the snapshot with a slow reading of the input.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		s := drawSample(rt)
		blobs, _, err := pack.Build(s.in)
		must(rt, err)
		snap, err := index.Open(blobs.Catalog, blobs.Prices)
		must(rt, err)
		served := s.servedCards()
		if snap.Len() != len(served) {
			rt.Fatalf("%d cards, want %d", snap.Len(), len(served))
		}
		for i, c := range served {
			if diff := gocmp.Diff(s.wantCard(c), readCard(snap, snap.Card(i))); diff != "" {
				rt.Fatalf("card %d (-want +got):\n%s", i, diff)
			}
			if got, ok := snap.Lookup(0, strings.ToUpper(c.ID)); !ok || got != snap.Card(i) {
				rt.Fatalf("Lookup(%q) does not find card %d", c.ID, i)
			}
		}
		checkEnds(rt, s, snap)
	})
}

// languages are those of drawn texts, and one that none is in.
var languages = []catalog.Language{"en", "uk", "zh-Hant", "fr"}

// cardText is a card as text and rows, the same from both sides.
type cardText struct {
	Facts  []string
	Texts  []string // by language
	Lists  [][]string
	Rows   []string
	Offers []string
	Listed []string
}

func (s *sample) servedCards() []*catalog.Card {
	var list []*catalog.Card
	for i := range s.in.Cards {
		c := &s.in.Cards[i]
		for _, n := range c.Rows {
			if slices.Contains(s.in.Active, s.in.Entries[n].Region) {
				list = append(list, c)
				break
			}
		}
	}
	slices.SortFunc(list, func(a, b *catalog.Card) int {
		return cmp.Or(cmp.Compare(a.Type, b.Type), -cmp.Compare(a.Popularity, b.Popularity),
			cmp.Compare(a.Title, b.Title), cmp.Compare(a.ID, b.ID))
	})
	return list
}

func (s *sample) wantCard(c *catalog.Card) cardText {
	prose := func(id catalog.ProseID) catalog.Prose {
		if p := s.prose[id]; p != nil {
			return *p
		}
		return catalog.Prose{}
	}
	thumbnail, cover := prose(c.Prose.Thumbnail).Thumbnail, prose(c.Prose.Cover).Cover
	rating := prose(c.Prose.Rating)
	want := cardText{
		Facts: []string{c.ID, c.Platform.String(), c.Type.String(), fmt.Sprint(c.Class), c.Title, c.EditionName, c.InvariantName,
			prose(c.Prose.Description).Description, prose(c.Prose.Publisher).Publisher, prose(c.Prose.Developer).Developer,
			prose(c.Prose.ReleaseDate).ReleaseDate, cmp.Or(thumbnail, cover), cmp.Or(cover, thumbnail), prose(c.Prose.Logo).Logo,
			c.StoreURL, rating.RatingAge, rating.RatingSystem},
		Lists: [][]string{prose(c.Prose.Genres).Genres, c.Platforms, c.TitleIDs, prose(c.Prose.Screenshots).Screenshots, c.Titles, c.Aliases},
		Rows:  s.wantRows(c, c.Rows),
	}
	for _, l := range languages {
		title, edition, description, shown := c.Title, c.EditionName, want.Facts[7], "matched"
		for _, text := range c.Texts {
			if text.Language == l {
				title, edition, description = cmp.Or(text.Title, title), cmp.Or(text.EditionName, edition), cmp.Or(prose(text.Description).Description, description)
				shown = title
			}
		}
		want.Texts = append(want.Texts, fmt.Sprintf("%s: %s, %s, %s, %s", l, title, edition, description, shown))
	}
	for _, o := range c.Offers {
		line := fmt.Sprint(o.ID, o.Title, o.Type, o.Edition, s.wantRows(c, o.Rows))
		for _, l := range languages {
			title, edition := o.Title, o.Edition
			for _, text := range o.Texts {
				if text.Language == l {
					title, edition = cmp.Or(text.Title, title), cmp.Or(text.EditionName, edition)
				}
			}
			line += fmt.Sprintf(" %s: %s, %s", l, title, edition)
		}
		want.Offers = append(want.Offers, line)
	}
	for _, other := range s.servedCards() {
		if other.Platform == catalog.ConsoleStore && c.Platform == catalog.ConsoleStore && other.Family == c.Family &&
			other.Class == catalog.GameClass && c.Class == catalog.GameClass {
			want.Listed = append(want.Listed, other.ID)
		}
	}
	return want
}

func readCard(snap *index.Snapshot, c index.Card) cardText {
	got := cardText{
		Facts: []string{c.ID(), c.Platform().String(), c.Type().String(), fmt.Sprint(c.Class()), c.Title(), c.EditionName(), c.InvariantName(),
			c.Description(), c.Publisher(), c.Developer(), c.ReleaseDate(), c.Thumbnail(), c.Cover(), c.Logo(),
			c.StoreURL(), c.RatingAge(), c.RatingSystem()},
		Lists: [][]string{strs(c.Genres()), strs(c.Platforms()), strs(c.TitleIDs()), strs(c.Screenshots()), strs(c.Titles()), strs(c.Aliases())},
		Rows:  readRows(snap, c.Rows()),
	}
	for _, l := range languages {
		n := snap.Language(l)
		got.Texts = append(got.Texts, fmt.Sprintf("%s: %s, %s, %s, %s", l, c.TitleIn(n), c.EditionNameIn(n), c.DescriptionIn(n),
			index.Hit{Card: c, Title: "matched"}.TitleIn(n)))
	}
	offers := c.Offers()
	for i := range offers.Len() {
		o := offers.At(i)
		line := fmt.Sprint(o.ID(), o.Title(), o.Type(), o.Edition(), readRows(snap, o.Rows()))
		for _, l := range languages {
			line += fmt.Sprintf(" %s: %s, %s", l, o.TitleIn(snap.Language(l)), o.EditionIn(snap.Language(l)))
		}
		got.Offers = append(got.Offers, line)
	}
	if c.Platform() == catalog.ConsoleStore && c.Class() == catalog.GameClass {
		got.Listed = ids(c.Editions())
	}
	return got
}

func (s *sample) wantRows(c *catalog.Card, rows []uint32) []string {
	var list []string
	for _, n := range rows {
		e := &s.in.Entries[n]
		line := fmt.Sprint(e.Region, " ", e.Product, " ", e.URL.URL(e.Product, e.Facts.Slug), " ", e.Facts.Edition, " ")
		if p := e.Price; p != nil {
			trial, percent := p.Trial || c.Class == catalog.DemoClass, p.DiscountPercent
			if trial {
				percent = catalog.NoPercent
			}
			line += fmt.Sprint(e.PricedAt, " ", p.Currency, p.Base, p.Current, percent, p.DiscountLabel, p.DiscountEndsAt,
				trial, p.Subscription, p.Source, p.Source == "doubtful", p.BaseText, p.CurrentText)
		} else if c.Class == catalog.DemoClass {
			line += "demo"
		}
		list = append(list, line)
	}
	return list
}

func readRows(snap *index.Snapshot, rows index.Rows) []string {
	var list []string
	for i := range rows.Len() {
		r := rows.At(i)
		line := fmt.Sprint(snap.Region(r.Region).Code, " ", r.Product(), " ", string(r.AppendURL(nil)), " ", r.Edition(), " ")
		if r.Priced {
			line += fmt.Sprint(r.PricedAt, " ", snap.Currency(r.Currency), r.Base, r.Current, r.Percent, r.Label(), r.EndsAt,
				r.Trial, r.Subscription, r.Source(), r.Doubtful, r.BaseText(), r.CurrentText())
		} else if r.Trial {
			line += "demo"
		}
		list = append(list, line)
	}
	return list
}

func checkEnds(t *rapid.T, s *sample, snap *index.Snapshot) {
	ends := map[catalog.Millis]bool{}
	for _, c := range s.servedCards() {
		for _, o := range append(slices.Clone(c.Offers), catalog.Offer{Rows: c.Rows}) {
			for _, n := range o.Rows {
				if p := s.in.Entries[n].Price; p != nil && p.DiscountEndsAt > 0 {
					ends[p.DiscountEndsAt] = true
				}
			}
		}
	}
	for now := int64(0); now < 10; now++ {
		want := 0
		for end := range ends {
			if int64(end) <= now {
				want++
			}
		}
		if got := snap.PassedEnds(now); got != want {
			t.Fatalf("PassedEnds(%d) = %d, want %d", now, got, want)
		}
	}
}

// drawSample draws a small catalog in which regions, families, products and
// texts meet often.
func drawSample(t *rapid.T) *sample {
	s := newSample("UA", "TR", "US")
	for id := catalog.ProseID(1); id <= 4; id++ {
		s.prose[id] = drawProse(t)
	}
	for i := range rapid.IntRange(0, 8).Draw(t, "cards") {
		c := catalog.Card{
			Platform: rapid.SampledFrom(catalog.Platforms()).Draw(t, "platform"), ID: gameID(i),
			Family: rapid.StringMatching(`[12]`).Draw(t, "family"),
			Class:  catalog.Class(rapid.IntRange(1, 4).Draw(t, "class")), Type: catalog.Type(rapid.IntRange(1, 6).Draw(t, "type")),
			Title: drawText(t), EditionName: "Deluxe", InvariantName: drawText(t), StoreURL: drawText(t),
			Titles: drawTexts(t), Platforms: drawTexts(t), TitleIDs: drawTexts(t),
			Popularity: float64(rapid.IntRange(0, 2).Draw(t, "popularity")), Prose: drawChoice(t), Texts: drawLocalTexts(t, 4),
		}
		if c.Platform == catalog.PCStore {
			c.ID, c.Aliases = strings.ToLower(c.ID), drawTexts(t)
			for n := range rapid.IntRange(0, 3).Draw(t, "offers") {
				c.Offers = append(c.Offers, catalog.Offer{ID: fmt.Sprint("offer", n), Title: drawText(t),
					Type: catalog.Type(rapid.IntRange(1, 7).Draw(t, "type")), Edition: drawText(t), Rows: s.drawRows(t, &c), Texts: drawLocalTexts(t, 0)})
			}
		}
		c.Rows = s.drawRows(t, &c)
		if len(c.Offers) > 0 && rapid.Bool().Draw(t, "shared") {
			c.Rows = c.Offers[0].Rows
		}
		s.in.Cards = append(s.in.Cards, c)
	}
	return s
}

func (s *sample) drawRows(t *rapid.T, c *catalog.Card) []uint32 {
	var rows []uint32
	for _, region := range []string{"DE", "TR", "UA", "US"} {
		if rapid.IntRange(0, 2).Draw(t, region) == 0 {
			continue
		}
		e := catalog.Entry{Platform: c.Platform, Region: catalog.MustRegion(region), Product: drawText(t) + "p",
			Facts: &catalog.Facts{Edition: rapid.SampledFrom([]string{"Deluxe", "Gold"}).Draw(t, "edition")}, Price: drawPrice(t), PricedAt: drawMillis(t)}
		if c.Platform == catalog.PCStore {
			e.Facts.Slug = rapid.SampledFrom([]string{c.ID, "other"}).Draw(t, "slug")
		}
		e.URL = catalog.PatternOf(rapid.SampledFrom([]string{"", "https://x.example/" + e.Product + "/" + c.ID, "https://x.example/other/1"}).Draw(t, "url"),
			e.Product, e.Facts.Slug)
		s.in.Entries = append(s.in.Entries, e)
		rows = append(rows, uint32(len(s.in.Entries)-1))
	}
	return rows
}

// drawPrice draws prices whose texts are the store's own, so that they are
// read back as they are.
func drawPrice(t *rapid.T) *catalog.Price {
	if rapid.IntRange(0, 4).Draw(t, "priced") == 0 {
		return nil
	}
	amounts := rapid.SampledFrom([]money.Amount{money.None, 0, 1, 199900, 1<<32 - 2, 1<<32 - 1, 1 << 32, 10_000_000_000_000})
	return &catalog.Price{
		Currency: rapid.SampledFrom([]money.Currency{"UAH", "TRY", "JPY"}).Draw(t, "currency"),
		Base:     amounts.Draw(t, "base"), Current: amounts.Draw(t, "current"),
		BaseText: "base " + drawText(t), CurrentText: "current " + drawText(t),
		DiscountPercent: rapid.IntRange(catalog.NoPercent, 100).Draw(t, "percent"), DiscountLabel: drawText(t),
		DiscountEndsAt: catalog.Millis(rapid.IntRange(0, 8).Draw(t, "end")),
		Trial:          rapid.Bool().Draw(t, "trial"), Subscription: rapid.Bool().Draw(t, "subscription"),
		Source: rapid.SampledFrom([]string{"", "graphql", "doubtful"}).Draw(t, "source"),
	}
}

func drawMillis(t *rapid.T) catalog.Millis {
	return catalog.Millis(rapid.SampledFrom([]int64{0, 1, 1_700_000_000_123, 1<<48 - 1}).Draw(t, "at"))
}

func drawText(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "a", "b", "Відьмак", "ウィッチャー", `"<&>`}).Draw(t, "text")
}

func drawTexts(t *rapid.T) []string {
	var list []string
	for range rapid.IntRange(0, 3).Draw(t, "texts") {
		list = append(list, drawText(t))
	}
	return list
}

// drawLocalTexts draws texts in some of the languages, with prose up to a number.
func drawLocalTexts(t *rapid.T, prose int) (list []catalog.Texts) {
	for _, l := range languages[:3] {
		if rapid.Bool().Draw(t, "texts in "+string(l)) {
			list = append(list, catalog.Texts{Language: l, Title: drawText(t), EditionName: drawText(t),
				Description: catalog.ProseID(rapid.IntRange(0, prose).Draw(t, "description"))})
		}
	}
	return list
}

func drawProse(t *rapid.T) *catalog.Prose {
	return &catalog.Prose{Description: drawText(t), Publisher: drawText(t), Developer: drawText(t), ReleaseDate: drawText(t),
		Genres: drawTexts(t), RatingAge: drawText(t), RatingSystem: drawText(t),
		Thumbnail: drawText(t), Cover: drawText(t), Logo: drawText(t), Screenshots: drawTexts(t)}
}

func drawChoice(t *rapid.T) catalog.ProseChoice {
	id := func() catalog.ProseID { return catalog.ProseID(rapid.IntRange(0, 4).Draw(t, "prose")) }
	return catalog.ProseChoice{Description: id(), Publisher: id(), Developer: id(), ReleaseDate: id(), Genres: id(), Rating: id(),
		Thumbnail: id(), Cover: id(), Logo: id(), Screenshots: id()}
}
