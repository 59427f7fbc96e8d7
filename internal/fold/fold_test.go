package fold_test

import (
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"gamedex/internal/fold"
)

func TestFold(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"empty", "", ""},
		{"only punctuation", " -- !? ... ", ""},
		{"case and space", "  God   of\tWAR\n", "god of war"},
		{"punctuation is one space", "NieR:Automata - Game of the YoRHa", "nier automata game of the yorha"},
		{"letters and digits stay together", "Cyberpunk 2077 (PS5)", "cyberpunk 2077 ps5"},
		{"ampersand is not and", "Ratchet & Clank", "ratchet clank"},
		{"typewriter apostrophe", "Assassin's Creed", "assassins creed"},
		{"typographic apostrophe", "Assassin’s Creed", "assassins creed"},
		{"grave as apostrophe", "Assassin`s Creed", "assassins creed"},
		{"acute as apostrophe", "Assassin´s Creed", "assassins creed"},
		{"full-width apostrophe", "Assassin＇s Creed", "assassins creed"},
		{"ukrainian apostrophe", "Кров’ю і сім’єю, обʼєкт", "кровю і сімєю обєкт"},
		{"quotes are spaces", "«Сталкер» „Zew” \"X\"", "сталкер zew x"},
		{"trademarks vanish", "DARK SOULS™ III® ©X℠", "dark souls iii x"},
		{"trademark inside a word", "PlayStation®5", "playstation5"},
		{"latin accents", "Pokémon Café Ōkami Señor Żółw", "pokemon cafe okami senor zolw"},
		{"decomposed accents", "Poke\u0301mon", "pokemon"},
		{"vietnamese", "Đường phố", "duong pho"},
		{"turkish i", "KIRIK İstanbul ısı", "kirik istanbul isi"},
		{"turkish letters", "Ücretsiz Çağrı Şövalye", "ucretsiz cagri sovalye"},
		{"ligatures and nordic", "Ægir, Œuvre, Ørsted, Straße, ﬁnal, Þórr", "aegir oeuvre orsted strasse final thorr"},
		{"greek accents and sigma", "Ὀδυσσεύς ΟΔΥΣΣΕΎΣ", "οδυσσευσ οδυσσευσ"},
		{"yo becomes ye", "Ёлка и чёрный", "елка и черный"},
		{"decomposed yo", "Е\u0308лка", "елка"},
		{"russian stress", "Ведьма\u0301к За\u0301мок", "ведьмак замок"},
		{"short i stays", "Йорк и Край", "йорк и край"},
		{"decomposed short i", "И\u0306орк", "йорк"},
		{"ukrainian letters stay", "Їжак, Ґанок, Єва, Її", "їжак ґанок єва її"},
		{"belarusian short u", "Ўладзімір", "ўладзімір"},
		{"kazakh letters", "Қазақ әлемі", "қазақ әлемі"},
		{"japanese voiced kana stay", "ドラゴンクエスト ガ・パ", "ドラゴンクエスト ガ パ"},
		{"half-width kana", "ﾄﾞﾗｺﾞﾝ ﾊﾟ", "ドラゴン パ"},
		{"full-width latin", "ＦＩＮＡＬ　ＦＡＮＴＡＳＹ　Ⅶ", "final fantasy vii"},
		{"japanese punctuation", "龍が如く７〜光と闇の行方「完」", "龍が如く7 光と闇の行方 完"},
		{"korean", "배틀그라운드: 배틀", "배틀그라운드 배틀"},
		{"decomposed korean", "\u1107\u1162\u1110\u1173\u11af", "배틀"},
		{"hindi vowel signs stay", "हिन्दी गेम", "हिन्दी गेम"},
		{"circled and raised digits", "① ² ½", "1 2 1 2"},
		{"invisible runes", "Half\u00ad-Li\u200bfe\ufeff 2\ufe0f", "half life 2"},
		{"emoji", "Game 🎮 Pack ❤️", "game pack"},
		{"invalid bytes are gaps", "a\xffb\xc3", "a b"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := fold.Fold(tt.in); got != tt.want {
				t.Errorf("Fold(%q) = %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestAppendKeepsWhatIsThere(t *testing.T) {
	for _, in := range []string{"Doom", "Дум", "\u0306x", "", "!"} {
		got := string(fold.Append([]byte("и|"), in))
		if want := "и|" + fold.Fold(in); got != want {
			t.Errorf("Append(и|, %q) = %q, want %q", in, got, want)
		}
	}
	if got := string(fold.Append([]byte("и"), "\u0306x")); got != "иx" {
		t.Errorf("a mark at the start changed the text before: %q", got)
	}
}

func TestWords(t *testing.T) {
	got := fold.Words("  The Witcher® 3: Wild-Hunt ")
	if want := []string{"the", "witcher", "3", "wild", "hunt"}; !slices.Equal(got, want) {
		t.Errorf("Words = %q, want %q", got, want)
	}
	if got := fold.Words("?!"); len(got) != 0 {
		t.Errorf("Words of punctuation = %q, want none", got)
	}
}

func TestASCIIAllocatesNothing(t *testing.T) {
	buf := make([]byte, 0, 64)
	n := testing.AllocsPerRun(100, func() { buf = fold.Append(buf[:0], "Assassin's Creed IV: Black Flag") })
	if n != 0 {
		t.Errorf("Append of ASCII made %v allocations, want 0", n)
	}
}

// TestEveryRune folds each assigned rune of Unicode alone, after a letter and between
// letters, with all letters that marks may attach to. Of the hundred thousand ideographs and
// Hangul syllables it takes each 16th, in the full world all.
func TestEveryRune(t *testing.T) {
	step := rune(16)
	if os.Getenv("GAMEDEX_WORLD") == "full" {
		step = 1
	}
	for r := rune(0); r <= unicode.MaxRune; r++ {
		assigned := unicode.In(r, unicode.Cc, unicode.Cf, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
		many := unicode.Is(unicode.Unified_Ideograph, r) || 0xac00 <= r && r <= 0xd7a3
		if !assigned || many && r%step != 0 {
			continue
		}
		for _, in := range []string{string(r), "и" + string(r) + "\u0306", "か" + string(r) + "\u3099e"} {
			if fault := brokenRule(in); fault != "" {
				t.Fatalf("%U in %q: %s", r, in, fault)
			}
		}
	}
}

func TestRules(t *testing.T) {
	// Runes that interact: bases, marks, signs, joiners, jamo.
	tricky := []rune("aEßıİſиИіугкеЁかｶ゛ﾞ\u3099\u309a\u0300\u0301\u0306\u0308\u0316\u0334\u0345\u034f\u200d\u200b™®´`’ '-Ⅶ½ᄇ\u1162\u11af배दि\u093c\u20dd\ufe0f.&7")
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(
			rapid.String(),
			rapid.StringOfN(rapid.SampledFrom(tricky), 0, 12, -1),
		).Draw(t, "in")
		if fault := brokenRule(in); fault != "" {
			t.Fatalf("Fold(%q): %s", in, fault)
		}
	})
}

func TestCaseAndSpaceDoNotMatter(t *testing.T) {
	letters := []rune("aZéßłøıİçŞжЁёйЇґσςΣάあガ漢配79")
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.StringOf(rapid.SampledFrom(letters)).Draw(t, "in")
		want := fold.Fold(in)
		for _, other := range []string{strings.ToUpper(in), strings.ToLower(in), "\u3000" + in + " ™ ", in + "'’"} {
			if got := fold.Fold(other); got != want {
				t.Fatalf("Fold(%q) = %q, Fold(%q) = %q", in, want, other, got)
			}
		}
	})
}

// FuzzFold checks the rules that every folded text obeys.
func FuzzFold(f *testing.F) {
	for _, seed := range []string{
		"", "Assassin’s Creed® IV", "Ведьма\u0301к 3: Дикая охота", "ﾄﾞﾗｺﾞﾝ Ⅺ", "\xff\xfe\xc3", "か\u200d\u3099",
		"ᄇ\u00ad\u1162", "и'\u0306", "a\u0345\u0301", "½⁄™", strings.Repeat("\u0301", 64), "İıſßẞ",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in string) {
		if fault := brokenRule(in); fault != "" {
			t.Fatalf("Fold(%q) = %q: %s", in, fold.Fold(in), fault)
		}
	})
}

// brokenRule returns what is wrong with Fold(in), or "".
func brokenRule(in string) string {
	out := fold.Fold(in)
	switch {
	case !utf8.ValidString(out):
		return "not UTF-8"
	case fold.Fold(out) != out:
		return "folding again returns " + fold.Fold(out)
	case strings.TrimSpace(out) != out || strings.Contains(out, "  "):
		return "loose spaces"
	}
	for _, r := range out {
		if r != ' ' && !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsMark(r) {
			return "holds " + string(r)
		}
		if r != unicode.ToLower(r) {
			return "holds the upper-case " + string(r)
		}
	}
	return ""
}
