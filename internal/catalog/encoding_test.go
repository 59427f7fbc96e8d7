package catalog_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

func fullFacts() catalog.Facts {
	return catalog.Facts{
		Family: "1", FamilyName: "Star Forge", Slug: "star-forge", Aliases: []string{"forge"}, TitleIDs: []string{"PPSA1", "CUSA2"},
		Title: "Зоряна кузня", Titles: []catalog.LocalTitle{{Locale: "ru", Title: "Звёздная кузня"}},
		InvariantName: "Star Forge™", Edition: "Deluxe", Type: catalog.Bundle, Demo: true,
		Platforms: []string{"PS4"}, Members: []string{"A", "B"},
	}
}

func fullProse() catalog.Prose {
	return catalog.Prose{
		Description: "d", Publisher: "p", Developer: "v", ReleaseDate: "2026-01-02", Genres: []string{"g", "h"},
		RatingAge: "16", RatingSystem: "PEGI", Thumbnail: "t", Cover: "c", Logo: "l", Screenshots: []string{"s"},
	}
}

func fullListing() catalog.Listing {
	return catalog.Listing{
		Key:   catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("US"), Product: "A"},
		Facts: fullFacts(), Prose: fullProse(), Locale: "uk-UA", StoreURL: "u", Popularity: 1,
		Price: &catalog.Price{Currency: "USD", Base: 200, Current: 100, BaseText: "$2", CurrentText: "$1", DiscountPercent: 50,
			DiscountLabel: "-50%", DiscountEndsAt: 9, Trial: true, Subscription: true, Source: "graphql"},
		ObservedAt: 3, FirstSeenAt: 1, PricedAt: 2,
	}
}

func TestFactsAndProseRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		facts, prose := rapid.Make[catalog.Facts]().Draw(t, "facts"), rapid.Make[catalog.Prose]().Draw(t, "prose")
		gotFacts, err := catalog.ParseFacts(facts.AppendBinary(nil))
		if err != nil {
			t.Fatal(err)
		}
		gotProse, err := catalog.ParseProse(prose.AppendBinary([]byte("x"))[1:])
		if err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(facts, gotFacts, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("facts (-want +got):\n%s", d)
		}
		if d := cmp.Diff(prose, gotProse, cmpopts.EquateEmpty()); d != "" {
			t.Fatalf("prose (-want +got):\n%s", d)
		}
	})
}

// TestStoredFormIsFixed checks that the stored form does not change: other
// versions wrote it.
func TestStoredFormIsFixed(t *testing.T) {
	facts, prose := fullFacts(), fullProse()
	const wantFacts = "\x01\x03\x01\x011\nStar Forge\nstar-forge\x17Зоряна кузня\rStar Forge™\x06Deluxe" +
		"\x01\x05forge\x02\x05PPSA1\x05CUSA2\x01\x03PS4\x02\x01A\x01B\x01\x02ru\x1bЗвёздная кузня"
	const wantProse = "\x01\x01d\x01p\x01v\n2026-01-02\x0216\x04PEGI\x01t\x01c\x01l\x02\x01g\x01h\x01\x01s"
	if d := cmp.Diff(wantFacts, string(facts.AppendBinary(nil))); d != "" {
		t.Errorf("facts (-want +got):\n%s", d)
	}
	if d := cmp.Diff(wantProse, string(prose.AppendBinary(nil))); d != "" {
		t.Errorf("prose (-want +got):\n%s", d)
	}
}

func TestDamagedContentIsRefused(t *testing.T) {
	facts := fullFacts()
	good := facts.AppendBinary(nil)
	tests := []struct {
		name, want string
		body       []byte
	}{
		{"empty", "read facts: ends in the middle", nil},
		{"other format", "format is 2, want 1", append([]byte{2}, good[1:]...)},
		{"cut", "ends in the middle", good[:len(good)-1]},
		{"longer", "1 bytes after the last field", append(bytes.Clone(good), 0)},
		{"endless length", "malformed", append([]byte{1, 1, 0}, bytes.Repeat([]byte{0xff}, 20)...)},
		{"list beyond the end", "longer than the data", append([]byte{1, 1, 0}, 0, 0, 0, 0, 0, 0, 0, 0xff, 0x7f)},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if _, err := catalog.ParseFacts(tt.body); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error = %v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzParseContent(f *testing.F) {
	facts, prose := fullFacts(), fullProse()
	f.Add(facts.AppendBinary(nil))
	f.Add(prose.AppendBinary(nil))
	f.Add([]byte{1, 0xff, 0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, b []byte) {
		if facts, err := catalog.ParseFacts(b); err == nil {
			again, err := catalog.ParseFacts(facts.AppendBinary(nil))
			if d := cmp.Diff(facts, again); err != nil || d != "" {
				t.Errorf("facts do not round-trip: %v %s", err, d)
			}
		}
		if prose, err := catalog.ParseProse(b); err == nil {
			again, err := catalog.ParseProse(prose.AppendBinary(nil))
			if d := cmp.Diff(prose, again); err != nil || d != "" {
				t.Errorf("prose does not round-trip: %v %s", err, d)
			}
		}
	})
}

// TestContentHash checks that the content hash covers everything but the key
// and the times, and the price hash only the price.
func TestContentHash(t *testing.T) {
	price := func(change func(*catalog.Price)) func(*catalog.Listing) {
		return func(l *catalog.Listing) {
			p := *l.Price
			change(&p)
			l.Price = &p
		}
	}
	tests := []struct {
		name           string
		change         func(*catalog.Listing)
		content, price bool // whether the hash changes
	}{
		{"nothing", func(*catalog.Listing) {}, false, false},
		{"times", func(l *catalog.Listing) { l.ObservedAt, l.FirstSeenAt, l.PricedAt = 7, 8, 9 }, false, false},
		{"facts", func(l *catalog.Listing) { l.Facts.Demo = false }, true, false},
		{"a text moved to its neighbour", func(l *catalog.Listing) { l.Facts.Family, l.Facts.FamilyName = "1S", "tar Forge" }, true, false},
		{"prose", func(l *catalog.Listing) { l.Prose.Logo = "" }, true, false},
		{"locale", func(l *catalog.Listing) { l.Locale = "ru-UA" }, true, false},
		{"link", func(l *catalog.Listing) { l.StoreURL = "v" }, true, false},
		{"popularity", func(l *catalog.Listing) { l.Popularity = 2 }, true, false},
		{"withdrawn", func(l *catalog.Listing) { l.Withdrawn = true }, true, false},
		{"no price", func(l *catalog.Listing) { l.Price = nil }, true, true},
		{"currency", price(func(p *catalog.Price) { p.Currency = "TRY" }), true, true},
		{"base", price(func(p *catalog.Price) { p.Base = money.None }), true, true},
		{"current", price(func(p *catalog.Price) { p.Current = 0 }), true, true},
		{"text", price(func(p *catalog.Price) { p.BaseText, p.CurrentText = "$1", "$2" }), true, true},
		{"percent", price(func(p *catalog.Price) { p.DiscountPercent = catalog.NoPercent }), true, true},
		{"label", price(func(p *catalog.Price) { p.DiscountLabel = "" }), true, true},
		{"end", price(func(p *catalog.Price) { p.DiscountEndsAt = 0 }), true, true},
		{"trial", price(func(p *catalog.Price) { p.Trial = false }), true, true},
		{"subscription", price(func(p *catalog.Price) { p.Subscription = false }), true, true},
		{"source", price(func(p *catalog.Price) { p.Source = "" }), true, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before, after := fullListing(), fullListing()
			tt.change(&after)
			if got := before.ContentHash() != after.ContentHash(); got != tt.content {
				t.Errorf("content hash changed: %v, want %v", got, tt.content)
			}
			if got := before.PriceHash() != after.PriceHash(); got != tt.price {
				t.Errorf("price hash changed: %v, want %v", got, tt.price)
			}
		})
	}
}
