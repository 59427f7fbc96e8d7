package sample

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

// Sample is a catalog of products. Its seed and size determine it.
type Sample struct {
	Seed     uint64
	Products []Product
	// DistinctPrices makes the regular prices of up to ten million listings differ.
	DistinctPrices bool
	// Steps is how many steps the history of each listing has, the present one included;
	// 0: only that one. With 2 or more, publishers, genres, release dates and discounts
	// vary.
	Steps int
}

// Product becomes one card.
type Product struct {
	Number     int // its index in the sample
	Platform   catalog.Platform
	ID         string // the store's id in Europe
	Slug       string // pcstore
	Family     string
	FamilyName string
	Title      string
	Russian    string // "" for most
	Edition    string
	Type       catalog.Type
	Dollars    int64 // hundredths
	Popularity float64
}

// New returns a sample that becomes this many cards.
func New(seed uint64, cards int) *Sample {
	m := maker{rng: rand.New(rand.NewPCG(seed, 1)), sample: &Sample{Seed: seed}, titles: map[string]bool{}}
	m.words = newWords(m.rng)
	for len(m.sample.Products) < cards {
		m.family()
	}
	m.sample.Products = m.sample.Products[:cards]
	return m.sample
}

type maker struct {
	rng      *rand.Rand
	words    words
	sample   *Sample
	families int
	titles   map[string]bool // used, in lower case
}

// family adds a game, and for some its edition and season pass.
func (m *maker) family() {
	m.families++
	n := m.families
	title := m.distinct(m.words.title(m.rng))
	p := Product{
		Platform: catalog.ConsoleStore, ID: consoleID(n, title, ""), Family: fmt.Sprint(10_000_000 + n),
		FamilyName: title, Title: title, Type: catalog.Game,
		Dollars: int64(5+m.rng.IntN(66)) * 100, Popularity: float64(m.rng.IntN(10_000)),
	}
	if m.rng.IntN(100) < 15 {
		p.Russian = m.words.russianTitle(m.rng)
	}
	if n%10 == 0 {
		p.Platform, p.Type, p.Family, p.FamilyName = catalog.PCStore, catalog.Base, "", ""
		p.ID, p.Slug = fmt.Sprintf("%012x", m.rng.Uint64()>>16), slug(title)
		m.add(p)
		return
	}
	m.add(p)
	if n%4 != 0 {
		return
	}
	deluxe := p
	deluxe.ID, deluxe.Edition, deluxe.Type = consoleID(n, title, "0DX"), "Deluxe Edition", catalog.EditionType
	deluxe.Dollars = p.Dollars * 7 / 5
	m.add(deluxe)
	pass := p
	pass.ID, pass.Type, pass.Title, pass.Russian = consoleID(n, title, "0SP"), catalog.SeasonPass, title+" Season Pass", p.Russian
	if p.Russian != "" {
		pass.Russian += " Абонемент"
	}
	pass.Dollars = p.Dollars / 2
	m.add(pass)
}

func (m *maker) add(p Product) {
	p.Number = len(m.sample.Products)
	m.sample.Products = append(m.sample.Products, p)
}

// distinct returns the title, with a number like a sequel's if another game has
// it.
func (m *maker) distinct(title string) string {
	name := title
	for n := 2; m.titles[strings.ToLower(name)]; n++ {
		name = fmt.Sprintf("%s %d", title, n)
	}
	m.titles[strings.ToLower(name)] = true
	return name
}

// europe is the prefix of the console store's ids in most regions.
const europe = "EP"

// consoleID returns an id in the store's format: publisher, disc number and
// label.
func consoleID(n int, title, label string) string {
	return fmt.Sprintf(europe+"%04d-PPSA%05d_00-%s", n*37%9000, (n*7919+13)%100_000, labelOf(title, label, n))
}

// labelOf returns 16 letters and digits: capitals of the title, the kind of
// product, zeros, and the game's number.
func labelOf(title, kind string, n int) string {
	letters := strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r
		}
		return -1
	}, strings.ToUpper(title))
	text := letters[:min(len(letters), 11-len(kind))] + kind
	number := strings.ToUpper(strconv.FormatInt(int64(n), 36))
	return text + strings.Repeat("0", 16-len(text)-len(number)) + number
}

// idIn returns the product's id in a region.
func (p *Product) idIn(r *region) string {
	if p.Platform == catalog.PCStore || r.group == europe {
		return p.ID
	}
	return r.group + p.ID[len(europe):]
}

func slug(title string) string { return strings.ToLower(strings.ReplaceAll(title, " ", "-")) }
