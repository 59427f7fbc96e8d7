package demo

import (
	_ "embed"
	"fmt"
	"strconv"
	"strings"

	"gamedex/internal/catalog"
)

//go:embed games.txt
var table string

type game struct {
	product
	number              int // index in the table
	slug, released      string
	publisher, develops string
	genres              []string
	age                 int    // age rating, by PEGI
	console             string // "4", "5", "45", "4/5" or "" for not sold there
	pc                  bool
	titles              map[string]string // by language
	products            []*product        // the game itself first
}

// product is anything with a separate price.
type product struct {
	kind  kind
	name  string // of the game itself: the game's name
	usd   int64  // cents
	notes notes
	holds []string
}

// kind is the kind of a product of a game.
type kind string

const (
	kindGame         kind = "game"
	kindEdition      kind = "edition"
	kindPass         kind = "pass"
	kindDLC          kind = "dlc"
	kindDemo         kind = "demo"
	kindPack         kind = "pack"
	kindBundle       kind = "bundle"
	kindSubscription kind = "subscription"
)

const gameFields = 9

func parse(text string) ([]*game, error) {
	var games []*game
	for i, line := range strings.Split(text, "\n") {
		var err error
		switch {
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#"):
		case !strings.HasPrefix(line, " "):
			var g *game
			if g, err = parseGame(line, len(games)); err == nil {
				games = append(games, g)
			}
		case len(games) == 0:
			err = fmt.Errorf("%q has no game before it", line)
		default:
			err = games[len(games)-1].parseDetail(strings.TrimSpace(line))
		}
		if err != nil {
			return nil, fmt.Errorf("read sample table: line %d: %w", i+1, err)
		}
	}
	return games, nil
}

func parseGame(line string, number int) (*game, error) {
	f := fields(line)
	if len(f) != gameFields {
		return nil, fmt.Errorf("%d fields, want %d", len(f), gameFields)
	}
	// "ELDEN RING" has the address "elden-ring".
	name := strings.NewReplacer("'", "", "ö", "o", "ō", "o", "é", "e", "δ", "delta").Replace(strings.ToLower(f[0]))
	words := strings.FieldsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	g := &game{
		number: number, slug: strings.Join(words, "-"), released: f[1], publisher: f[2], develops: f[3],
		genres: strings.Split(f[4], ", "), titles: make(map[string]string),
	}
	if _, err := fmt.Sscan(f[5], &g.age); err != nil {
		return nil, fmt.Errorf("age %q: %w", f[5], err)
	}
	for _, place := range strings.Split(f[7], ",") { // stores that sell it
		switch place {
		case "4", "5", "45", "4/5":
			g.console = place
		case "pc":
			g.pc = true
		default:
			return nil, fmt.Errorf("sold at %q, want 4, 5, 45, 4/5 or pc", place)
		}
	}
	p, err := parseProduct(kindGame, f[0], f[6], f[8])
	if err != nil {
		return nil, err
	}
	if p.notes.kind != "" {
		p.kind = p.notes.kind
	}
	g.product = *p
	g.products = []*product{&g.product}
	return g, nil
}

func (g *game) parseDetail(line string) error {
	label, rest, ok := strings.Cut(line, ": ")
	if !ok {
		return fmt.Errorf("%q has no label", line)
	}
	switch label {
	case "ru", "uk", "tr", "pl", "ja":
		g.titles[label] = rest
	case "holds":
		last := g.products[len(g.products)-1]
		last.holds = strings.Split(rest, "; ")
	case "edition", "pass", "dlc", "demo", "pack":
		f := append(fields(rest), "", "")
		p, err := parseProduct(kind(label), f[0], f[1], f[2])
		if err != nil {
			return err
		}
		g.products = append(g.products, p)
	default:
		return fmt.Errorf("%q is not a label", label)
	}
	return nil
}

func parseProduct(k kind, name, dollars, notes string) (*product, error) {
	p := &product{kind: k, name: name}
	if dollars != "0" {
		var whole, cents int64
		if n, err := fmt.Sscanf(dollars, "%d.%2d", &whole, &cents); n != 2 || err != nil {
			return nil, fmt.Errorf("price %q is not in dollars and cents", dollars)
		}
		p.usd = whole*100 + cents
	}
	for _, word := range strings.Fields(notes) {
		name, value, _ := strings.Cut(word, "=")
		if err := p.notes.setNote(name, value); err != nil {
			return nil, fmt.Errorf("note %q: %w", word, err)
		}
	}
	return p, nil
}

func fields(line string) []string {
	f := strings.Split(line, "|")
	for i := range f {
		f[i] = strings.TrimSpace(f[i])
	}
	return f
}

type notes struct {
	off, was   int // percent of a running and of a past sale
	plus       int // percent off for subscribers, where only they can buy; 0 = no such price
	text       bool
	trial      bool
	soon       bool
	doubt      bool
	not        []catalog.Region
	popularity int // 0: not given
	alias      string
	kind       kind
}

func (n *notes) setNote(name, value string) (err error) {
	percents := map[string]*int{"off": &n.off, "was": &n.was, "pop": &n.popularity, "plus": &n.plus}
	flags := map[string]*bool{"text": &n.text, "trial": &n.trial, "soon": &n.soon, "doubt": &n.doubt}
	switch {
	case name == "plus" && value == "":
		n.plus = 100
	case percents[name] != nil:
		*percents[name], err = percent(value)
	case flags[name] != nil:
		*flags[name] = true
	case name == "not":
		for code := range strings.SplitSeq(value, ",") {
			r, err := catalog.ParseRegion(code)
			if err != nil {
				return err
			}
			n.not = append(n.not, r)
		}
	case name == "alias":
		n.alias = value
	case name == "bundle", name == "subscription":
		n.kind = kind(name)
	default:
		err = fmt.Errorf("%q is not a note", name)
	}
	return err
}

func percent(s string) (int, error) {
	p, err := strconv.Atoi(s)
	if err != nil || p < 1 || p > 100 {
		return 0, fmt.Errorf("%q is not 1 to 100", s)
	}
	return p, nil
}
