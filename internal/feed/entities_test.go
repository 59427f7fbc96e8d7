package feed_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
	"gamedex/internal/feed"
)

func TestEntitiesInNames(t *testing.T) {
	for _, tt := range []struct{ title, want string }{
		{"Tiny &amp; Large in Grandma&#039;s Attic", "Tiny & Large in Grandma's Attic"},
		{"Star Forge&trade;: &quot;Gold&quot; &#x2013; Caf&eacute;", "Star Forge™: \"Gold\" – Café"},
		{"Moon&nbsp;Farm &lt;3", "Moon\u00a0Farm <3"},
		{"Twice &amp;amp; thrice &amp;amp;#39; &&#97;mp;", "Twice & thrice ' &"},
		{"Q&A; R&D, Salt&Pepper; AT&T &amp", "Q&A; R&D, Salt&Pepper; AT&T &amp"},
		{"&unknown; &#; &#x; &;", "&unknown; &#; &#x; &;"},
		{"& &", "& &"},
	} {
		l := catalog.Listing{Key: catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("TR"), Product: "A&amp;B"}, ObservedAt: 1}
		l.Facts = catalog.Facts{Title: tt.title, FamilyName: tt.title, InvariantName: tt.title, Edition: tt.title, Titles: []catalog.LocalTitle{{Locale: "en", Title: tt.title}}}
		l.Prose.Description = tt.title
		if err := feed.Check(&l, 1); err != nil {
			t.Fatalf("%s: %v", tt.title, err)
		}
		f := l.Facts
		for _, got := range []string{f.Title, f.FamilyName, f.InvariantName, f.Edition, f.Titles[0].Title} {
			if got != tt.want {
				t.Errorf("%q is decoded to %q, want %q", tt.title, got, tt.want)
			}
		}
		if l.Prose.Description != tt.title || l.Product != "A&amp;B" {
			t.Errorf("description %q, product %q were changed", l.Prose.Description, l.Product)
		}
	}
}

// TestEntitiesAreDecodedOnce checks that nothing is left to decode, so that an export can
// be imported again.
func TestEntitiesAreDecodedOnce(t *testing.T) {
	part := rapid.SampledFrom([]string{"&", "amp", ";", "#", "38", "x26", "97", "lt", "a", "mp;", "&amp;", " "})
	rapid.Check(t, func(t *rapid.T) {
		l := catalog.Listing{Key: catalog.Key{Platform: catalog.ConsoleStore, Region: catalog.MustRegion("TR"), Product: "A"}, ObservedAt: 1}
		l.Facts.Title = "T" + strings.Join(rapid.SliceOfN(part, 0, 20).Draw(t, "title"), "")
		if err := feed.Check(&l, 1); err != nil {
			t.Fatal(err)
		}
		once := l.Facts.Title
		if err := feed.Check(&l, 1); err != nil || l.Facts.Title != once {
			t.Fatalf("%q is decoded again to %q, %v", once, l.Facts.Title, err)
		}
	})
}

func TestDecodedLinesAreCounted(t *testing.T) {
	line := func(product, title string) string {
		return console(`"product":"`+product+`","title":"`+title+`"`) + "\n"
	}
	long := strings.Repeat("&amp;", 1000) + "x"
	r := newReader(t, line("A", "Salt &amp; Iron &#39;25")+line("B", "Salt & Iron")+line("", "&amp;")+line("C", long))
	if _, refused := readAll(t, r); r.Decoded() != 1 || len(refused) != 2 {
		t.Errorf("%d lines decoded, refused %q; want 1 and 2", r.Decoded(), refused)
	}
}
