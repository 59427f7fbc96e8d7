package titles

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gamedex/internal/fold"
)

// plainSuffixAt tries every word, from the last one.
func plainSuffixAt(title, target string) (int, bool) {
	for at := len(title) - 1; at >= 0; at-- {
		if utf8.RuneStart(title[at]) && beginsWord(title, at) && fold.Fold(title[at:]) == target {
			return at, true
		}
	}
	return 0, false
}

func TestSuffixByHalving(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aaББйé̆ゲ゛가版\u1100\u1161 ™'-(:)（ｱ ﷺ4\u200d")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		title, end := text.Draw(t, "title"), text.Draw(t, "end")
		title += end
		target := fold.Fold(end)
		if target == "" {
			return
		}
		got, ok := suffixAt(title, target)
		if want, found := plainSuffixAt(title, target); got != want || ok != found {
			t.Fatalf("suffixAt(%q, %q) = %d, %t, want %d, %t", title, target, got, ok, want, found)
		}
	})
}

// plainCutTail cuts one list after the other off the end.
func plainCutTail(title string) (head string) {
	for head = title; ; {
		trimmed := strings.TrimRight(head, " \t\u00a0\u3000")
		at := languagesStart(trimmed)
		for _, match := range platformList.FindAllStringIndex(trimmed, -1) {
			if fold.Fold(trimmed[match[1]:]) == "" {
				at = match[0]
			}
		}
		if at == 0 || at == len(trimmed) {
			return strings.TrimRight(head, joiners)
		}
		head = trimmed[:at]
	}
}

func TestCutTailInOnePass(t *testing.T) {
	part := rapid.SampledFrom([]string{"PS4", "ps5", "PlayStation 4", " & ", "for ", " version", "(", ")", "[", "] ", "English", "(English/日文)", " ", ".", "Star ", "™", "x"})
	rapid.Check(t, func(t *rapid.T) {
		title := strings.Join(rapid.SliceOfN(part, 0, 8).Draw(t, "title"), "")
		head, tail := cutTail(title)
		if want := plainCutTail(title); tail != "" && head != want {
			t.Fatalf("cutTail(%q) = %q, want %q", title, head, want)
		}
	})
}

// TestEditionOfAHostileTitle checks that a title with very many parts that may be cut
// takes milliseconds; cutting them one by one would take hours.
func TestEditionOfAHostileTitle(t *testing.T) {
	for _, part := range []string{"PS4.", "(PS4)", "PS4 x ", "(English)", "(English) x ", "( ", ") ", "(a) ", "版", "ア ", "a ", "edition ", "\u0301-"} {
		long := strings.Repeat(part, 10_000/len(part))
		for _, title := range []string{long, "Star " + long, long + ")"} {
			for _, name := range []string{"Deluxe Edition", long, long[len(long)/2:]} {
				if got := WithEdition(title, "en", "Deluxe Edition", []string{name}); got == "" {
					t.Errorf("%s: no title", part)
				}
			}
		}
	}
}
