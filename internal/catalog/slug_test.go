package catalog_test

import (
	"net/url"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"gamedex/internal/catalog"
)

func TestSlug(t *testing.T) {
	for _, tt := range []struct{ sent, want string }{
		{"star-forge", "star-forge"},
		{"baldurs_gate_dark_alliance-8a2e77", "baldurs_gate_dark_alliance-8a2e77"},
		{"Nine.Lives_2", "nine.lives_2"},
		{"\t star-forge \u00a0", "star-forge"},
		{"star-forge/home", "star-forge"},
		{" Star-Forge/home\n", "star-forge"},
		{"rally-CITROËN-ds3", "rally-citroën-ds3"},
		{"rally-citroe\u0308n-ds3", "rally-citroën-ds3"}, // NFD
		{"Ведьмак-3", "ведьмак-3"},
		{"星の鍛冶-２", "星の鍛冶-２"},
		{"हिन्दी-खेल", "हिन्दी-खेल"}, // its vowels are marks
		{"İSTANBUL", "istanbul"},
		{"-", "-"}, {"_x", "_x"}, {"...", "..."}, {"home", "home"},
		{strings.Repeat("ë", 64), strings.Repeat("ë", 64)},

		{"", ""}, {" ", ""}, {".", ""}, {"..", ""}, {"../home", ""}, {"/home", ""},
		{"[]", ""}, {"a/b", ""}, {"a/home/home", ""}, {`a\b`, ""}, {"a b", ""}, {"a\u00a0b", ""},
		{"a,b", ""}, {"a;b", ""}, {"a%20b", ""}, {"a+b", ""}, {"a?b", ""}, {"a#b", ""}, {"a\x00b", ""},
		{"a™", ""}, {"①", ""}, {"a\u200db", ""}, {"🚀", ""}, {"\xff", ""}, {"a\ufffdb", ""},
		{strings.Repeat("x", 129), ""}, {strings.Repeat("ë", 65), ""}, {strings.Repeat("x", 1e6), ""},
	} {
		if got := catalog.Slug(tt.sent); got != tt.want {
			t.Errorf("Slug(%.60q) = %q, want %q", tt.sent, got, tt.want)
		}
	}
}

// FuzzSlug checks that a slug is its own form, in any case and normal form, and one segment
// of a path.
func FuzzSlug(f *testing.F) {
	for _, s := range []string{"Star-Forge/home", "citroe\u0308n", "İ\u0323x", "Σίσυφος", "ǅ", "ﬁ", "\u212a", "ẞ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		slug := catalog.Slug(s)
		if slug == "" {
			return
		}
		for _, same := range []string{slug, norm.NFD.String(slug), " " + slug + "/home"} {
			if got := catalog.Slug(same); got != slug {
				t.Errorf("Slug(%q) = %q, but Slug(%q) = %q", s, slug, same, got)
			}
		}
		u, err := url.Parse("/games/" + url.PathEscape(slug))
		if err != nil || u.Path != "/games/"+slug || u.JoinPath().Path != u.Path {
			t.Errorf("the path of %q is %v (%v)", slug, u, err)
		}
		if strings.ContainsAny(slug, ",; \n\r\t/?#&%") {
			t.Errorf("%q has a separator", slug)
		}
	})
}
