package demo_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/fold"
	"gamedex/internal/testing/catalogtest"
)

// composed returns the cards of the sample in the default regions.
func composed(t *testing.T) []catalog.Card {
	t.Helper()
	entries := catalogtest.Entries(listings(t)...)
	return merge.Compose(merge.Merge(entries, override.Set{}), entries, catalog.DefaultRegions(), nil)
}

// TestEnglishTitles checks that every card has an English title, the words of which are
// those of its invariant name: no part of it is in another language.
func TestEnglishTitles(t *testing.T) {
	translated := 0
	for _, c := range composed(t) {
		i := slices.IndexFunc(c.Texts, func(text catalog.Texts) bool { return text.Language == catalog.English })
		if i < 0 {
			t.Fatalf("%s has no English title", c.Title)
		}
		english := c.Texts[i]
		title := fold.Fold(english.Title)
		if name := fold.Fold(c.InvariantName); title != name && title != name+" demo" || !strings.Contains(title, fold.Fold(english.EditionName)) {
			t.Errorf("%s %s: title %q, edition %q; its name is %q", c.Platform, c.ID, english.Title, english.EditionName, c.InvariantName)
		}
		if english.Title != c.Title {
			translated++
		}
	}
	if translated < 50 {
		t.Errorf("%d titles differ in English, want more", translated)
	}
}

// TestTheWitcher checks the titles of one game by language.
func TestTheWitcher(t *testing.T) {
	want := map[catalog.Language]string{
		"en": "The Witcher 3: Wild Hunt - Complete Edition", "uk": "Відьмак 3: Дикий Гін - Повне видання", "ru": "Ведьмак 3: Дикая Охота - Полное издание",
		"pl": "Wiedźmin 3: Dziki Gon - Edycja Kompletna", "ja": "ウィッチャー3 ワイルドハント - Complete Edition",
	}
	found := 0
	for _, c := range composed(t) {
		if c.InvariantName != "The Witcher 3: Wild Hunt Complete Edition" || c.Platform != catalog.ConsoleStore {
			continue
		}
		found++
		for _, text := range c.Texts {
			if text.Title != want[text.Language] || !strings.HasSuffix(text.Title, " - "+text.EditionName) {
				t.Errorf("%s: title %q, edition %q, want %q", text.Language, text.Title, text.EditionName, want[text.Language])
			}
		}
		if len(c.Texts) != len(want) {
			t.Errorf("%d languages, want %d", len(c.Texts), len(want))
		}
	}
	if found != 2 { // sold apart for two consoles
		t.Errorf("%d cards, want 2", found)
	}
}

// TestCyrillicTitles checks that only Ukrainian and Russian texts have Cyrillic letters.
func TestCyrillicTitles(t *testing.T) {
	cyrillic := func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Cyrillic, r) })
	}
	for _, c := range composed(t) {
		for _, text := range c.Texts {
			if text.Language != "uk" && text.Language != "ru" && cyrillic(text.Title+text.EditionName) {
				t.Errorf("%s %s: %q, %q", c.ID, text.Language, text.Title, text.EditionName)
			}
		}
	}
}
