package titles_test

import (
	"testing"

	"gamedex/internal/catalog/titles"
)

// TestWithEdition checks that the title without the edition's name is found in
// many spellings and languages.
func TestWithEdition(t *testing.T) {
	tests := []struct{ lang, title, edition, want string }{
		{"en", "Star Forge Deluxe Edition", "Deluxe Edition", "Star Forge - Deluxe Edition"},
		{"en", "Star Forge: Deluxe Edition", "Deluxe Edition", "Star Forge - Deluxe Edition"},
		{"en", "Star Forge – DELUXE edition™", "Deluxe Edition", "Star Forge - Deluxe Edition"},
		{"en", "Star Forge (Deluxe Edition)", "Deluxe Edition", "Star Forge - Deluxe Edition"},
		{"en", "Star Forge, Deluxe", "Deluxe Edition", "Star Forge - Deluxe Edition"},
		{"en", "Star Forge Deluxe Edition", "Deluxe", "Star Forge - Deluxe"},
		{"en", "Star Forge", "Deluxe Edition", "Star Forge - Deluxe Edition"},
		{"en", "Deluxe Star Forge", "Deluxe", "Deluxe Star Forge - Deluxe"},
		{"en", "Marigold", "Gold", "Marigold - Gold"},
		{"en", "Skyrim Special Edition Anniversary", "Anniversary", "Skyrim Special Edition - Anniversary"},
		{"en", "Star Forge Gold Edition", "Deluxe Edition", "Star Forge Gold Edition - Deluxe Edition"},
		{"en", "Deluxe Edition", "Deluxe Edition", "Deluxe Edition"},
		{"en", "Star Forge Ultimate Edition PS4 & PS5", "Ultimate Edition", "Star Forge PS4 & PS5 - Ultimate Edition"},
		{"en", "Star Forge Ultimate Edition (PS5™)", "Ultimate Edition", "Star Forge (PS5™) - Ultimate Edition"},
		{"en", "Star Forge Gold (English/Korean Ver.)", "Gold", "Star Forge (English/Korean Ver.) - Gold"},
		{"en", "Star Forge (Game + Gold)", "Gold", "Star Forge (Game + Gold) - Gold"},
		{"en", "Star Forge + Gold", "Gold", "Star Forge + Gold"},
		{"en", "Star Forge and Gold", "Gold", "Star Forge and Gold"},
		{"en", "Star Forge X Gold", "Gold", "Star Forge X Gold"},
		{"en", "Grand Gold", "Gold", "Grand - Gold"},
		{"en", "Star Forge Gold Edition (2005)", "Gold Edition", "Star Forge (2005) - Gold Edition"},
		{"en", "Star Forge: Gold Edition - Remastered PS5", "Gold Edition", "Star Forge Remastered PS5 - Gold Edition"},
		{"en", "Star Forge Remastered Gold", "Gold", "Star Forge Remastered - Gold"},
		{"en", "Star Forge Remastered", "Remastered", "Star Forge - Remastered"},
		{"en", "Star Forge Remastered", "Gold", "Star Forge Remastered - Gold"},
		{"de", "Star Forge Deluxe-Ausgabe", "Deluxe", "Star Forge - Deluxe"},
		{"en", "Star Forge Deluxe-Ausgabe", "Deluxe", "Star Forge Deluxe-Ausgabe - Deluxe"},
		{"ru", "Звёздная кузня: делюкс-издание", "Делюкс-издание", "Звёздная кузня - Делюкс-издание"},
		{"ru", "Звездная кузня. Издание «Делюкс»", "Делюкс", "Звездная кузня. - Делюкс"},
		{"uk", "Зоряна кузня — Делюкс видання", "Делюкс", "Зоряна кузня - Делюкс"},
		{"tr", "Yıldız Ocağı Deluxe Sürümü", "Deluxe Sürüm", "Yıldız Ocağı - Deluxe Sürüm"},
		{"pl", "Gwiezdna kuźnia: Edycja Deluxe", "Deluxe", "Gwiezdna kuźnia - Deluxe"},
		{"pl", "Gwiezdna kuźnia Deluxe", "Edycja Deluxe", "Gwiezdna kuźnia - Edycja Deluxe"},
		{"es", "Forja estelar Edición Deluxe", "Edición Deluxe", "Forja estelar - Edición Deluxe"},
		{"fr", "Forge stellaire - Édition Deluxe", "Édition Deluxe", "Forge stellaire - Édition Deluxe"},
		{"it", "Forgia stellare Edizione Deluxe", "Deluxe", "Forgia stellare - Deluxe"},
		{"pt", "Forja Estelar Edição Deluxe", "Deluxe", "Forja Estelar - Deluxe"},
		{"ja", "スターフォージ デラックスエディション", "デラックスエディション", "スターフォージ - デラックスエディション"},
		{"ja", "スターフォージ豪華版", "豪華", "スターフォージ - 豪華"},
		{"zh", "《星際鍛造》終極版 (中英韓文版)", "終極版", "《星際鍛造》 (中英韓文版) - 終極版"},
	}
	for _, tt := range tests {
		t.Run(tt.lang+" "+tt.title, func(t *testing.T) {
			if got := titles.WithEdition(tt.title, tt.lang, tt.edition, []string{tt.edition}); got != tt.want {
				t.Errorf("title = %q, want %q", got, tt.want)
			}
		})
	}
}
