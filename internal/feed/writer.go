package feed

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// Writer writes listings as lines of the feed format.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer that calls w.Write once for each line: use a bufio.Writer if
// that is slow.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w} }

// Write appends one line. The fields have the order of the format; absent fields and
// defaults are omitted. A Reader reads a listing that Check has accepted as the same
// value.
func (w *Writer) Write(l *catalog.Listing) error {
	w.buf = append(appendListing(w.buf[:0], l), '\n')
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("write listing %s %s %s: %w", l.Platform, l.Region, l.Product, err)
	}
	return nil
}

func appendListing(dst []byte, l *catalog.Listing) []byte {
	o := opened(dst)
	o.text("platform", l.Platform.String())
	o.text("region", l.Region.String())
	o.text("product", l.Product)
	f, p := &l.Facts, &l.Prose
	o.text("family", f.Family)
	o.text("familyName", f.FamilyName)
	o.text("slug", f.Slug)
	o.list("aliases", f.Aliases)
	o.list("titleIds", f.TitleIDs)
	o.text("title", f.Title)
	o.text("locale", l.Locale)
	if len(f.Titles) > 0 {
		titles := o.nested("titles")
		for _, t := range f.Titles {
			titles.text(t.Locale, t.Title)
		}
		o.dst = titles.closed()
	}
	o.text("invariantName", f.InvariantName)
	o.text("edition", f.Edition)
	if f.Type != catalog.Game {
		o.text("type", f.Type.String())
	}
	o.flag("demo", f.Demo)
	o.text("description", p.Description)
	o.text("publisher", p.Publisher)
	o.text("developer", p.Developer)
	o.text("storeUrl", l.StoreURL)
	o.text("releaseDate", p.ReleaseDate)
	o.list("genres", p.Genres)
	o.list("platforms", f.Platforms)
	o.rating(p)
	o.images(p)
	o.list("members", f.Members)
	if l.Popularity > 0 {
		o.name("popularity")
		o.dst = strconv.AppendFloat(o.dst, l.Popularity, 'g', -1, 64)
	}
	if l.Price != nil {
		o.price(l.Price)
	}
	o.timestamp("observedAt", l.ObservedAt)
	o.timestamp("firstSeenAt", l.FirstSeenAt)
	o.timestamp("pricedAt", l.PricedAt)
	o.flag("withdrawn", l.Withdrawn)
	return o.closed()
}

func (o *writing) rating(p *catalog.Prose) {
	if p.RatingAge == "" && p.RatingSystem == "" {
		return
	}
	rating := o.nested("rating")
	rating.text("age", p.RatingAge)
	rating.text("system", p.RatingSystem)
	o.dst = rating.closed()
}

func (o *writing) images(p *catalog.Prose) {
	if p.Thumbnail == "" && p.Cover == "" && p.Logo == "" && len(p.Screenshots) == 0 {
		return
	}
	images := o.nested("images")
	images.text("thumbnail", p.Thumbnail)
	images.text("cover", p.Cover)
	images.text("logo", p.Logo)
	images.list("screenshots", p.Screenshots)
	o.dst = images.closed()
}

func (o *writing) price(p *catalog.Price) {
	price := o.nested("price")
	price.text("currency", string(p.Currency))
	price.amount("base", p.Base)
	price.amount("current", p.Current)
	price.text("baseText", p.BaseText)
	price.text("currentText", p.CurrentText)
	price.amount("discountPercent", money.Amount(p.DiscountPercent))
	price.text("discountLabel", p.DiscountLabel)
	price.timestamp("discountEndsAt", p.DiscountEndsAt)
	price.flag("trial", p.Trial)
	price.flag("subscription", p.Subscription)
	price.text("source", p.Source)
	o.dst = price.closed()
}

type writing struct {
	dst   []byte
	empty bool
}

func opened(dst []byte) *writing { return &writing{dst: append(dst, '{'), empty: true} }

func (o *writing) closed() []byte { return append(o.dst, '}') }

// nested opens an object inside o, which continues after the object is closed.
func (o *writing) nested(name string) *writing {
	o.name(name)
	return opened(o.dst)
}

func (o *writing) name(name string) {
	if !o.empty {
		o.dst = append(o.dst, ',')
	}
	o.empty = false
	o.dst = append(appendString(o.dst, name), ':')
}

func (o *writing) text(name, value string) {
	if value != "" {
		o.name(name)
		o.dst = appendString(o.dst, value)
	}
}

func (o *writing) list(name string, values []string) {
	if len(values) == 0 {
		return
	}
	o.name(name)
	for i, v := range values {
		o.dst = append(o.dst, "[,"[min(i, 1)])
		o.dst = appendString(o.dst, v)
	}
	o.dst = append(o.dst, ']')
}

func (o *writing) flag(name string, value bool) {
	if value {
		o.name(name)
		o.dst = append(o.dst, "true"...)
	}
}

// amount appends a number, but omits money.None and catalog.NoPercent.
func (o *writing) amount(name string, value money.Amount) {
	if value.Known() {
		o.name(name)
		o.dst = strconv.AppendInt(o.dst, int64(value), 10)
	}
}

func (o *writing) timestamp(name string, at catalog.Millis) {
	if at != 0 {
		o.name(name)
		o.dst = append(o.dst, '"')
		o.dst = at.Time().AppendFormat(o.dst, time.RFC3339Nano)
		o.dst = append(o.dst, '"')
	}
}

// appendString appends a JSON string that escapes only what it must, so that no line
// exceeds the maximum length of the format.
func appendString(dst []byte, s string) []byte {
	dst, _ = jsontext.AppendQuote(dst, s) // Check has refused invalid UTF-8
	return dst
}
