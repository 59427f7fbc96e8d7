package searchquality

import (
	"cmp"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"gamedex/internal/search"
)

// Card is one entry of the catalog.
type Card struct {
	Type       string // game, edition, bundle, subscription, season-pass, dlc
	Popularity float64
	Names      []string // all that find it and are titles of its own; 0 is the title shown for it
	Offers     []string // titles of its offers, which find it, too
}

// Title is the card's own title.
func (c Card) Title() string { return c.Names[0] }

// Doc returns the card as a document of the index.
func (c Card) Doc() search.Doc {
	var d search.Doc
	for i, text := range c.Names {
		d.Names = append(d.Names, search.Name{Text: text, Shown: uint16(i)})
	}
	for _, text := range c.Offers {
		d.Names = append(d.Names, search.Name{Text: text, Shown: search.NotOwn})
	}
	return d
}

// Query is one judged query.
type Query struct {
	Class string
	Half  Half
	Text  string
	// Wanted are numbers of cards; any of them is a good first answer.
	Wanted []int
}

// Half is one of the two parts of the list.
type Half string

// The halves. Ranking is tuned on one; of the other only the scores are looked
// at.
const (
	Tune Half = "tune"
	Held Half = "held"
)

// Set is a catalog and the judged queries. Cards are in the order in which
// equally good answers are shown; classes of queries in that of the file.
type Set struct {
	Cards   []Card
	Queries []Query
}

// Load reads titles.txt, demo.txt and queries.txt. Errors name file and line.
func Load(files fs.FS) (*Set, error) {
	s := &Set{}
	for _, name := range []string{"titles.txt", "demo.txt"} {
		if err := eachLine(files, name, s.addCard); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(s.Cards, func(a, b Card) int {
		return cmp.Or(
			cmp.Compare(slices.Index(types, a.Type), slices.Index(types, b.Type)),
			cmp.Compare(b.Popularity, a.Popularity),
			strings.Compare(a.Title(), b.Title()),
		)
	})
	r := queryReader{set: s, titled: map[string][]int{}, seen: map[string]bool{}}
	for number, c := range s.Cards {
		r.titled[c.Title()] = append(r.titled[c.Title()], number)
	}
	return s, eachLine(files, "queries.txt", r.line)
}

// types in the order in which they are shown.
var types = []string{"game", "edition", "bundle", "subscription", "season-pass", "dlc"}

// eachLine calls take with the fields of every line that is neither empty nor a
// comment.
func eachLine(files fs.FS, name string, take func(fields []string) error) error {
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("read judged queries: %w", err)
	}
	for i, line := range strings.Split(string(text), "\n") {
		if strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, "|")
		for i := range fields {
			fields[i] = strings.TrimSpace(fields[i])
		}
		if err := take(fields); err != nil {
			return fmt.Errorf("read judged queries: %s line %d: %w", name, i+1, err)
		}
	}
	return nil
}

// addCard parses "[type] popularity | title | name | language: name | offer: name".
func (s *Set) addCard(fields []string) error {
	if len(fields) < 2 || slices.Contains(fields, "") {
		return fmt.Errorf("%q: want popularity, title and names, none of them empty", fields)
	}
	c := Card{Type: "game"}
	head := strings.Fields(fields[0])
	if len(head) == 2 {
		c.Type, head = head[0], head[1:]
	}
	if !slices.Contains(types, c.Type) {
		return fmt.Errorf("type %q is not one of %q", c.Type, types)
	}
	if n, err := fmt.Sscan(strings.Join(head, " "), &c.Popularity); n != 1 || len(head) != 1 || err != nil {
		return fmt.Errorf("popularity %q is not one number", head)
	}
	for _, name := range fields[1:] {
		if text, ok := strings.CutPrefix(name, "offer: "); ok {
			c.Offers = append(c.Offers, text)
			continue
		}
		// The language is there for the reader of the list.
		if language, text, ok := strings.Cut(name, ": "); ok && slices.Contains([]string{"ru", "uk", "tr", "pl", "ja"}, language) {
			name = text
		}
		c.Names = append(c.Names, name)
	}
	s.Cards = append(s.Cards, c)
	return nil
}

// queryReader reads queries under the headings of their classes.
type queryReader struct {
	set    *Set
	class  string
	titled map[string][]int // title → cards
	seen   map[string]bool
}

// line parses "[class]" or "half | query | title | title".
func (r *queryReader) line(fields []string) error {
	if class, ok := strings.CutPrefix(fields[0], "["); ok && len(fields) == 1 {
		r.class = strings.TrimSuffix(class, "]")
		return nil
	}
	q := Query{Class: r.class, Half: Half(fields[0])}
	if q.Half != Tune && q.Half != Held || len(fields) < 3 {
		return fmt.Errorf("%q: want %s or %s, the query, titles", fields, Tune, Held)
	}
	if q.Text = fields[1]; q.Text == "" || r.seen[q.Text] {
		return fmt.Errorf("query %q is empty or a duplicate", q.Text)
	}
	r.seen[q.Text] = true
	for _, title := range fields[2:] {
		cards := r.titled[title]
		if cards == nil {
			return fmt.Errorf("query %q wants %q, which no card has as its title", q.Text, title)
		}
		q.Wanted = append(q.Wanted, cards...)
	}
	r.set.Queries = append(r.set.Queries, q)
	return nil
}
