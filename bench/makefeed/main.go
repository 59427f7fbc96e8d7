// Command makefeed writes a seeded catalog of any size in the feed format:
//
//	go run ./makefeed -cards 100000 -regions 60 > feed.ndjson
//
// A card is one edition of an invented game; every fourth family has a Deluxe
// edition and an add-on. 15 % of the games have a Russian title. Prices follow
// a regional level, a tenth are discounted.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"time"
)

type region struct {
	alpha2, currency, locale string
	level                    float64 // local units per dollar of list price
}

// named regions come first; the others are filled in from the list of codes.
var named = []region{
	{"UA", "UAH", "uk-UA", 26}, {"TR", "TRY", "tr-TR", 24}, {"PL", "PLN", "pl-PL", 4.1}, {"IN", "INR", "en-IN", 62},
	{"US", "USD", "en-US", 1}, {"DE", "EUR", "de-DE", 1}, {"JP", "JPY", "ja-JP", 130}, {"KZ", "KZT", "ru-KZ", 380},
}

const more = "AE AR AT AU BE BG BH BO BR CA CH CL CN CO CR CY CZ DK EC EE ES FI FR GB GR GT HK HN HR HU ID IE IL IS IT KR KW LT LU LV MT MX MY NI NL NO NZ OM PA PE PT PY QA RO"

var (
	adjectives = strings.Fields("Silent Broken Golden Frozen Crimson Hollow Endless Iron Lost Burning Emerald Shattered Distant Savage Radiant Hidden Eternal Fallen Twisted Sunken Lunar Solar Stormy Ancient Wicked Noble Restless Velvet Obsidian Neon")
	nouns      = strings.Fields("Empire Horizon Forge Legend Kingdom Odyssey Frontier Shadow Echo Citadel Harvest Rebellion Voyage Sanctum Dominion Oath Covenant Labyrinth Tempest Requiem Crusade Paradise Outlaws Guardians Machines Circuit Rally Arena Tactics Chronicles")
	russian    = strings.Fields("Тихая Разбитая Золотая Ледяная Багровая Пустая Бесконечная Железная Потерянная Горящая")
	russianOf  = strings.Fields("Империя Кузница Легенда Одиссея Граница Тень Цитадель Жатва Клятва Буря")
)

func main() {
	cards := flag.Int("cards", 100_000, "number of cards")
	regions := flag.Int("regions", 4, "number of regions, at most 60")
	seed := flag.Uint64("seed", 1, "seed")
	at := flag.String("at", "2026-11-20T03:00:00Z", "observedAt of every line")
	flag.Parse()
	if _, err := time.Parse(time.RFC3339, *at); err != nil {
		fmt.Fprintln(os.Stderr, "makefeed:", err)
		os.Exit(2)
	}
	out := bufio.NewWriterSize(os.Stdout, 1<<20)
	g := generator{out: out, rng: rand.New(rand.NewPCG(*seed, 2)), regions: allRegions()[:min(*regions, 60)], at: *at}
	for g.cards < *cards {
		g.family()
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "makefeed:", err)
		os.Exit(1)
	}
}

func allRegions() []region {
	all := named
	for i, code := range strings.Fields(more) {
		all = append(all, region{code, "EUR", "en-" + code, 0.5 + float64(i%20)/10})
	}
	return all
}

type generator struct {
	out      *bufio.Writer
	rng      *rand.Rand
	regions  []region
	at       string
	families int
	cards    int
}

type product struct {
	family                        int
	id, title, invariant, edition string
	russian, kind                 string
	dollars                       float64
	popularity                    int
}

// family writes a game, and for every fourth one an edition and an add-on.
func (g *generator) family() {
	g.families++
	n := g.families
	name := g.pick(adjectives) + " " + g.pick(nouns)
	if g.rng.IntN(3) == 0 {
		name += " of the " + g.pick(nouns)
	}
	name = fmt.Sprintf("%s %s %d", name, g.pick(nouns), n%997)
	p := product{family: n, id: g.id(n, "GAME"), title: name, invariant: name, kind: "game",
		dollars: float64(5 + g.rng.IntN(66)), popularity: g.rng.IntN(10_000)}
	if g.rng.IntN(100) < 15 {
		p.russian = fmt.Sprintf("%s %s %d", g.pick(russian), g.pick(russianOf), n%997)
	}
	g.write(p)
	if n%4 != 0 {
		return
	}
	deluxe := p
	deluxe.id, deluxe.edition, deluxe.kind = g.id(n, "DLXE"), "Deluxe Edition", "edition"
	deluxe.invariant, deluxe.dollars = name+" Deluxe Edition", p.dollars*1.4
	g.write(deluxe)
	pass := p
	pass.id, pass.kind, pass.title = g.id(n, "PASS"), "season-pass", name+" Season Pass"
	pass.invariant, pass.russian, pass.dollars = pass.title, "", p.dollars*0.5
	g.write(pass)
}

func (g *generator) id(n int, label string) string {
	return fmt.Sprintf("EP%04d-PPSA%05d_00-%s%012d", n%9000, n%100000, label, n)
}

func (g *generator) pick(words []string) string { return words[g.rng.IntN(len(words))] }

// write writes the listings of one product in all regions.
func (g *generator) write(p product) {
	g.cards++
	for _, r := range g.regions {
		base := int64(p.dollars*r.level) * 100
		if base == 0 {
			base = 99
		}
		title, discount := p.title, ""
		if p.russian != "" && (r.alpha2 == "UA" || r.alpha2 == "KZ") {
			title = p.russian
		}
		current := base
		if g.rng.IntN(10) == 0 {
			current = base * 3 / 4
			discount = `,"discountPercent":25,"discountEndsAt":"2026-12-01T22:59:00Z"`
		}
		fmt.Fprintf(g.out, `{"platform":"consolestore","region":%q,"product":%q,"family":"%d","familyName":%q,"titleIds":["PPSA%05d"],"title":%q,"locale":%q,"invariantName":%q`,
			r.alpha2, p.id, 10_000_000+p.family, strings.TrimSuffix(strings.TrimSuffix(p.invariant, " Deluxe Edition"), " Season Pass"), p.family%100000, title, r.locale, p.invariant)
		if p.edition != "" {
			fmt.Fprintf(g.out, `,"edition":%q`, p.edition)
		}
		fmt.Fprintf(g.out, `,"type":%q,"publisher":"Invented Works","releaseDate":"2024-05-17","genres":["Action"],"platforms":["PS5"],"storeUrl":"https://console.example/%s/product/%s","images":{"cover":"https://images.example/%s.png"},"popularity":%d,"price":{"currency":%q,"base":%d,"current":%d%s,"source":"graphql"},"observedAt":%q}`+"\n",
			p.kind, strings.ToLower(r.locale), p.id, p.id, p.popularity, r.currency, base, current, discount, g.at)
	}
}
