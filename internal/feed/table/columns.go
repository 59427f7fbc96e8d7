package table

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"gamedex/internal/money"
)

// kind is how the cells of a column are read.
type kind int

const (
	text      kind = iota
	id             // a text that a spreadsheet may have taken for a number
	list           // of texts
	amount         // hundredths
	written        // an amount as people write it
	count          // a whole number
	number         // any number
	flag           // true or false
	timestamp      // a date with a time
	end            // the same; a date without time is its end
	country        // a region
	date
)

// kinds are the fields of the format that a column can have, besides titles.LOCALE.
var kinds = map[string]kind{
	"platform": text, "region": country, "product": id, "family": id, "familyName": text, "slug": text, "aliases": list,
	"titleIds": list, "title": text, "locale": text, "invariantName": text, "edition": text, "type": text, "demo": flag,
	"description": text, "publisher": text, "developer": text, "storeUrl": text, "releaseDate": date, "genres": list,
	"platforms": list, "rating.age": text, "rating.system": text, "images.thumbnail": text, "images.cover": text,
	"images.logo": text, "images.screenshots": list, "members": list, "popularity": number, "price.currency": text,
	"price.base": amount, "price.current": amount, "price.baseText": text, "price.currentText": text,
	"price.discountPercent": count, "price.discountLabel": text, "price.discountEndsAt": timestamp, "price.trial": flag,
	"price.subscription": flag, "price.source": text, "observedAt": timestamp, "firstSeenAt": timestamp, "pricedAt": timestamp,
	"withdrawn": flag,
}

// personal are the columns whose cells are as people write them, by their names.
var personal = map[string]column{
	price:     {object: "price", name: "current", kind: written},
	fullPrice: {object: "price", name: "base", kind: written},
	until:     {object: "price", name: "discountEndsAt", kind: end},
}

// divided are the fields whose members have their own columns.
var divided = map[string]string{
	"rating": "rating.age and rating.system",
	"images": "images.cover, images.thumbnail, images.logo and images.screenshots",
	"titles": "titles.LOCALE, such as titles.ru",
}

// column is one column of a table.
type column struct {
	header string // its name in the table
	at     int    // in a row
	object string // the field that contains it: "price"; empty: the listing itself
	name   string // in that field
	kind   kind
	known  bool   // it is a field of the format
	sale   bool   // a price whose cells are empty without a discount
	sign   string // of an amount's currency, in the header
}

// path is the column's field: "price.base".
func (c column) path() string {
	if c.object == "" {
		return c.name
	}
	return c.object + "." + c.name
}

// isAbsent reports whether a listing with this cell is one without the field: the cell
// is empty, or a flag that is false.
func (c column) isAbsent(cell string) bool {
	if c.kind == flag {
		value, _ := appendFlag(nil, cell)
		return cell == "" || string(value) == "false"
	}
	return cell == ""
}

// parseHeader returns the columns in an order in which those of one object are
// neighbours, and what to say of them. Columns without a name are left out.
func parseHeader(names []string, o Options) (columns []column, notes []string, err error) {
	var wrong []string
	if err := checkRenamed(names, o.Columns); err != nil {
		return nil, nil, err
	}
	for at, name := range names {
		name = strings.TrimSpace(name)
		if name == "" {
			continue
		}
		if !utf8.ValidString(name) {
			return nil, nil, errors.New("the first row " + notUTF8)
		}
		field := name
		for header, renamed := range o.Columns {
			if strings.EqualFold(header, name) {
				field = renamed
			}
		}
		if instead, ok := divided[strings.ToLower(field)]; ok {
			wrong = append(wrong, fmt.Sprintf("column %d: %q has several values: use the columns %s", at+1, name, instead))
			continue
		}
		c, known := parseColumn(field)
		c.header, c.at, c.known = name, at, known
		c.sign = money.SignsIn(name)
		if i := slices.IndexFunc(columns, func(o column) bool { return o.path() == c.path() }); i >= 0 {
			switch first := columns[i].header; {
			case known && columns[i].kind != c.kind:
				return nil, nil, fmt.Errorf("column %d: %q is the same field as %q: leave one of them out", at+1, name, first)
			case known:
				return nil, nil, fmt.Errorf("column %d: %q is given twice", at+1, name)
			}
			continue // it is ignored like the first one
		}
		columns = append(columns, c)
	}
	notes = useSynonyms(columns, o)
	slices.SortStableFunc(columns, func(a, b column) int { return strings.Compare(a.object, b.object) })
	switch lacks := checkRequired(columns, o); {
	case lacks != "" && len(columns) == 1 && len(wrong) == 0 && len(names) > 1:
		wrong = append(wrong, fmt.Sprintf("the first row must name the columns; it has only %q: delete the rows above the names", columns[0].header))
	case lacks != "":
		wrong = append(wrong, lacks)
	}
	if len(wrong) > 0 {
		return nil, nil, errors.New(strings.Join(wrong, "; "))
	}
	return columns, notes, nil
}

// checkRenamed checks the names of columns, and those of the fields that they are.
func checkRenamed(names []string, renamed map[string]string) error {
	for _, header := range slices.Sorted(maps.Keys(renamed)) {
		if !slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(strings.TrimSpace(name), header) }) {
			return fmt.Errorf("--columns %s=%s: the first row has no column %q; it has %s", header, renamed[header], header, strings.Join(names[:min(len(names), 30)], ", "))
		}
		if _, known := parseColumn(renamed[header]); !known {
			return fmt.Errorf("--columns %s=%s: %q is no field of the feed", header, renamed[header], renamed[header])
		}
	}
	return nil
}

// parseColumn reads a name in any case; the name of an unknown column stays as it is.
func parseColumn(name string) (c column, known bool) {
	if locale, ok := cutPrefixFold(name, "titles."); ok {
		return column{object: "titles", name: locale, kind: text}, true
	}
	for field, c := range personal {
		if strings.EqualFold(name, field) {
			return c, true
		}
	}
	for path, k := range kinds {
		object, last, inside := strings.Cut(path, ".")
		if !inside {
			object, last = "", path
		}
		if strings.EqualFold(name, path) || object == "price" && strings.EqualFold(name, last) {
			return column{object: object, name: last, kind: k}, true
		}
	}
	return column{name: name, kind: text}, false // the reader of the feed counts it
}

func cutPrefixFold(s, prefix string) (string, bool) {
	if len(s) <= len(prefix) || !strings.EqualFold(s[:len(prefix)], prefix) {
		return s, false
	}
	return s[len(prefix):], true
}

// checkRequired returns which columns a table lacks, if every row would be refused
// without them.
func checkRequired(columns []column, o Options) string {
	has := func(name string) bool {
		return slices.ContainsFunc(columns, func(c column) bool { return c.path() == name })
	}
	var missing, flags []string
	lacks := func(name, flag string) {
		missing, flags = append(missing, name), append(flags, flag)
	}
	if !has("platform") && o.Platform == "" {
		lacks("platform", "--platform")
	}
	if !has("region") && o.Region == "" {
		lacks("region", "--region")
	}
	if !has("title") && !(has("product") && has("withdrawn")) { // a withdrawn listing needs no title
		lacks("title", "--columns HEADER=title")
	}
	if !has("observedAt") && o.ObservedAt.IsZero() {
		lacks("observedAt", "--columns HEADER=observedAt")
	}
	if len(missing) == 0 {
		return ""
	}
	return "the first row must name the columns; it lacks " + strings.Join(missing, ", ") + ": add them, or give " + strings.Join(flags, " and ")
}
