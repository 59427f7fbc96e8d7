package catalog_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/catalog"
)

func TestNamesOfTypesAndPlatforms(t *testing.T) {
	for typ := catalog.Game; typ <= catalog.Base; typ++ {
		if got, err := catalog.ParseType(typ.String()); err != nil || got != typ {
			t.Errorf("type %q parses to %v, %v", typ, got, err)
		}
	}
	for _, p := range catalog.Platforms() {
		if got, err := catalog.ParsePlatform(p.String()); err != nil || got != p {
			t.Errorf("platform %q parses to %v, %v", p, got, err)
		}
	}
	for s := catalog.Operational; s <= catalog.Outage; s++ {
		if got, err := catalog.ParseStatus(s.String()); err != nil || got != s {
			t.Errorf("status %q parses to %v, %v", s, got, err)
		}
	}
	if _, err := catalog.ParseType(""); err == nil {
		t.Error("no type parses")
	}
	if _, err := catalog.ParsePlatform(""); err == nil {
		t.Error("no platform parses")
	}
}

func TestClassOf(t *testing.T) {
	tests := []struct {
		typ  catalog.Type
		demo bool
		want catalog.Class
	}{
		{catalog.Game, false, catalog.GameClass}, {catalog.EditionType, false, catalog.GameClass},
		{catalog.Bundle, false, catalog.GameClass}, {catalog.Base, false, catalog.GameClass},
		{catalog.DLC, false, catalog.AddOnClass}, {catalog.SeasonPass, false, catalog.AddOnClass},
		{catalog.Subscription, false, catalog.SubscriptionClass},
		{catalog.Game, true, catalog.DemoClass}, {catalog.DLC, true, catalog.DemoClass},
	}
	for _, tt := range tests {
		if got := catalog.ClassOf(tt.typ, tt.demo); got != tt.want {
			t.Errorf("class of %s, demo %v = %s, want %s", tt.typ, tt.demo, got, tt.want)
		}
	}
}

func TestURLPatternRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		part := rapid.StringMatching(`[a-z/:.-]{0,6}`)
		product, slug := rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "product"), rapid.StringMatching(`[a-z]{0,4}`).Draw(t, "slug")
		url := part.Draw(t, "a") + slug + part.Draw(t, "b") + product + part.Draw(t, "c")
		if got := catalog.PatternOf(url, product, slug).URL(product, slug); got != url {
			t.Fatalf("pattern %q expands to %q, want %q", catalog.PatternOf(url, product, slug), got, url)
		}
	})
}

func TestProseFields(t *testing.T) {
	prose := fullProse()
	if got := prose.Fields(); got != 1<<10-1 {
		t.Errorf("a full prose has fields %010b", got)
	}
	if got := (&catalog.Prose{RatingSystem: "PEGI"}).Fields(); got != catalog.HasDescription<<5 {
		t.Errorf("a rating alone gives fields %010b", got)
	}
}

func TestParseLanguage(t *testing.T) {
	for tag, want := range map[string]catalog.Language{
		"en": "en", "EN-gb": "en", " uk ": "uk", "pt-BR": "pt", "es-419": "es", "ukr": "uk", "en-Latn-US": "en", "en-u-ca-gregory": "en",
		"zh": "zh-Hans", "zh-CN": "zh-Hans", "zh-SG": "zh-Hans", "zh-TW": "zh-Hant", "zh-HK": "zh-Hant", "zh-Hans-HK": "zh-Hans", "cmn-Hant": "zh-Hant",
		"sr-Latn": "sr", "nb": "no", "no-NO": "no", "nn": "nn", "iw": "he", "tl": "fil", "yue-HK": "yue", "en-XX": "en",
	} {
		if got, err := catalog.ParseLanguage(tag); err != nil || got != want {
			t.Errorf("ParseLanguage(%q) = %q, %v; want %q", tag, got, err, want)
		}
	}
	for _, tag := range []string{
		"", " ", "e", "en-", "-en", "en_US", "en US", "english", "und", "und-UA", "mul", "mis", "zxx", "x-private", "xx", "*", "en,uk", "en;q=0.5",
		"українська", "\xff\xfe", "en\x00", "en-" + strings.Repeat("a-", 500), "en-x-" + strings.Repeat("abcdefgh-", 8) + "a",
	} {
		if got, err := catalog.ParseLanguage(tag); err == nil {
			t.Errorf("ParseLanguage(%q) = %q, want an error", tag, got)
		}
	}
}

func FuzzParseLanguage(f *testing.F) {
	for _, tag := range []string{"en", "pt-BR", "zh-Hant-TW", "zh-min-nan", "i-klingon", "x-a", "und-Cyrl", "en_US", "sr-Latn", "de-1996-u-co-phonebk", "art-lojban"} {
		f.Add(tag)
	}
	f.Fuzz(func(t *testing.T, tag string) {
		l, err := catalog.ParseLanguage(tag)
		if err != nil {
			if l != "" {
				t.Fatalf("ParseLanguage(%q) = %q beside %v", tag, l, err)
			}
			return
		}
		if again, err := catalog.ParseLanguage(string(l)); err != nil || again != l {
			t.Fatalf("ParseLanguage(%q) = %q, which reads as %q, %v", tag, l, again, err)
		}
		if upper, err := catalog.ParseLanguage(strings.ToUpper(strings.TrimSpace(tag))); err != nil || upper != l {
			t.Fatalf("ParseLanguage(%q) = %q, in capitals %q, %v", tag, l, upper, err)
		}
	})
}
