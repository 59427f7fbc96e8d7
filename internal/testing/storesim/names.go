package storesim

import (
	"slices"
	"strconv"
	"strings"
)

// word is a word in the languages that some games are translated into.
type word struct{ en, ru, uk, ja string }

// The words that names are made of: "Star Forge" is "Кузница звёзд". They must
// not be changed.
var (
	firstWords = [...]word{
		{"Star", "звёзд", "зірок", "星"}, {"Night", "ночи", "ночі", "夜"}, {"Iron", "железа", "заліза", "鉄"},
		{"Silent", "тишины", "тиші", "静寂"}, {"Ember", "углей", "жарин", "残り火"}, {"Frost", "мороза", "морозу", "霜"},
		{"Golden", "золота", "золота", "黄金"}, {"Hollow", "пустоты", "порожнечі", "虚"}, {"Crimson", "багрянца", "багрянцю", "深紅"},
		{"Distant", "дали", "далини", "遥か"}, {"Wild", "степей", "степів", "荒野"}, {"Broken", "обломков", "уламків", "破片"},
		{"Last", "конца", "кінця", "終わり"}, {"Neon", "неона", "неону", "ネオン"}, {"River", "реки", "ріки", "川"},
		{"Glass", "стекла", "скла", "硝子"}, {"Thunder", "грома", "грому", "雷"}, {"Shadow", "теней", "тіней", "影"},
		{"Ancient", "древних", "давніх", "古代"}, {"Velvet", "бархата", "оксамиту", "天鵞絨"}, {"Mirror", "зеркал", "дзеркал", "鏡"},
		{"Salt", "соли", "солі", "塩"}, {"Paper", "бумаги", "паперу", "紙"}, {"Copper", "меди", "міді", "銅"},
	}
	secondWords = [...]word{
		{"Forge", "Кузница", "Кузня", "鍛冶場"}, {"Kingdom", "Королевство", "Королівство", "王国"}, {"Harbor", "Гавань", "Гавань", "港"},
		{"Racers", "Гонщики", "Гонщики", "レーサーズ"}, {"Garden", "Сад", "Сад", "庭園"}, {"Protocol", "Протокол", "Протокол", "プロトコル"},
		{"Valley", "Долина", "Долина", "谷"}, {"Hunters", "Охотники", "Мисливці", "狩人"}, {"Orchard", "Роща", "Гай", "果樹園"},
		{"Citadel", "Цитадель", "Цитадель", "城塞"}, {"Voyage", "Странствие", "Мандрівка", "航海"}, {"Tactics", "Тактика", "Тактика", "戦術"},
		{"Chronicle", "Хроника", "Хроніка", "年代記"}, {"Odyssey", "Одиссея", "Одіссея", "オデッセイ"}, {"Station", "Станция", "Станція", "駅"},
		{"Legends", "Легенды", "Легенди", "伝説"}, {"Circuit", "Кольцо", "Кільце", "サーキット"}, {"Museum", "Музей", "Музей", "博物館"},
		{"Saga", "Сага", "Сага", "サーガ"}, {"Outpost", "Застава", "Застава", "前哨"},
	}
	subtitles = [...]string{"Origins", "The Long Way", "Afterlight", "Remastered", "Director’s Cut", "Zero"}
	marks     = [...]string{"™", "®"}
	numerals  = [...]string{"II", "III", "IV", "VII", "2", "3", "2077"}
)

// title returns a game's name in a language, or the language-neutral one. key identifies
// the game; plain omits subtitles, which would divide the game into two.
func (d dice) title(key int, language string, plain bool) string {
	first := firstWords[d.upTo(len(firstWords), topicName, key, 1, 0)]
	second := secondWords[d.upTo(len(secondWords), topicName, key, 2, 0)]
	name := first.en + " " + second.en
	if d.one(2, topicLocal, key, 0, 0) {
		switch language {
		case "ru":
			name = second.ru + " " + first.ru
		case "uk":
			name = second.uk + " " + first.uk
		case "ja":
			name = first.ja + "の" + second.ja
		}
	}
	if d.one(5, topicMark, key, 0, 0) {
		name += marks[d.upTo(len(marks), topicMark, key, 1, 0)]
	}
	switch n := d.upTo(6, topicSubtitle, key, 0, 0); {
	case n == 0 || n == 1 && plain:
		name += " " + numerals[d.upTo(len(numerals), topicSubtitle, key, 1, 0)]
	case n == 1:
		name += ": " + subtitles[d.upTo(len(subtitles), topicSubtitle, key, 2, 0)]
	}
	return name
}

// The editions' names; a language without one uses the English name. They must
// not be changed.
var editionNames = map[string]map[string]string{
	"Deluxe Edition": {"uk": "Видання Deluxe", "ru": "Издание Deluxe", "pl": "Edycja Deluxe", "tr": "Deluxe Sürümü",
		"fr": "Édition Deluxe", "ja": "デラックスエディション"},
	"Gold Edition":     {"uk": "Золоте видання", "ru": "Золотое издание", "pl": "Złota Edycja", "ja": "ゴールドエディション"},
	"Ultimate Edition": {"uk": "Видання Ultimate", "pl": "Edycja Ultimate", "tr": "Ultimate Sürümü", "ja": "アルティメットエディション"},
	"Collector’s Set":  {"de": "Sammlerpaket", "fr": "Coffret collector"},
}

var (
	deluxeNames   = [...]string{"Deluxe Edition", "Gold Edition", "Digital Deluxe"}
	ultimateNames = [...]string{"Ultimate Edition", "Collector’s Set"}
)

// inLanguage returns an edition's name in a language.
func inLanguage(edition, language string) string {
	if name := editionNames[edition][language]; name != "" {
		return name
	}
	return edition
}

// The add-ons' names by kind. They must not be changed.
var (
	itemNames   = [...]string{"Dawn Outfit", "Brass Compass", "Fox Mask", "Harbor Lights", "Winter Coat"}
	packNames   = [...]string{"Explorer Pack", "Founder’s Pack", "Northern Expansion", "Lost Chapters", "Weapon Pack"}
	genreNames  = [...]string{"Action", "Adventure", "Role-Playing", "Strategy", "Sport", "Simulation", "Puzzle", "Racing"}
	localGenres = map[string][]string{
		"uk": {"Екшн", "Пригоди", "Рольова гра", "Стратегія", "Спорт", "Симулятор", "Головоломка", "Перегони"},
		"ru": {"Экшн", "Приключения", "Ролевая игра", "Стратегия", "Спорт", "Симулятор", "Головоломка", "Гонки"},
		"de": {"Action", "Abenteuer", "Rollenspiel", "Strategie", "Sport", "Simulation", "Puzzle", "Rennspiel"},
		"ja": {"アクション", "アドベンチャー", "ロールプレイング", "ストラテジー", "スポーツ", "シミュレーション", "パズル", "レース"},
	}
	makers = [...]string{"Acorn Works", "Blue Kite", "Cinder Lane", "Delta Loom", "Eastgate", "Fern & Fable", "Grey Harbor", "Half Moon"}
)

// genres returns a game's genres in a language, as the store lists them: with
// repeats.
func (d dice) genres(key int, language string) []string {
	names := localGenres[language]
	if names == nil {
		names = genreNames[:]
	}
	var list []string
	for i := range 1 + d.upTo(3, topicGenre, key, 0, 0) {
		list = append(list, names[d.upTo(len(names), topicGenre, key, 1, i)])
	}
	return list
}

// distinct removes repeats.
func distinct(list []string) []string {
	var kept []string
	for _, s := range list {
		if !slices.Contains(kept, s) {
			kept = append(kept, s)
		}
	}
	return kept
}

// publisher returns the legal entity that sells a game under a storefront.
func (d dice) publisher(key int, front string) string {
	maker := makers[d.upTo(len(makers), topicPublisher, key, 0, 0)]
	switch front {
	case "EP":
		return maker + " Europe Ltd"
	case "JP":
		return "株式会社" + maker
	case "HP":
		return maker + " Asia"
	}
	return maker + " Inc"
}

// letters returns the first n capital letters and digits of a name, padded.
func letters(name string, n int) string {
	b := make([]byte, 0, n)
	for _, r := range strings.ToUpper(name) {
		if len(b) < n && ('A' <= r && r <= 'Z' || '0' <= r && r <= '9') {
			b = append(b, byte(r))
		}
	}
	for len(b) < n {
		b = append(b, '0')
	}
	return string(b)
}

// slugWords returns a name's words in the form of addresses.
func slugWords(name string) string {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	})
	return strings.Join(words, "-")
}

// base36 formats n as five characters.
func base36(n int) string {
	s := strings.ToUpper(strconv.FormatInt(int64(n), 36))
	return strings.Repeat("0", max(0, 5-len(s))) + s
}
