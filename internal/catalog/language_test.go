package catalog_test

import (
	"strings"
	"testing"

	"gamedex/internal/catalog"
)

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
