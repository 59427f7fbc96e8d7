package table

import (
	"fmt"
	"html"
	"slices"
	"strings"
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/fold"
	"gamedex/internal/search/translit"
)

const maxSlug = 128 // bytes

// Slug returns the slug that a title becomes: its words in lower case without accents,
// joined by "-". Cyrillic letters become Latin ones; those of other scripts stay. It is ""
// for a title without letters and digits.
func Slug(title string) string {
	words := fold.Words(translit.InLatin(html.UnescapeString(title)))
	slug := strings.Join(words, "-")
	for len(slug) > maxSlug && len(words) > 1 {
		words = words[:len(words)-1]
		slug = strings.Join(words, "-")
	}
	return strings.ToValidUTF8(slug[:min(len(slug), maxSlug)], "")
}

// defaults are the values of fields for which a table has no column.
type defaults struct {
	members               []byte           // those that all rows share, as JSON
	platform              catalog.Platform // if there is no column of it
	region                string
	platformAt, titleAt   int  // their columns, or -1
	product, slug, family bool // come from the title
}

// newDefaults also returns what to say of the table.
func (r *Reader) newDefaults() (d defaults, notes []string) {
	d.platformAt, d.titleAt = r.position("platform"), r.position("title")
	add := func(field, value string) {
		if value != "" && r.position(field) < 0 {
			d.members = appendMember(d.members, field, value)
		}
	}
	add("platform", r.options.Platform)
	add("region", r.options.Region)
	d.platform, _ = catalog.ParsePlatform(r.options.Platform)
	if region, err := catalog.ParseRegion(r.options.Region); err == nil {
		d.region = region.String()
	}
	if at := r.options.ObservedAt; !at.IsZero() && r.position("observedAt") < 0 {
		text := at.UTC().Truncate(time.Millisecond).Format(time.RFC3339Nano)
		add("observedAt", text)
		notes = append(notes, "no column observedAt: it is "+text+", "+r.options.ObservedFrom)
	}
	d.product, d.slug = r.position("product") < 0, r.position("slug") < 0
	d.family = d.product && r.position("family") < 0
	if d.product {
		notes = append(notes, "no column product: the ids come from the titles")
	}
	hasPrice := func(c column) bool {
		return c.object == price && (strings.HasPrefix(c.name, "base") || strings.HasPrefix(c.name, "current"))
	}
	if !slices.ContainsFunc(r.columns, hasPrice) && r.position("withdrawn") < 0 {
		notes = append(notes, "no column price: the games are announced without one; to name it, give --columns HEADER=price")
	}
	return d, notes
}

// append appends the members of a row that has no columns for them.
func (d defaults) append(b []byte, r *Reader, cells []string) ([]byte, *RowError) {
	b = append(b, d.members...)
	if d.titleAt < 0 || !d.product && !d.slug {
		return b, nil
	}
	platform := d.platform
	if d.platformAt >= 0 {
		platform, _ = catalog.ParsePlatform(cells[d.platformAt])
	}
	onPC := platform == catalog.PCStore
	if !d.product && !onPC {
		return b, nil
	}
	title := cells[d.titleAt]
	slug := Slug(unguard(title))
	switch {
	case slug == "" && d.product && title == "":
		return b, &RowError{Column: r.Column("title"), Reason: "is required, because the table has no column product"}
	case slug == "" && title == "":
		return b, nil
	case slug == "":
		return b, &RowError{Column: r.Column("title"), Value: title, Reason: "has no letter or digit for a slug: add the columns product and slug"}
	}
	if d.product {
		b = appendMember(b, "product", slug)
	}
	if d.slug && onPC {
		b = appendMember(b, "slug", slug)
	}
	if d.family && !onPC {
		b = appendMember(b, "family", slug)
	}
	return b, nil
}

func appendMember(b []byte, name, value string) []byte {
	return append(appendText(append(appendText(b, name), ':'), value), ',')
}

// synonyms are usual names of columns, without spaces and signs, with their fields.
var synonyms = map[string]string{
	"game": "title", "name": "title", "gamename": "title", "gametitle": "title", "productname": "title",
	"country": "region", "countrycode": "region", "market": "region", "territory": "region",
	"store": "platform", "shop": "platform", "storefront": "platform",
	"price": price, "now": price, "pricenow": price, "currentprice": price, "saleprice": price, "offerprice": price, "discountedprice": price,
	"discountprice": price, "specialprice": price, "promoprice": price,
	"was": fullPrice, "pricewas": fullPrice, "oldprice": fullPrice, "regularprice": fullPrice, "fullprice": fullPrice, "listprice": fullPrice,
	"baseprice": fullPrice, "originalprice": fullPrice, "usualprice": fullPrice, "msrp": fullPrice, "rrp": fullPrice,
	"ends": until, "enddate": until, "saleends": until, "validuntil": until, "offerends": until, "discountends": until,
	"checked": "observedAt", "observed": "observedAt", "updated": "observedAt", "lastupdated": "observedAt", "lastseen": "observedAt", "observedat": "observedAt",
}

// saleNames are the synonyms of price whose cells are empty without a discount.
var saleNames = []string{"saleprice", "offerprice", "discountedprice", "discountprice", "specialprice", "promoprice"}

// useSynonyms finds the fields of columns that have only usual names, and says which. A field
// that is given or already has a column does not get another, and a table with base or current gets no
// price or fullPrice.
func useSynonyms(columns []column, o Options) (notes []string) {
	given := func(field string) bool {
		return field == "platform" && o.Platform != "" || field == "region" && o.Region != ""
	}
	hundredths := slices.ContainsFunc(columns, func(c column) bool { return c.kind == amount })
	for i, c := range columns {
		name := strings.ReplaceAll(fold.Fold(strings.Replace(c.header, c.sign, "", 1)), " ", "")
		field := synonyms[name]
		meant, _ := parseColumn(field)
		if c.known || field == "" || given(field) || hundredths && meant.object == price || slices.ContainsFunc(columns, func(o column) bool { return o.path() == meant.path() }) {
			continue
		}
		meant.header, meant.at, meant.known, meant.sign = c.header, c.at, true, c.sign
		note := fmt.Sprintf("column %q is read as %s", c.header, field)
		if meant.kind == written && c.sign != "" {
			note += " in " + c.sign
		}
		if meant.sale = slices.Contains(saleNames, name); meant.sale {
			note += "; if empty, fullPrice is the price"
		}
		columns[i] = meant
		notes = append(notes, note)
	}
	return notes
}
