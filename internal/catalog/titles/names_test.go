package titles

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gamedex/internal/fold"
)

func TestNames(t *testing.T) {
	tests := []struct {
		name, clean, game string
	}{
		{"Star Forge", "Star Forge", "star forge"},
		{"Star Forge™ PS4™ & PS5™", "Star Forge™", "star forge"},
		{"Star Forge (PlayStation®5)", "Star Forge", "star forge"},
		{"Star Forge - PS5 and PS4", "Star Forge", "star forge"},
		{"Star Forge [PS4/PS5] Gold", "Star Forge Gold", "star forge gold"},
		{"Star Forge Standard Edition PS4 & PS5", "Star Forge Standard Edition", "star forge"},
		{"Star Forge – Base Game (English, Japanese)", "Star Forge – Base Game", "star forge"},
		{"Standard Edition", "Standard Edition", "standard edition"},
		{"Star Forge (Simplified Chinese, English, Korean, Thai)", "Star Forge", "star forge"},
		{"Star Forge (中日英韓文版)", "Star Forge", "star forge"},
		{"Star Forge （簡體中文、韓文）", "Star Forge", "star forge"},
		{"Star Forge (한국어판)", "Star Forge", "star forge"},
		{"Star Forge for PS5", "Star Forge", "star forge"},
		{"Star Forge PS4 Version", "Star Forge", "star forge"},
		{"Star Forge for Two", "Star Forge for Two", "star forge for two"},
		{"Star Forge (영어, 한국어)", "Star Forge", "star forge"},
		{"Bully (Canis Canem Edit)", "Bully (Canis Canem Edit)", "bully canis canem edit"},
		{"Version (and only)", "Version (and only)", "version and only"},
		{"5 Caps 4", "5 Caps 4", "5 caps 4"},
		{"Eps 54", "Eps 54", "eps 54"},
		{"", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := cleanName(tt.name); got != tt.clean {
				t.Errorf("cleanName = %q, want %q", got, tt.clean)
			}
			if got := FoldGame(tt.name); got != tt.game {
				t.Errorf("FoldGame = %q, want %q", got, tt.game)
			}
		})
	}
}

func TestRemainder(t *testing.T) {
	tests := []struct{ name, family, want string }{
		{"Star Forge™: Déluxe Edition (PS5)", "star forge", "Déluxe Edition"},
		{"Star Forge (Gold)", "star forge", "Gold"},
		{"Star Forge Gold (Game + Hat)", "star forge", "Gold (Game + Hat)"},
		{"Star Forge Standard Edition", "star forge", ""},
		{"Star Forgery", "star forge", ""},
		{"Star Forge + Moon Base Bundle", "star forge", ""},
		{"Star Forge™ & Moon Base", "star forge", ""},
		{"Star Forge/Moon Base", "star forge", ""},
		{"Star Forge AND Moon Base", "star forge", ""},
		{"Star Forge x Moon Base", "star forge", ""},
		{"Star Forge × Moon Base", "star forge", ""},
		{"Star Forge ＋ Moon Base", "star forge", ""},
		{"Star Forge: Andromeda", "star forge", "Andromeda"},
		{"Star Forge Gold + Soundtrack", "star forge", "Gold + Soundtrack"},
		{"Star Forge X", "star forge", "X"},
		{"Star Forge (2005)", "star forge", ""},
		{"Star Forge - 2019", "star forge", ""},
		{"Star Forge 2019 (PS5)", "star forge", ""},
		{"Star Forge 3019", "star forge", "3019"},
		{"Star Forge 20199", "star forge", "20199"},
		{"Star Forge REMASTERED", "star forge", ""},
		{"Star Forge HD Remaster", "star forge", ""},
		{"Star Forge Remake™ (2024)", "star forge", ""},
		{"Star Forge Remastered Edition", "star forge", ""},
		{"Star Forge HD Version", "star forge", ""},
		{"Star Forge Remastered Deluxe Edition", "star forge", "Deluxe Edition"},
		{"Star Forge (2005): Gold", "star forge", "Gold"},
		{"Star Forge Remastered (Gold)", "star forge", "Gold"},
		{"Star Forge Deluxe Edition (2005)", "star forge", "Deluxe Edition"},
		{"Star Forge Deluxe Edition - Remastered", "star forge", "Deluxe Edition"},
		{"Star Forge Deluxe HD Edition", "star forge", "Deluxe HD Edition"},
		{"Star Forge Remastered Standard Edition", "star forge", ""},
		{"Star Forge Remade", "star forge", "Remade"},
		{"Star Forge HDR", "star forge", "HDR"},
		{"Star Forge", "star forge", ""},
		{"Dust Runner Gold", "star forge", ""},
		{"Assassin's Creed® II Deluxe", "assassins creed ii", "Deluxe"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Remainder(tt.name, tt.family); got != tt.want {
				t.Errorf("Remainder = %q, want %q", got, tt.want)
			}
		})
	}
}

// plainRemainder tries every end of a word, by the wording of the rule.
func plainRemainder(invariantName, family string) string {
	s := cleanName(invariantName)
	for i, r := range s + " " {
		if isWordRune(r) || fold.Fold(s[:i]) != family {
			continue
		}
		rest := strings.TrimLeft(s[i:], joiners+"®™")
		if strings.ContainsAny(s[:i], "(（[【") || !strings.ContainsAny(rest, "(（[【") {
			rest = strings.TrimRight(rest, ")）]】")
		}
		if FoldEdition(rest) == "" {
			return ""
		}
		return rest
	}
	return ""
}

func TestRemainderByHalving(t *testing.T) {
	text := rapid.StringOfN(rapid.SampledFrom([]rune("aaББйé̆ゲ゛가\u1100\u1161 ™'-(:)（ｱ ﷺ4\u200d")), 0, 12, -1)
	rapid.Check(t, func(t *rapid.T) {
		front, rest := text.Draw(t, "front"), text.Draw(t, "rest")
		name, family := front+rest, Fold(front)
		if got, want := Remainder(name, family), plainRemainder(name, family); got != want {
			t.Fatalf("Remainder(%q, %q) = %q, want %q", name, family, got, want)
		}
	})
}

// TestRemainderOfAHugeName checks that a huge name takes milliseconds; trying every
// word would take minutes.
func TestRemainderOfAHugeName(t *testing.T) {
	half := strings.Repeat("star ", 100_000)
	if got, want := Remainder(half+"Gold", strings.TrimSpace(half)), "Gold"; got != want {
		t.Errorf("Remainder = %.20q, want %q", got, want)
	}
	if got := Remainder(half+half, "dust"); got != "" {
		t.Errorf("Remainder = %.20q, want none", got)
	}
}
