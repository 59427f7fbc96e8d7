package catalogtest

import (
	"gamedex/internal/catalog"
)

// Listings keeps listings as a database does. The zero value is empty.
type Listings struct {
	rows  map[catalog.Key]*row
	order []catalog.Key
}

type row struct {
	stored catalog.Stored
	line   catalog.Listing // that brought the present content
}

// Apply saves lines in order.
func (s *Listings) Apply(lines ...catalog.Listing) {
	if s.rows == nil {
		s.rows = map[catalog.Key]*row{}
	}
	for i := range lines {
		s.apply(&lines[i])
	}
}

func (s *Listings) apply(line *catalog.Listing) {
	old, known := s.rows[line.Key]
	if !known {
		s.order = append(s.order, line.Key)
		s.rows[line.Key] = &row{stored: catalog.Supersede(nil, line).Stored, line: *line}
		return
	}
	out := catalog.Supersede(&old.stored, line)
	old.stored = out.Stored
	if out.Effect == catalog.Changed && !line.Withdrawn {
		old.line = *line
	}
}

// Table is the input of a builder.
type Table struct {
	Entries []catalog.Entry
	Prose   []catalog.Prose       // by ProseID; 0 is empty
	Fields  []catalog.ProseFields // by ProseID
}

// Table returns what is stored, in the order of the first lines.
func (s *Listings) Table() Table {
	t := Table{Prose: make([]catalog.Prose, 1), Fields: make([]catalog.ProseFields, 1)}
	for _, key := range s.order {
		t.add(key, s.rows[key])
	}
	return t
}

func (t *Table) add(key catalog.Key, r *row) {
	l := r.line
	e := catalog.Entry{
		Platform: key.Platform, Region: key.Region, Product: key.Product,
		Facts: &l.Facts, Price: l.Price, Popularity: l.Popularity,
		Locale:    l.Locale,
		URL:       catalog.PatternOf(l.StoreURL, key.Product, l.Facts.Slug),
		FirstSeen: r.stored.FirstSeen, ObservedAt: r.stored.ObservedAt, PricedAt: r.stored.PricedAt,
		Withdrawn: r.stored.Withdrawn,
	}
	if fields := l.Prose.Fields(); fields != 0 {
		e.Prose = catalog.ProseID(len(t.Prose))
		t.Prose, t.Fields = append(t.Prose, l.Prose), append(t.Fields, fields)
	}
	t.Entries = append(t.Entries, e)
}

// Entries converts lines to entries; Supersede decides between two lines of one
// key.
func Entries(lines ...catalog.Listing) []catalog.Entry {
	var s Listings
	s.Apply(lines...)
	return s.Table().Entries
}

// Regions converts codes to regions; it panics if one is invalid.
func Regions(codes ...string) []catalog.Region {
	regions := make([]catalog.Region, len(codes))
	for i, code := range codes {
		regions[i] = catalog.MustRegion(code)
	}
	return regions
}
