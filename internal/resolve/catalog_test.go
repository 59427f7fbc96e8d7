package resolve_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"gamedex/internal/catalog"
	"gamedex/internal/catalog/merge"
	"gamedex/internal/catalog/override"
	"gamedex/internal/demo"
	"gamedex/internal/index"
	"gamedex/internal/index/pack"
	. "gamedex/internal/testing/catalogtest"
)

// world returns the sample catalog and an invented one in one view, built once.
var world = sync.OnceValue(func() *index.View {
	sample, err := demo.New()
	if err != nil {
		panic(err)
	}
	var lines Listings
	for l := range sample.Listings("https://sample.example", Day(300)) {
		lines.Apply(l)
	}
	for _, l := range invented().listings {
		lines.Apply(l)
	}
	return viewOf(&lines)
})

// viewOf merges and packs listings as a builder does. All their regions are active.
func viewOf(lines *Listings) *index.View {
	table := lines.Table()
	active := []catalog.Region{catalog.MustRegion("US")}
	regions := map[catalog.Platform][]catalog.Region{}
	for _, e := range table.Entries {
		if !slices.Contains(active, e.Region) {
			active = append(active, e.Region)
		}
		if !slices.Contains(regions[e.Platform], e.Region) {
			regions[e.Platform] = append(regions[e.Platform], e.Region)
		}
	}
	for _, list := range regions {
		slices.SortFunc(list, catalog.Region.Compare)
	}
	prose := map[catalog.ProseID]*catalog.Prose{}
	for i := range table.Prose {
		prose[catalog.ProseID(i)] = &table.Prose[i]
	}
	groups := merge.Merge(table.Entries, override.Set{})
	blobs, _, err := pack.Build(pack.Input{
		Entries: table.Entries, Cards: merge.Compose(groups, table.Entries, active, table.Fields), Active: active, Prose: prose,
		Regions: regions, Moved: map[string][]string{"0LD00001": {"hades"}, "0LD00002": {"hades", "celeste"}},
	})
	if err != nil {
		panic(err)
	}
	snap, err := index.Open(blobs.Catalog, blobs.Prices)
	if err != nil {
		panic(err)
	}
	return index.NewView(snap, index.Published{})
}

// inventedGame is a game of the invented catalog.
type inventedGame struct {
	title    string
	local    map[string]string // by language
	editions []string          // that are sold
	addOn    string
	apart    bool // sold apart for PS4 and PS5
	year     int
}

type inventedCatalog struct {
	games    []inventedGame
	absent   []string // titles that nobody sells
	listings []catalog.Listing
}

// Words of titles, in English, Russian, Turkish, Polish and Japanese.
var (
	firstWords = [][5]string{
		{"Silent", "Тихий", "Sessiz", "Cichy", "静かなる"}, {"Broken", "Сломанный", "Kırık", "Złamany", "壊れた"},
		{"Crimson", "Багровый", "Kızıl", "Szkarłatny", "真紅の"}, {"Hollow", "Полый", "Oyuk", "Pusty", "虚ろな"},
		{"Frozen", "Замёрзший", "Donmuş", "Zamarznięty", "凍った"}, {"Iron", "Железный", "Demir", "Żelazny", "鉄の"},
		{"Golden", "Золотой", "Altın", "Złoty", "黄金の"}, {"Lost", "Потерянный", "Kayıp", "Zagubiony", "失われた"},
		{"Burning", "Горящий", "Yanan", "Płonący", "燃える"}, {"Wandering", "Странствующий", "Gezgin", "Wędrujący", "さまよう"},
		{"Distant", "Далёкий", "Uzak", "Odległy", "遠い"}, {"Electric", "Электрический", "Elektrikli", "Elektryczny", "電気の"},
		{"Velvet", "Бархатный", "Kadife", "Aksamitny", "ビロードの"}, {"Savage", "Дикий", "Vahşi", "Dziki", "野生の"},
		{"Sunken", "Затонувший", "Batık", "Zatopiony", "沈んだ"}, {"Gentle", "Нежный", "Nazik", "Łagodny", "優しい"},
		{"Obsidian", "Обсидиановый", "Obsidyen", "Obsydianowy", "黒曜の"}, {"Restless", "Беспокойный", "Huzursuz", "Niespokojny", "落ち着かない"},
		{"Crooked", "Кривой", "Çarpık", "Krzywy", "曲がった"}, {"Radiant", "Сияющий", "Işıltılı", "Promienny", "輝く"},
	}
	secondWords = [][5]string{
		{"Harbor", "Порт", "Liman", "Port", "港"}, {"Meridian", "Меридиан", "Meridyen", "Południk", "子午線"},
		{"Lantern", "Фонарь", "Fener", "Latarnia", "ランタン"}, {"Citadel", "Бастион", "Kale", "Cytadela", "城塞"},
		{"Orchard", "Сад", "Bahçe", "Sad", "果樹園"}, {"Tempest", "Шторм", "Fırtına", "Nawałnica", "嵐"},
		{"Sparrow", "Воробей", "Serçe", "Wróbel", "雀"}, {"Engine", "Двигатель", "Motor", "Silnik", "機関"},
		{"Archive", "Архив", "Arşiv", "Archiwum", "書庫"}, {"Monarch", "Монарх", "Hükümdar", "Monarcha", "君主"},
		{"Circuit", "Контур", "Devre", "Obwód", "回路"}, {"Hollows", "Лощины", "Çukurlar", "Wąwozy", "窪地"},
		{"Voyager", "Путник", "Yolcu", "Podróżnik", "旅人"}, {"Covenant", "Завет", "Ahit", "Przymierze", "盟約"},
		{"Pilgrim", "Пилигрим", "Hacı", "Pielgrzym", "巡礼者"}, {"Reactor", "Реактор", "Reaktör", "Reaktor", "原子炉"},
		{"Falcon", "Сокол", "Şahin", "Sokół", "隼"}, {"Mirage", "Мираж", "Serap", "Miraż", "蜃気楼"},
		{"Garrison", "Гарнизон", "Garnizon", "Garnizon", "守備隊"}, {"Cathedral", "Собор", "Katedral", "Katedra", "大聖堂"},
		{"Outpost", "Форпост", "Karakol", "Placówka", "前哨"}, {"Prophet", "Пророк", "Peygamber", "Prorok", "預言者"},
		{"Glacier", "Ледник", "Buzul", "Lodowiec", "氷河"}, {"Kingdom", "Край", "Krallık", "Królestwo", "王国"},
		{"Signal", "Сигнал", "Sinyal", "Sygnał", "信号"}, {"Mariner", "Мореход", "Denizci", "Żeglarz", "船乗り"},
		{"Thicket", "Чаща", "Çalılık", "Gąszcz", "茂み"}, {"Vanguard", "Авангард", "Öncü", "Awangarda", "前衛"},
		{"Whisper", "Шёпот", "Fısıltı", "Szept", "囁き"}, {"Zenith", "Зенит", "Zirve", "Zenit", "天頂"},
	}
	subtitles    = []string{"The Long Descent", "Ashes of Tomorrow", "Song of the Deep", "A Quiet War", "Beyond the Veil", "Echoes of Ruin"}
	soldEditions = []string{"Deluxe Edition", "Gold Edition", "Ultimate Edition", "Complete Edition"}
	languages    = [4]string{"ru", "tr", "pl", "ja"}
)

// invented makes a catalog with sequels, editions, add-ons and games that are sold apart. It is
// always the same.
var invented = sync.OnceValue(func() *inventedCatalog {
	random := rand.New(rand.NewPCG(37, 1))
	c := &inventedCatalog{}
	for _, a := range firstWords {
		for _, b := range secondWords {
			title := a[0] + " " + b[0]
			if random.IntN(5) == 0 {
				c.absent = append(c.absent, title)
				continue
			}
			local := map[string]string{}
			for i, l := range languages {
				if random.IntN(3) == 0 {
					local[l] = strings.TrimSpace(a[i+1] + map[bool]string{true: "", false: " "}[l == "ja"] + b[i+1])
				}
			}
			parts := 1 + random.IntN(6)/4*(1+random.IntN(2)) // 1 to 3
			for part := range parts {
				c.addGame(random, title, local, part)
			}
			c.absent = append(c.absent, fmt.Sprintf("%s %d", title, parts+1+random.IntN(2)))
		}
	}
	return c
})

func (c *inventedCatalog) addGame(random *rand.Rand, title string, local map[string]string, part int) {
	g := inventedGame{title: title, local: map[string]string{}, apart: random.IntN(8) == 0, year: 2008 + random.IntN(16)}
	suffix := ""
	if part > 0 {
		suffix = " " + [][]string{{"2", "II"}, {"3", "III"}}[part-1][random.IntN(2)]
		if random.IntN(3) == 0 {
			suffix += ": " + subtitles[random.IntN(len(subtitles))]
		}
	}
	g.title += suffix
	for l, text := range local {
		g.local[l] = text + suffix
	}
	for _, e := range soldEditions {
		if random.IntN(8) == 0 {
			g.editions = append(g.editions, e)
		}
	}
	if random.IntN(4) == 0 {
		g.addOn = []string{"Night Watch", "Lost Chapters", "Season Pass", "Tides of War"}[random.IntN(4)]
	}
	c.games = append(c.games, g)
	n := len(c.games)
	family := fmt.Sprintf("invented-%d", n)
	slug := strings.Trim(strings.ReplaceAll(strings.ToLower(strings.NewReplacer(":", "", "'", "").Replace(g.title)), " ", "-"), "-")
	date := Prose(catalog.Prose{ReleaseDate: fmt.Sprintf("%d-03-04", g.year)})
	console := func(product, name string, options ...Option) {
		options = append([]Option{Family(family), FamilyName(g.title), Name(name), Title(name), Locale("en-US"), date, Price("USD", 2999)}, options...)
		c.listings = append(c.listings, Console("US", product, options...))
	}
	for i, device := range []string{"PS5", "PS4"} {
		if i > 0 && !g.apart {
			break
		}
		options := []Option{Platforms(device)}
		if !g.apart {
			options = []Option{Platforms("PS4", "PS5")}
		}
		for l, text := range g.local {
			options = append(options, Also(l, text))
		}
		console(fmt.Sprintf("XX%04d-%s_00-INVENTEDGAME%04d", n, device, n), g.title, options...)
	}
	for i, e := range g.editions {
		console(fmt.Sprintf("XX%04d-PPSA0000%d_00-INVENTEDEDIT%04d", n, i, n), g.title+" "+e, Edition(e), Type(catalog.EditionType), Platforms("PS4", "PS5"))
	}
	pc := func(product, title string, typ catalog.Type) {
		options := []Option{Title(title), FamilyName(g.title), Locale("en-US"), Type(typ), Platforms("Windows"), date, Price("USD", 2999), StoreURL("https://pc.sample.example/p/" + slug)}
		c.listings = append(c.listings, PC("US", product, slug, options...))
	}
	pc(fmt.Sprintf("pc%d", n), g.title, catalog.Base)
	for i, e := range g.editions {
		pc(fmt.Sprintf("pc%d-%d", n, i), g.title+" "+e, catalog.EditionType)
	}
	if g.addOn != "" {
		console(fmt.Sprintf("XX%04d-PPSA00009_00-INVENTEDADDS%04d", n, n), g.title+" - "+g.addOn, Type(catalog.DLC), Platforms("PS4", "PS5"))
		pc(fmt.Sprintf("pc%d-add", n), g.title+" - "+g.addOn, catalog.DLC)
	}
}

func TestInventedCatalog(t *testing.T) {
	v := world()
	if n := len(invented().games); n < 600 || v.Len() < 2000 {
		t.Errorf("%d games are invented, %d cards are in the view, want at least 600 and 2000", n, v.Len())
	}
}
