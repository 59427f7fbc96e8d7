package translit

import (
	"testing"
	"unicode/utf8"
)

func TestLayouts(t *testing.T) {
	for _, tt := range []struct{ in, want, ukrainian string }{
		{"сниукзгтл 2077", "cyberpunk 2077", ""},
		{"Dtlmvfr", "ведьмак", "ведьмак"},
		{"rb,thgfyr", "киберпанк", "киберпанк"},
		{"dsl'vfr", "выдэмак", "відємак"},
		{"gta мир", "", ""},
		{"2077", "", ""},
	} {
		got := Layouts(tt.in)
		switch {
		case tt.want == "" && got != nil,
			tt.want != "" && (len(got) == 0 || got[0] != tt.want),
			tt.ukrainian != "" && (len(got) != 2 || got[1] != tt.ukrainian):
			t.Errorf("%q: %q, want %q and %q", tt.in, got, tt.want, tt.ukrainian)
		}
	}
}

func TestCost(t *testing.T) {
	for _, tt := range []struct {
		russian, english string
		most             int // the largest distance; -1 if they are not alike
	}{
		{"ассасин", "assassins", 0}, {"крид", "creed", 0}, {"майнкрафт", "minecraft", 1}, {"фортнайт", "fortnite", 0},
		{"найт", "knight", 0}, {"дьюти", "duty", 0}, {"хит", "heat", 0}, {"редемпшн", "redemption", 1}, {"вилладж", "village", 0},
		{"скайрим", "skyrim", 0}, {"дота", "dota", 0}, {"фифа", "fifa", 0}, {"киберпанк", "cyberpunk", 2}, {"уорлд", "world", 0},
		{"вотч", "watch", 0}, {"хогвартс", "hogwarts", 0}, {"гарри", "harry", 0}, {"оф", "of", 0}, {"айленд", "island", 0},
		{"холлоу", "hollow", 0}, {"финал", "final", 0}, {"файнал", "final", 0}, {"дэд", "dead", 0}, {"дум", "doom", 0},
		{"дум", "dim", -1}, {"хит", "witcher", -1}, {"дота", "data", 1},
	} {
		cost, ok := Cost(Read(tt.russian), Read(tt.english), How{})
		n := cost / CostOfVowel
		if ok != (tt.most >= 0) && tt.most >= 0 || ok && tt.most >= 0 && n > tt.most {
			t.Errorf("%s, %s: distance %d, alike %v, want at most %d: %q %q", tt.russian, tt.english, n, ok, tt.most, Keys(Read(tt.russian), false), Keys(Read(tt.english), false))
		}
	}
	for _, tt := range [][2]string{{"vedmak", "ведьмак"}, {"iskhod", "исход"}, {"ishod", "исход"}, {"kosmicheskie", "космические"}, {"kazaki", "казаки"}} {
		if cost, ok := Cost(ReadRussian(tt[0]), Read(tt[1]), How{}); !ok || cost/CostOfVowel > 1 {
			t.Errorf("%s, %s: cost %d, alike %v", tt[0], tt[1], cost, ok)
		}
	}
}

// TestSoundsAreShort checks that a reading has room for what any word sounds as.
func TestSoundsAreShort(t *testing.T) {
	for _, a := range []*alphabet{cyrillicRules, englishRules, latinRules} {
		for _, r := range a.rules {
			for _, sound := range r.sounds {
				if len(sound) > 2*utf8.RuneCountInString(r.letters) {
					t.Errorf("%q has %d letters, but sounds as %q", r.letters, utf8.RuneCountInString(r.letters), sound)
				}
			}
		}
	}
}
