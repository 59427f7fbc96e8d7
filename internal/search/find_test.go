package search_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gamedex/internal/search"
)

// titled makes one document for each line, in the order of popularity. Titles
// of one document are separated by " | "; the first one is its own.
func titled(lines ...string) []search.Doc {
	docs := make([]search.Doc, len(lines))
	for i, line := range lines {
		for shown, text := range strings.Split(line, " | ") {
			docs[i].Names = append(docs[i].Names, search.Name{Text: text, Shown: uint16(shown)})
		}
	}
	return docs
}

// shown returns the titles of hits, one a line.
func shown(docs []search.Doc, hits []search.Hit) string {
	var titles []string
	for _, h := range hits {
		titles = append(titles, docs[h.Doc].Names[h.Shown].Text)
	}
	return strings.Join(titles, "\n")
}

// TestFind has an example of each rule. The oracle compares what words that are near to each other find.
func TestFind(t *testing.T) {
	for _, tt := range []struct {
		name   string
		query  string
		titles []string // in tie-break order
		want   []string // titles shown
	}{
		{
			name:   "exact, prefix, in order, any order",
			query:  "dead space",
			titles: []string{"Space of the Dead", "Dead in Space", "Dead Spaceship", "Dead Space 2", "Dead Space"},
			want:   []string{"Dead Space", "Dead Space 2", "Dead Spaceship", "Dead in Space", "Space of the Dead"},
		},
		{
			name:   "case, accents, apostrophes, trademarks, ё",
			query:  "ASSASSINS creed ragnarok елка",
			titles: []string{"Assassin’s Creed® Ragnarök: Ёлка"},
			want:   []string{"Assassin’s Creed® Ragnarök: Ёлка"},
		},
		{
			name:   "roman finds arabic, as written first",
			query:  "final fantasy vii",
			titles: []string{"Final Fantasy 7", "Final Fantasy VII Remake", "Final Fantasy VII", "Final Fantasy VIII"},
			want:   []string{"Final Fantasy VII", "Final Fantasy VII Remake", "Final Fantasy VIII", "Final Fantasy 7"},
		},
		{
			name:   "an acronym that is the whole query, after exact titles",
			query:  "gta",
			titles: []string{"Grand Theft Auto V", "Great Tasty Apples", "Online: GTA", "GTA Online", "Gtarcade", "Auto Grand Theft", "GTA"},
			want:   []string{"GTA", "Great Tasty Apples", "Grand Theft Auto V", "GTA Online", "Gtarcade", "Online: GTA"},
		},
		{
			name:   "an acronym of the words before a subtitle",
			query:  "coe",
			titles: []string{"Coelacanth", "Children of Empire: Dawn", "Coe Rising", "Chants of Evening - Songs"},
			want:   []string{"Children of Empire: Dawn", "Chants of Evening - Songs", "Coe Rising", "Coelacanth"},
		},
		{
			name:   "an acronym of the words before a number",
			query:  "lof",
			titles: []string{"Loft Story", "Lords of Frost IV"},
			want:   []string{"Lords of Frost IV", "Loft Story"},
		},
		{
			name:   "initials of a part of a title, after titles that begin with the letters",
			query:  "ste",
			titles: []string{"Storm Tower Empire Gates", "Steelworks", "Steam Trains East"},
			want:   []string{"Steam Trains East", "Steelworks", "Storm Tower Empire Gates"},
		},
		{
			name:   "an acronym with a sign is not the acronym",
			query:  "gta+",
			titles: []string{"Grand Theft Auto V", "GTA+ – 1 month"},
			want:   []string{"GTA+ – 1 month", "Grand Theft Auto V"},
		},
		{
			name:   "a title as written before one with a sign",
			query:  "Frost Keep Artbook",
			titles: []string{"Frost Keep + Artbook", "Frost Keep™ Artbook", "FROST KEEP: Artbook"},
			want:   []string{"Frost Keep™ Artbook", "Frost Keep + Artbook", "FROST KEEP: Artbook"},
		},
		{
			name:   "an acronym with other words behind it",
			query:  "gta sa",
			titles: []string{"Grand Theft Auto: San Andreas", "Grand Theft Auto V", "Grand Theft Auto: Sarajevo"},
			want:   []string{"Grand Theft Auto: San Andreas", "Grand Theft Auto: Sarajevo"},
		},
		{
			name:   "an acronym of two letters from the table, anywhere in a title",
			query:  "witcher goty",
			titles: []string{"The Witcher: Game of the Year Edition", "The Witcher"},
			want:   []string{"The Witcher: Game of the Year Edition"},
		},
		{
			name:   "no acronym within a title",
			query:  "ota",
			titles: []string{"Best of the Arcade"},
		},
		{
			name:   "the best title is shown; of equal ones, the card's own",
			query:  "gothic",
			titles: []string{"Gothic Remake | Gothic | Gothic 1", "Gothic 2 | Gothic II"},
			want:   []string{"Gothic", "Gothic 2"},
		},
		{
			name:   "joined and with spaces at once",
			query:  "marvel's spiderman 2",
			titles: []string{"Marvel’s Spider-Man 2"},
			want:   []string{"Marvel’s Spider-Man 2"},
		},
		{
			name:   "a word inside a Japanese run",
			query:  "ファンタジー",
			titles: []string{"ファイナルファンタジー", "ファンタジーライフ"},
			want:   []string{"ファンタジーライフ", "ファイナルファンタジー"},
		},
		{
			name:   "thousands are one number",
			query:  "warhammer 40000",
			titles: []string{"Warhammer 40,000: Darktide", "Warhammer 40,0000", "Warhammer 40.000", "Warhammer 40, 000"},
			want:   []string{"Warhammer 40,000: Darktide"},
		},
		{
			name:   "signs match their words",
			query:  "ratchet and clank plus",
			titles: []string{"Ratchet & Clank+", "Ratchet&Clank+2", "Ratchet, Clank+"},
			want:   []string{"Ratchet & Clank+", "Ratchet&Clank+2"},
		},
		{
			name:   "a numeral as typed before a longer one",
			query:  "final fantasy xv",
			titles: []string{"Final Fantasy XVI", "Final Fantasy 15 Online", "Final Fantasy XV Royal", "All of Final Fantasy XV"},
			want:   []string{"Final Fantasy XV Royal", "Final Fantasy XVI", "All of Final Fantasy XV", "Final Fantasy 15 Online"},
		},
		{
			name:   "articles before titles and queries do not count",
			query:  "witcher",
			titles: []string{"Red Witcher", "The Witcher 3", "Witcher 2", "An Witcher", "A Witchery", "The The Witcher"},
			want:   []string{"An Witcher", "The Witcher 3", "Witcher 2", "A Witchery", "Red Witcher", "The The Witcher"},
		},
		{
			name:   "a space too many",
			query:  "star craft re",
			titles: []string{"StarCraft: Remastered", "StarCraft II"},
			want:   []string{"StarCraft: Remastered"},
		},
		{
			name:   "a space too few",
			query:  "outriders2 super",
			titles: []string{"Outriders II: Super Citizen", "Outriders: Super", "Outriders 2: Super Citizen"},
			want:   []string{"Outriders 2: Super Citizen", "Outriders II: Super Citizen"},
		},
		{
			name:   "no acronym for a part of a word",
			query:  "mgsdoom",
			titles: []string{"Metal Gear Solid: Doom"},
		},
		{
			name:   "a space too few in a long word",
			query:  strings.Repeat("x", 60) + "doom",
			titles: []string{strings.Repeat("x", 60) + " doom"},
			want:   []string{strings.Repeat("x", 60) + " doom"},
		},
		{
			name:   "a space too few in too long a word",
			query:  strings.Repeat("x", 61) + "doom",
			titles: []string{strings.Repeat("x", 61) + " doom"},
		},
		{name: "one number stays one", query: "doom 15", titles: []string{"Doom 1 5", "Doom 1,5"}},
		{name: "only punctuation", query: "!? ™ …", titles: []string{"!?", "What?!"}},
		{name: "nothing", query: "", titles: []string{"Doom"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			docs := titled(tt.titles...)
			hits, total, _ := index(t, docs).Find(search.Query{Text: tt.query, Limit: 10}, nil)
			if diff := cmp.Diff(strings.Join(tt.want, "\n"), shown(docs, hits)); diff != "" || total != len(tt.want) {
				t.Errorf("%q: total %d (-want +got):\n%s", tt.query, total, diff)
			}
		})
	}
}

func TestTypos(t *testing.T) {
	for _, tt := range []struct {
		name, query, title string
		found              bool
	}{
		{"missing", "wicher", "Witcher", true},
		{"swapped", "wticher", "Witcher", true},
		{"four letters take one", "holo", "Halo", true},
		{"three letters take none", "hal", "Hol", false},
		{"two in seven letters", "wetchar", "Witcher", false},
		{"two in eight letters", "cyberpnuc", "Cyberpunk", true},
		{"three in eight letters", "ciberpnuc", "Cyberpunk", false},
		{"two swaps", "yccberpnuk", "Cyberpunk", false},
		{"digits take none", "game 2078", "Game 2077", false},
		{"numerals take none", "fantasy viii", "Fantasy VII", false},
		{"mistyped prefix", "cybrepu", "Cyberpunk", true},
		{"a prefix ends with the right letter", "cybers", "Cyberpunk", false},
		{"only the last word is a prefix", "cybrepu 2077", "Cyberpunk 2077", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			x := index(t, titled(tt.title))
			q := search.Query{Text: tt.query, Limit: 1, Typos: true}
			if hits, total, _ := x.Find(q, nil); (total == 1) != tt.found || len(hits) != total {
				t.Errorf("%q found %q: %v, want %v", tt.query, tt.title, total == 1, tt.found)
			}
			q.Typos = false
			if _, total, _ := x.Find(q, nil); total != 0 {
				t.Errorf("%q found %q without typos", tt.query, tt.title)
			}
		})
	}
}

// TestFewerEditsFirst checks the order of matches with typos: by the edits of all
// words, and of equal ones whole words before longer ones.
func TestFewerEditsFirst(t *testing.T) {
	docs := titled("Overwetchd Halo", "Overwetchd Halos", "Overwitch Halo", "Overwetch Halp 2", "Overwetchd Holo")
	hits, total, _ := index(t, docs).Find(search.Query{Text: "overwatcd halo", Limit: 9, Typos: true}, nil)
	want := "Overwetchd Halo\nOverwitch Halo\nOverwetchd Halos\nOverwetchd Holo\nOverwetch Halp 2"
	if diff := cmp.Diff(want, shown(docs, hits)); diff != "" || total != 5 {
		t.Errorf("total %d (-want +got):\n%s", total, diff)
	}
}

// TestOwnTitlesFirst checks that documents that have the query in a title of their own
// come before those that have it only in another name, with typos, too.
func TestOwnTitlesFirst(t *testing.T) {
	docs := titled("Fallout 4", "Fallout 4 – Far Harbor", "Harbors: Far from 4", "Harbor")
	docs[0].Names = append(docs[0].Names, search.Name{Text: "Far Harbor", Shown: search.NotOwn})
	docs[3].Names = append(docs[3].Names, search.Name{Text: "Far Harbor", Shown: 0}, search.Name{Text: "Harbor Far", Shown: search.NotOwn})
	x := index(t, docs)
	for text, want := range map[string][]search.Hit{
		"far harbor":  {{Doc: 3}, {Doc: 1}, {Doc: 2}, {Doc: 0, Shown: search.NotOwn}},
		"far harbour": {{Doc: 3}, {Doc: 1}, {Doc: 0, Shown: search.NotOwn}},
		"fallout":     {{Doc: 0}, {Doc: 1}},
	} {
		hits, total, _ := x.Find(search.Query{Text: text, Limit: 9, Typos: true}, nil)
		if diff := cmp.Diff(want, hits); diff != "" || total != len(want) {
			t.Errorf("%q: total %d (-want +got):\n%s", text, total, diff)
		}
	}
}

// TestScripts checks what is found by sound and with another keyboard layout, and
// that neither is tried if anything else is found.
func TestScripts(t *testing.T) {
	titles := []string{"Grand Theft Auto V", "Assassin's Creed: Unity", "Cyberpunk 2077", "Dota 2", "The Witcher | Ведьмак",
		"Metro Exodus | Метро: Исход", "FIFA 25", "Need for Speed Heat", "Duty of Call", "Mortal Kombat X", "Гром", "Grom"}
	docs := titled(titles...)
	x := index(t, docs)
	for _, tt := range []struct{ query, want string }{
		{"гта 5", "Grand Theft Auto V"},
		{"ассасин крид", "Assassin's Creed: Unity"},
		{"киберпанк", "Cyberpunk 2077"},
		{"дота 2", "Dota 2"},
		{"фифа 25", "FIFA 25"},
		{"нид фор спид хит", "Need for Speed Heat"},
		{"мортал комбат х", "Mortal Kombat X"},
		{"vedmak", "Ведьмак"},
		{"metro iskhod", "Метро: Исход"},
		{"сниукзгтл", "Cyberpunk 2077"},
		{"dtlmvfr", "Ведьмак"},
		{"ПЕФ 5", "Grand Theft Auto V"},
		{"гром", "Гром"},
		{"пещера", ""},
		{"зз", ""},
	} {
		q := search.Query{Text: tt.query, Limit: 9, Scripts: true}
		hits, total, _ := x.Find(q, nil)
		if got := shown(docs, hits); got != tt.want || total != len(hits) {
			t.Errorf("%q: %q, total %d, want %q", tt.query, got, total, tt.want)
		}
		q.Scripts = false
		if _, total, _ := x.Find(q, nil); total > 0 && tt.query != "гром" {
			t.Errorf("%q found without other scripts", tt.query)
		}
	}
}

// TestSounds checks that a search for sounds alone finds whole words, and tries no other keyboard
// layout, no parts of words and no beginnings of them.
func TestSounds(t *testing.T) {
	docs := titled("Grand Theft Auto V", "Cyberpunk 2077", "Mortal Kombat X", "Need for Speed Heat")
	x := index(t, docs)
	for query, want := range map[string]string{
		"киберпанк 2077": "Cyberpunk 2077", "мортал комбат х": "Mortal Kombat X", "нид фор спид хит": "Need for Speed Heat",
		"сниукзгтл": "", "киберпа": "", "мортал ком": "", "мортал комбатх": "", "нидфор спид хит": "",
	} {
		q := search.Query{Text: query, Limit: 9, Sounds: true}
		hits, total, _ := x.Find(q, nil)
		if got := shown(docs, hits); got != want || total != len(hits) {
			t.Errorf("%q: %q, total %d, want %q", query, got, total, want)
		}
		q.Sounds, q.Scripts = false, true
		if _, total, _ := x.Find(q, nil); total == 0 {
			t.Errorf("%q is not found with all scripts", query)
		}
	}
}

// TestCorrections checks what is found by changing queries that find nothing as they are
// written, kind by kind, and how the change is reported. The first result matters.
func TestCorrections(t *testing.T) {
	docs := titled("Steel Harbor 3", "Lantern", "Lantern Hollow", "Frost Empire IV", "Speed of Shadows", "Kingdom of Ashes Odyssey", "Kingdom of Ashes Origins",
		"Deep Outpost (2014)", "Deep Outpost 2", "Deep Outpost", "Automata Garden", "Dishonest 2", "The Grew", "Skyline Racer", "Inland", "Far Inland",
		"Cybertown 2080", "Hogsmeade", "Gate of Tides VI", "The Unlit Path", "별빛 섬 이야기", "ドラゴン クエスト物語", "Resident Tower 2 Deluxe Edition", "Resident Tower 4",
		"Night Courier - Gold Edition", "Wild Hunt 3", "Great Trade Alliance", "Скорость", "Sko", "Nation Builder", "Tsushima", "Half Craft",
		"Metal Gear Survive", "Metal Gear Solid 5", "Faster Than Light", "FTL: Faster Than Light", "FTL")
	x := index(t, docs)
	for _, tt := range []struct{ kind, query, want, changes, dropped string }{
		{"joined", "steelharbor3", "Steel Harbor 3", "spaces", ""},
		{"joined", "speedofshadows", "Speed of Shadows", "spaces", ""},
		{"joined", "empire4", "Frost Empire IV", "spaces", ""},
		{"joined", "tides6", "Gate of Tides VI", "spaces", ""},
		{"joined", "speedofsha", "Speed of Shadows", "spaces", ""},
		{"joined in Hangul", "별빛섬이야기", "별빛 섬 이야기", "spaces", ""},
		{"joined in Hangul", "별빛섬", "별빛 섬 이야기", "spaces", ""},
		{"joined in kana", "ドラゴンクエスト", "ドラゴン クエスト物語", "spaces", ""},
		{"joined by sound", "спидофшэдоус", "Speed of Shadows", "spaces sound", ""},
		{"joined by sound", "стилхарбор 3", "Steel Harbor 3", "spaces sound", ""},
		{"joined by sound", "диппутпост", "Deep Outpost", "spaces sound", ""},
		{"sound order", "инланд", "Inland", "sound", ""},
		{"sound order", "лантерн", "Lantern", "sound", ""},
		{"sound order", "скайлайн", "Skyline Racer", "sound", ""},
		{"sound rules", "автомата", "Automata Garden", "sound", ""},
		{"sound rules", "дисхонест", "Dishonest 2", "sound", ""},
		{"sound rules", "грю", "The Grew", "sound", ""},
		{"sound rules", "скайлаин рэйсер", "Skyline Racer", "sound", ""},
		{"beginning by sound", "кибертау", "Cybertown 2080", "sound", ""},
		{"beginning by sound", "хогсм", "Hogsmeade", "sound", ""},
		{"beginning by sound", "дисхон", "Dishonest 2", "sound", ""},
		{"beginning by sound", "рейс", "Skyline Racer", "sound", ""},
		{"beginning by sound", "стил ха", "Steel Harbor 3", "sound", ""},
		{"beginning by sound", "лантерн х", "Lantern Hollow", "sound", ""},
		{"a wrong consonant", "автомада гарден", "Automata Garden", "sound", ""},
		{"a wrong consonant", "стил харпор 3", "Steel Harbor 3", "sound", ""},
		{"a wrong consonant", "хогмид фар", "", "", ""},
		{"a wrong consonant", "cnbk [fhgjh 3", "Steel Harbor 3", "layout sound", ""},
		{"a word that begins others", "ско", "Sko", "sound", ""},
		{"a word that begins others", "скорос", "Скорость", "", ""},
		{"sound rules", "нация", "Nation Builder", "sound", ""},
		{"sound rules", "цусима", "Tsushima", "sound", ""},
		{"sound rules", "хаф крафт", "Half Craft", "sound", ""},
		{"acronym before the layout", "гот", "Gate of Tides VI", "sound", ""},
		{"acronym before the layout", "гта", "Great Trade Alliance", "sound", ""},
		{"layout, then sound", "rb,thnfey", "Cybertown 2080", "layout sound", ""},
		{"layout, then sound", "kfynthy", "Lantern", "layout sound", ""},
		{"layout, then sound", "crfqkfqy", "Skyline Racer", "layout sound", ""},
		{"three letters", "юфс", "", "", ""},
		{"three letters", "цру", "", "", ""},
		{"three letters", "жуй", "", "", ""},
		{"a platform", "lantern ps4", "Lantern", "dropped", "ps4"},
		{"a platform", "steel harbor 3 xbox series x", "Steel Harbor 3", "dropped", "xbox series x"},
		{"a platform by sound", "лантерн пс5", "Lantern", "sound dropped", "пс5"},
		{"a year", "inland 2016", "Inland", "dropped", "2016"},
		{"a year", "deep outpost 2021", "Deep Outpost", "dropped", "2021"},
		{"an edition", "lantern game of the year edition", "Lantern", "dropped", "game of the year edition"},
		{"an edition", "resident tower 4 deluxe edition", "Resident Tower 4", "dropped", "deluxe edition"},
		{"an edition", "night courier platinum edition ps5", "Night Courier - Gold Edition", "dropped", "ps5 platinum edition"},
		{"an unknown word", "lantern zzz", "Lantern", "dropped", "zzz"},
		{"mistyped and one more", "kigdom of ashes oddysey", "Kingdom of Ashes Odyssey", "typos", ""},
		{"mistyped and one more", "kingdon of ahses orgins", "Kingdom of Ashes Origins", "typos", ""},
		{"mistyped and one more", "lantern holow ps5", "Lantern Hollow", "typos dropped", "ps5"},
		{"numbers", "steel harbor 4", "", "", ""},
		{"numbers", "resident tower 3", "", "", ""},
		{"numbers", "frost empire 5 gold edition", "", "", ""},
		{"as written", "lantern", "Lantern", "", ""},
		{"an acronym of the table", "mgs", "Metal Gear Solid 5", "", ""},
		{"an acronym of the table", "мгс", "Metal Gear Solid 5", "sound", ""},
	} {
		hits, total, c := x.Find(search.Query{Text: tt.query, Limit: 1, Typos: true, Scripts: true, Drop: true}, nil)
		got := shown(docs, hits)
		if changes := strings.Join(c.Changes.Names(), " "); got != tt.want || changes != tt.changes || strings.Join(c.Dropped, " ") != tt.dropped ||
			(c.Query == "") != (c.Changes == 0) || (total == 0) != (got == "") {
			t.Errorf("%s: %q finds %q of %d by %q as %q without %q, want %q by %q without %q",
				tt.kind, tt.query, got, total, changes, c.Query, c.Dropped, tt.want, tt.changes, tt.dropped)
		}
	}
}

// TestSpelledOut checks that an acronym and what it stands for is a title like any other
// with that name, before longer ones and those without it.
func TestSpelledOut(t *testing.T) {
	docs := titled("Faster Than Light", "FTL: Faster Than Light 2", "FTL: Faster Than Light", "The FTL", "FTL")
	hits, _, _ := index(t, docs).Find(search.Query{Text: "ftl", Limit: 9}, nil)
	const want = "FTL\nFTL: Faster Than Light\nThe FTL\nFaster Than Light\nFTL: Faster Than Light 2"
	if diff := cmp.Diff(want, shown(docs, hits)); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// TestYearsExcludeNumbers checks that titles with another number do not match if a year
// was left out.
func TestYearsExcludeNumbers(t *testing.T) {
	docs := titled("Rift 2", "Rift (1993)", "Rift Zero", "Rift", "Rift III")
	hits, total, _ := index(t, docs).Find(search.Query{Text: "rift 2016", Limit: 9, Drop: true}, nil)
	if got := shown(docs, hits); got != "Rift\nRift Zero" || total != 2 {
		t.Errorf("%q, total %d", got, total)
	}
}

// TestRelaxed checks which documents have all words but one, and in which order.
func TestRelaxed(t *testing.T) {
	docs := titled("Metro Exodus", "Metro Unlocked", "Exodus Unlocked Mine", "Dead Space", "Resident Evil 4", "Evil Remake")
	x := index(t, docs)
	for _, tt := range []struct{ query, want string }{
		{"metro exodus unlocked", "Exodus Unlocked Mine\nMetro Unlocked\nMetro Exodus"},
		{"resident evil 4 remake", "Resident Evil 4"},
		{"dead space deluxe", "Dead Space"},
		{"dead space collectorsedition", ""}, // the word left out is longer than the rest
		{"dead spaceship", ""},               // two words
		{"dead space xxx yyy", ""},           // two words are in no title
		{"", ""},
	} {
		q := search.Query{Text: tt.query, Limit: 9, Drop: true}
		hits, total, _ := x.Find(q, nil)
		if got := shown(docs, hits); tt.want != "" && got != tt.want || tt.want == "" && total > 0 || total != len(hits) {
			t.Errorf("%q: %q, total %d, want %q", tt.query, got, total, tt.want)
		}
		q.Limit, q.Offset = 1, 1
		if page, n, _ := x.Find(q, nil); n != total || total > 1 && (len(page) != 1 || page[0] != hits[1]) {
			t.Errorf("%q: second page %v of %d", tt.query, page, n)
		}
	}
	many := titled(strings.Split(strings.Repeat("Dead Space Two,", 30), ",")[:30]...)
	if _, total, _ := index(t, many).Find(search.Query{Text: "dead space three", Limit: 9, Drop: true}, nil); total != 20 {
		t.Errorf("total %d, want at most 20", total)
	}
}

// TestTyposOfSuffixes checks that a suffix of a run is not a word for a typo, even
// if other titles have it as a word.
func TestTyposOfSuffixes(t *testing.T) {
	docs := titled("ゲームStart", "Start", "ゲームStart Start", "Starts")
	hits, total, _ := index(t, docs).Find(search.Query{Text: "staart", Limit: 9, Typos: true}, nil)
	if diff := cmp.Diff("Start\nゲームStart Start", shown(docs, hits)); diff != "" || total != 2 {
		t.Errorf("total %d (-want +got):\n%s", total, diff)
	}
}

// TestBoundariesBeforeTypos checks that a match with a word-boundary error
// prevents matches with typos.
func TestBoundariesBeforeTypos(t *testing.T) {
	docs := titled("Stark Craft Two", "StarCraft Two")
	hits, total, _ := index(t, docs).Find(search.Query{Text: "star craft two", Limit: 9, Typos: true}, nil)
	if diff := cmp.Diff([]search.Hit{{Doc: 1}}, hits); diff != "" || total != 1 {
		t.Errorf("total %d (-want +got):\n%s", total, diff)
	}
}

// TestWordBoundaryReadingsAreBounded checks that at most 8 readings are searched.
func TestWordBoundaryReadingsAreBounded(t *testing.T) {
	a := func(n int) string { return strings.Repeat("a", n) }
	var titles []string
	for n := 2; n <= 18; n++ {
		titles = append(titles, a(n))
	}
	for _, tt := range []struct{ first, total int }{{2, 1}, {9, 1}, {10, 0}} {
		docs := titled(append(titles, a(tt.first)+" "+a(20-tt.first))...)
		if _, total, _ := index(t, docs).Find(search.Query{Text: a(20)}, nil); total != tt.total {
			t.Errorf("split after %d: total %d, want %d", tt.first, total, tt.total)
		}
	}
}

// TestTyposOnlyIfNothingElse checks that one ordinary match, however bad,
// prevents typos, and that hits outside the requested groups are not matches.
func TestTyposOnlyIfNothingElse(t *testing.T) {
	docs := titled("Halo Infinite", "Infinite Haol")
	docs[1].Group = 1
	x := index(t, docs)
	for _, tt := range []struct {
		name   string
		groups uint8
		want   []search.Hit
	}{
		{"all groups", 0, []search.Hit{{Doc: 1}}},
		{"both groups", 0b11, []search.Hit{{Doc: 1}}},
		{"group of the match", 0b10, []search.Hit{{Doc: 1}}},
		{"group of the typo", 0b01, []search.Hit{{Doc: 0}}},
		{"empty group", 0b100, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			hits, total, _ := x.Find(search.Query{Text: "haol infinite", Groups: tt.groups, Limit: 9, Typos: true}, nil)
			if diff := cmp.Diff(tt.want, hits); diff != "" || total != len(tt.want) {
				t.Errorf("total %d (-want +got):\n%s", total, diff)
			}
		})
	}
}

func TestFindAppends(t *testing.T) {
	x := index(t, titled("Doom"))
	before := []search.Hit{{Doc: 7, Shown: 7}}
	hits, _, _ := x.Find(search.Query{Text: "doom", Limit: 1}, before)
	if diff := cmp.Diff([]search.Hit{{Doc: 7, Shown: 7}, {Doc: 0}}, hits); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// TestFarPages uses numbers whose sum does not fit.
func TestFarPages(t *testing.T) {
	const huge = int(^uint(0) >> 1)
	x := index(t, titled("Doom", "Doom 3", "Doom 64"))
	for _, tt := range []struct{ offset, limit, want int }{
		{0, huge, 3}, {2, huge, 1}, {huge, huge, 0}, {-huge, huge, 3}, {0, -huge, 0}, {0, 0, 0}, {3, 1, 0},
	} {
		hits, total, _ := x.Find(search.Query{Text: "doom", Offset: tt.offset, Limit: tt.limit}, nil)
		if len(hits) != tt.want || total != 3 {
			t.Errorf("offset %d, limit %d: %d hits of %d, want %d of 3", tt.offset, tt.limit, len(hits), total, tt.want)
		}
	}
}

// TestLongQueries checks that long queries are fast: 100 words, one-letter
// words, one word of 200 characters, all of them in every title.
func TestLongQueries(t *testing.T) {
	long := strings.Repeat("x", 200)
	docs := make([]search.Doc, 2000)
	for i := range docs {
		docs[i].Names = []search.Name{{Text: strings.Repeat("a b c d e ", 20) + long}}
	}
	x := index(t, docs)
	for _, text := range []string{strings.Repeat("a b ", 50), strings.Repeat("e ", 100), long, long[1:] + "y"} {
		if _, total, _ := x.Find(search.Query{Text: text, Limit: 10, Typos: true}, nil); total != len(docs) {
			t.Errorf("%.20q… found %d of %d", text, total, len(docs))
		}
	}
}
