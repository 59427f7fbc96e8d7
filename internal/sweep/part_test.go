package sweep_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
	"gamedex/internal/sweep"
)

// wholeListing is a stored listing with something in every field.
func wholeListing() catalog.Listing {
	return catalog.Listing{
		Key: catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("UA"), Product: "EP0001-PPSA00001_00-STARFORGE0000000"},
		Facts: catalog.Facts{
			Family: "10000001", FamilyName: "Star Forge", TitleIDs: []string{"PPSA00001"}, Title: "Зоряна кузня",
			Titles:        []catalog.LocalTitle{{Locale: "ru-UA", Title: "Звёздная кузница"}},
			InvariantName: "Star Forge Deluxe", Edition: "Делюкс", Type: catalog.EditionType, Platforms: []string{"PS5"},
			Members: []string{"EP0001-PPSA00001_00-STARFORGEBASE000"},
		},
		Prose: catalog.Prose{Description: "Кузня.", Publisher: "Example", Developer: "Example Dev", ReleaseDate: "2026-01-02",
			Genres: []string{"RPG"}, RatingAge: "12", RatingSystem: "PEGI", Thumbnail: "https://img.example/t.png",
			Cover: "https://img.example/c.png", Logo: "https://img.example/l.png", Screenshots: []string{"https://img.example/s.png"}},
		Locale: "uk", StoreURL: "https://store.example/uk-ua/product/1", Popularity: 7,
		Price: &catalog.Price{Currency: "UAH", Base: 200000, Current: 100000, BaseText: "2 000 грн", CurrentText: "1 000 грн",
			DiscountPercent: 50, DiscountEndsAt: 99, Source: "graphql"},
		ObservedAt: 1000,
	}
}

// TestMarkOfPart checks that a mark depends on all that a part shows, and not on the time.
func TestMarkOfPart(t *testing.T) {
	part := sweep.Part{Listing: wholeListing(), Shows: sweep.ShowsPrice}
	mark := part.Mark()
	if mark < 0 || mark >= 1<<62 {
		t.Errorf("mark %d", mark)
	}
	for name, change := range map[string]func(*sweep.Part){
		"price":   func(p *sweep.Part) { p.Price = nil },
		"facts":   func(p *sweep.Part) { p.Facts.Title += "!" },
		"prose":   func(p *sweep.Part) { p.Prose.Genres = nil },
		"shows":   func(p *sweep.Part) { p.Shows |= sweep.ShowsTitle },
		"guesses": func(p *sweep.Part) { p.Guesses |= sweep.ShowsTitle },
	} {
		other := part
		if change(&other); other.Mark() == mark {
			t.Errorf("another %s has the same mark", name)
		}
	}
	later := part
	if later.ObservedAt++; later.Mark() != mark {
		t.Error("a later part has another mark")
	}
}

func TestAddText(t *testing.T) {
	var part sweep.Part
	for _, text := range []string{"", "A", "B"} {
		part.Shows.AddText(sweep.ShowsPublisher, &part.Prose.Publisher, text)
		if want := text != ""; part.Shows == sweep.ShowsPublisher != want || part.Prose.Publisher == "A" != want {
			t.Errorf("after %q: %+v", text, part)
		}
	}
}

func textPrice(base, current string) *catalog.Price {
	return &catalog.Price{Base: money.None, Current: money.None, BaseText: base, CurrentText: current, DiscountPercent: catalog.NoPercent}
}

func TestOverlay(t *testing.T) {
	known := wholeListing()
	gone := wholeListing()
	gone.Withdrawn = true
	part := func(shows, guesses sweep.Shows, change func(*catalog.Listing)) sweep.Part {
		l := catalog.Listing{Key: known.Key, ObservedAt: 2000}
		change(&l)
		return sweep.Part{Listing: l, Shows: shows, Guesses: guesses}
	}
	after := func(change func(*catalog.Listing)) *catalog.Listing {
		l := wholeListing()
		change(&l)
		return &l
	}
	newPrice := &catalog.Price{Currency: "UAH", Base: 300000, Current: 300000, DiscountPercent: catalog.NoPercent}
	for _, c := range []struct {
		name   string
		stored *catalog.Listing
		part   sweep.Part
		want   *catalog.Listing // nil: nothing to save
	}{
		{"a price changes no other field and the listing counts as seen", &known,
			part(sweep.ShowsPrice, 0, func(l *catalog.Listing) { l.Price = newPrice }),
			after(func(l *catalog.Listing) { l.Price, l.ObservedAt = newPrice, 2000 })},
		{"no longer for sale", &known,
			part(sweep.ShowsPrice, 0, func(*catalog.Listing) {}),
			after(func(l *catalog.Listing) { l.Price, l.ObservedAt = nil, 2000 })},
		{"details do not make a price look fresh", &known,
			part(sweep.ShowsPublisher|sweep.ShowsGenres, 0, func(l *catalog.Listing) { l.Prose.Publisher = "Another" }),
			after(func(l *catalog.Listing) { l.Prose.Publisher, l.Prose.Genres = "Another", nil })},
		{"a guess does not change a stored listing", &known,
			part(sweep.ShowsPrice, sweep.ShowsTitle|sweep.ShowsType, func(l *catalog.Listing) {
				l.Price, l.Facts.Title, l.Facts.Type = newPrice, "Guess", catalog.Game
			}),
			after(func(l *catalog.Listing) { l.Price, l.ObservedAt = newPrice, 2000 })},
		{"a guess counts for a new listing", nil,
			part(sweep.ShowsPrice, sweep.ShowsTitle, func(l *catalog.Listing) {
				l.Price, l.Facts.Title, l.Locale, l.Facts.Edition = newPrice, "Guess", "uk", "not shown"
			}),
			&catalog.Listing{Key: known.Key, Facts: catalog.Facts{Title: "Guess", Type: catalog.Game}, Locale: "uk",
				Price: newPrice, ObservedAt: 2000}},
		{"no title", nil,
			part(sweep.ShowsPrice, 0, func(l *catalog.Listing) { l.Price = newPrice }), nil},
		{"details of a product that is not listed", nil,
			part(sweep.ShowsTitle|sweep.ShowsPublisher, 0, func(l *catalog.Listing) { l.Facts.Title = "T" }), nil},
		{"details of a withdrawn listing", &gone,
			part(sweep.ShowsTitle, 0, func(l *catalog.Listing) { l.Facts.Title = "T" }), nil},
		{"back on sale, with the stored fields", &gone,
			part(sweep.ShowsPrice, 0, func(l *catalog.Listing) { l.Price = newPrice }),
			after(func(l *catalog.Listing) { l.Price, l.ObservedAt = newPrice, 2000 })},
		{"a text that repeats the stored one confirms its numbers", &known,
			part(sweep.ShowsPrice, 0, func(l *catalog.Listing) { l.Price = textPrice("2 000 грн", "1 000 грн") }),
			after(func(l *catalog.Listing) { l.ObservedAt = 2000 })},
		{"the same text with another end of the discount", &known,
			part(sweep.ShowsPrice, 0, func(l *catalog.Listing) {
				l.Price = textPrice("2 000 грн", "1 000 грн")
				l.Price.DiscountEndsAt = 77
			}),
			after(func(l *catalog.Listing) { l.Price.DiscountEndsAt, l.ObservedAt = 77, 2000 })},
		{"another text deletes the numbers", &known,
			part(sweep.ShowsPrice, 0, func(l *catalog.Listing) { l.Price = textPrice("2 000 грн", "900 грн") }),
			after(func(l *catalog.Listing) { l.Price, l.ObservedAt = textPrice("2 000 грн", "900 грн"), 2000 })},
		{"titles of one language do not change those of others", &known,
			part(sweep.ShowsTitles, 0, func(l *catalog.Listing) {
				l.Facts.Titles = []catalog.LocalTitle{{Locale: "en-UA", Title: "Star Forge"}}
			}),
			after(func(l *catalog.Listing) {
				l.Facts.Titles = []catalog.LocalTitle{{Locale: "en-UA", Title: "Star Forge"}, {Locale: "ru-UA", Title: "Звёздная кузница"}}
			})},
		{"an empty title deletes the stored one", &known,
			part(sweep.ShowsTitles, 0, func(l *catalog.Listing) { l.Facts.Titles = []catalog.LocalTitle{{Locale: "ru-UA"}} }),
			after(func(l *catalog.Listing) { l.Facts.Titles = []catalog.LocalTitle{} })},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := sweep.Overlay(c.stored, &c.part)
			if ok != (c.want != nil) {
				t.Fatalf("ok = %v, listing %+v", ok, got)
			}
			if c.want != nil {
				if diff := cmp.Diff(*c.want, got); diff != "" {
					t.Errorf("overlay (-want +got):\n%s", diff)
				}
			}
		})
	}
}

// TestOverlayGuessesPrice checks when a guessed price, which is the base price and
// doubtful, replaces the stored one: unless that is everybody's and reduced.
func TestOverlayGuessesPrice(t *testing.T) {
	guess := &catalog.Price{Currency: "UAH", Base: 200000, Current: 200000, BaseText: "2 000 грн", CurrentText: "2 000 грн",
		DiscountPercent: catalog.NoPercent, Source: catalog.SourceDoubtful}
	reduced := func(change func(*catalog.Price)) *catalog.Price {
		p := &catalog.Price{Currency: "UAH", Base: 200000, Current: 100000, BaseText: "2 000 грн", CurrentText: "1 000 грн",
			DiscountPercent: 50, Source: catalog.SourceExact}
		change(p)
		return p
	}
	for _, c := range []struct {
		name   string
		stored *catalog.Price
		stays  bool
	}{
		{"reduced for everybody", reduced(func(*catalog.Price) {}), true},
		{"reduced until later", reduced(func(p *catalog.Price) { p.DiscountEndsAt = 2001 }), true},
		{"reduced until earlier", reduced(func(p *catalog.Price) { p.DiscountEndsAt = 2000 }), false},
		{"reduced, in words", textPrice("2 000 грн", "1 000 грн"), true},
		{"reduced from another price", reduced(func(p *catalog.Price) { p.Base = 190000 }), false},
		{"reduced from another price, in words", textPrice("1 900 грн", "1 000 грн"), false},
		{"not reduced", reduced(func(p *catalog.Price) { p.Current, p.CurrentText = p.Base, p.BaseText }), false},
		{"not reduced, in words", textPrice("2 000 грн", "2 000 грн"), false},
		{"above the base", reduced(func(p *catalog.Price) { p.Current = 300000 }), false},
		{"doubtful", reduced(func(p *catalog.Price) { p.Source = catalog.SourceDoubtful }), false},
		{"for subscribers", reduced(func(p *catalog.Price) { p.Subscription = true }), false},
		{"a trial", reduced(func(p *catalog.Price) { p.Trial = true }), false},
		{"none", nil, false},
	} {
		stored := wholeListing()
		stored.Price = c.stored
		part := sweep.Part{Listing: catalog.Listing{Key: stored.Key, Price: guess, ObservedAt: 2000}, Guesses: sweep.ShowsPrice}
		for _, withdrawn := range []bool{false, true} {
			stored.Withdrawn = withdrawn
			want, observed := guess, catalog.Millis(2000)
			if c.stays && !withdrawn {
				want, observed = c.stored, stored.ObservedAt
			}
			got, ok := sweep.Overlay(&stored, &part)
			if diff := cmp.Diff(want, got.Price); !ok || diff != "" || got.ObservedAt != observed || part.Prices(&stored) != (want == guess) {
				t.Errorf("%s, withdrawn %v: ok %v, observed %d (-want +got):\n%s", c.name, withdrawn, ok, got.ObservedAt, diff)
			}
		}
	}
	inWords := sweep.Part{Listing: catalog.Listing{Price: textPrice("2 000 грн", "2 000 грн"), ObservedAt: 2000}, Guesses: sweep.ShowsPrice}
	for _, c := range []struct {
		base    string
		replace bool
	}{{"2 000 грн", false}, {"1 900 грн", true}, {"", true}} {
		stored := catalog.Listing{Price: reduced(func(p *catalog.Price) { p.BaseText = c.base })}
		if got := inWords.Prices(&stored); got != c.replace {
			t.Errorf("a guess in words replaces a price reduced from %q: %v", c.base, got)
		}
	}
	part := sweep.Part{Listing: catalog.Listing{Key: wholeListing().Key, Price: guess, ObservedAt: 2000}, Guesses: sweep.ShowsPrice | sweep.ShowsTitle}
	part.Facts.Title = "Star Forge"
	if got, ok := sweep.Overlay(nil, &part); !ok || got.Price != guess {
		t.Errorf("a new listing: ok %v, %+v", ok, got.Price)
	}
}

// TestOverlayTakesEveryField checks that a part that shows all fields replaces all
// fields, and that a part that shows a single field changes no other.
func TestOverlayTakesEveryField(t *testing.T) {
	const fields = 22
	other := catalog.Listing{Key: wholeListing().Key, Facts: catalog.Facts{Title: "T", Type: catalog.Game}, ObservedAt: 2000}
	for bit := range fields {
		stored := wholeListing()
		got, ok := sweep.Overlay(&stored, &sweep.Part{Listing: other, Shows: 1 << bit})
		if !ok {
			t.Fatalf("field %d: nothing to save", bit)
		}
		got.ObservedAt = stored.ObservedAt
		// only the PC store has slugs, demo is false in both, and a title without a language deletes none
		empty := sweep.ShowsSlug | sweep.ShowsDemo | sweep.ShowsTitles
		if changed, want := !cmp.Equal(stored, got), empty&(1<<bit) == 0; changed != want {
			t.Errorf("field %d: changed = %v", bit, changed)
		}
	}
	stored := wholeListing()
	got, _ := sweep.Overlay(&stored, &sweep.Part{Listing: other, Shows: 1<<fields - 1})
	other.Facts.Titles = stored.Facts.Titles // replaced language by language
	if diff := cmp.Diff(other, got); diff != "" {
		t.Errorf("a whole part (-want +got):\n%s", diff)
	}
}

func TestOverlayTwiceIsOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		stored := wholeListing()
		part := sweep.Part{Listing: wholeListing(), Shows: sweep.Shows(rapid.Uint32Range(0, 1<<22-1).Draw(t, "shows"))}
		part.ObservedAt = 2000
		part.Facts.Title = rapid.SampledFrom([]string{"", "A", "B"}).Draw(t, "title")
		part.Facts.Titles = nil
		part.Price = rapid.SampledFrom([]*catalog.Price{nil, stored.Price, textPrice("a", "b")}).Draw(t, "price")
		once, ok := sweep.Overlay(&stored, &part)
		if !ok {
			return
		}
		twice, _ := sweep.Overlay(&once, &part)
		if diff := cmp.Diff(once, twice); diff != "" {
			t.Fatalf("the same part again changed (-once +twice):\n%s", diff)
		}
	})
}

func TestScopeNames(t *testing.T) {
	for _, p := range catalog.Platforms() {
		for k := sweep.Prices; k <= sweep.Titles; k++ {
			s := sweep.Scope{Platform: p, Region: catalog.MustRegion("TR"), Kind: k}
			if got, err := sweep.ParseScope(s.String()); err != nil || got != s {
				t.Errorf("ParseScope(%q) = %v, %v", s, got, err)
			}
		}
	}
	if unknown := sweep.Kind(77).String(); unknown != "" {
		t.Errorf("an unknown kind is %q", unknown)
	}
	for _, wrong := range []string{"", "consolestore/UA", "consolestore/UA/", "consolestore/XX/prices", "shop/UA/prices", "pcstore/UA/price", "pcstore/UA/prices/1"} {
		if s, err := sweep.ParseScope(wrong); err == nil {
			t.Errorf("ParseScope(%q) = %v, want an error", wrong, s)
		}
	}
}
