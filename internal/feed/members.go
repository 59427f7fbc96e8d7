package feed

import (
	"fmt"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// member is one field of the format. read is not called for null and the empty string,
// which mean that the field is absent; write omits an absent field.
type member struct {
	name  string
	read  func(*decoder, value) error
	write func(*writing, listing)
}

type listing = *catalog.Listing

var listingType = parsed("type", catalog.ParseType, func(l listing) *catalog.Type { return &l.Facts.Type },
	"is not one of game, dlc, edition, bundle, season-pass, subscription, base")

// The tables have the order of doc/feed.md.
var listingMembers = []member{
	parsed("platform", catalog.ParsePlatform, func(l listing) *catalog.Platform { return &l.Platform },
		"is not one of consolestore, pcstore"),
	{"region", (*decoder).readRegion, func(o *writing, l listing) { o.text("region", l.Region.String()) }},
	text("product", func(l listing) *string { return &l.Product }),
	text("family", func(l listing) *string { return &l.Facts.Family }),
	text("familyName", func(l listing) *string { return &l.Facts.FamilyName }),
	text("slug", func(l listing) *string { return &l.Facts.Slug }),
	list("aliases", func(l listing) *[]string { return &l.Facts.Aliases }),
	list("titleIds", func(l listing) *[]string { return &l.Facts.TitleIDs }),
	text("title", func(l listing) *string { return &l.Facts.Title }),
	text("locale", func(l listing) *string { return &l.Locale }),
	{"titles", (*decoder).readTitles, (*writing).titles},
	text("invariantName", func(l listing) *string { return &l.Facts.InvariantName }),
	text("edition", func(l listing) *string { return &l.Facts.Edition }),
	{"type", listingType.read, func(o *writing, l listing) {
		if l.Facts.Type != catalog.Game {
			listingType.write(o, l)
		}
	}},
	flag("demo", func(l listing) *bool { return &l.Facts.Demo }),
	text("description", func(l listing) *string { return &l.Prose.Description }),
	text("publisher", func(l listing) *string { return &l.Prose.Publisher }),
	text("developer", func(l listing) *string { return &l.Prose.Developer }),
	text("storeUrl", func(l listing) *string { return &l.StoreURL }),
	text("releaseDate", func(l listing) *string { return &l.Prose.ReleaseDate }),
	list("genres", func(l listing) *[]string { return &l.Prose.Genres }),
	list("platforms", func(l listing) *[]string { return &l.Facts.Platforms }),
	object("rating", ratingMembers),
	object("images", imageMembers),
	list("members", func(l listing) *[]string { return &l.Facts.Members }),
	{"popularity", (*decoder).readPopularity, (*writing).popularity},
	{"price", (*decoder).readPrice, (*writing).price},
	timestamp("observedAt", func(l listing) *catalog.Millis { return &l.ObservedAt }),
	timestamp("firstSeenAt", func(l listing) *catalog.Millis { return &l.FirstSeenAt }),
	timestamp("pricedAt", func(l listing) *catalog.Millis { return &l.PricedAt }),
	flag("withdrawn", func(l listing) *bool { return &l.Withdrawn }),
}

var ratingMembers = []member{
	text("age", func(l listing) *string { return &l.Prose.RatingAge }),
	text("system", func(l listing) *string { return &l.Prose.RatingSystem }),
}

var imageMembers = []member{
	text("thumbnail", func(l listing) *string { return &l.Prose.Thumbnail }),
	text("cover", func(l listing) *string { return &l.Prose.Cover }),
	text("logo", func(l listing) *string { return &l.Prose.Logo }),
	list("screenshots", func(l listing) *[]string { return &l.Prose.Screenshots }),
}

var priceMembers = []member{
	text("currency", func(l listing) *string { return (*string)(&l.Price.Currency) }),
	hundredths("base", func(l listing) *money.Amount { return &l.Price.Base }),
	hundredths("current", func(l listing) *money.Amount { return &l.Price.Current }),
	text("baseText", func(l listing) *string { return &l.Price.BaseText }),
	text("currentText", func(l listing) *string { return &l.Price.CurrentText }),
	{"discountPercent", func(d *decoder, v value) error {
		n, err := d.readInteger(v, maxPercent)
		d.l.Price.DiscountPercent = int(n)
		return err
	}, func(o *writing, l listing) { o.amount("discountPercent", money.Amount(l.Price.DiscountPercent)) }},
	text("discountLabel", func(l listing) *string { return &l.Price.DiscountLabel }),
	timestamp("discountEndsAt", func(l listing) *catalog.Millis { return &l.Price.DiscountEndsAt }),
	flag("trial", func(l listing) *bool { return &l.Price.Trial }),
	flag("subscription", func(l listing) *bool { return &l.Price.Subscription }),
	text("source", func(l listing) *string { return &l.Price.Source }),
}

func text(name string, of func(listing) *string) member {
	return member{name, func(d *decoder, v value) error {
		b, err := d.readString(v)
		*of(d.l) = string(b)
		return err
	}, func(o *writing, l listing) { o.text(name, *of(l)) }}
}

// parsed is a text that is read with parse; if that fails, the text is refused with the
// reason.
func parsed[T fmt.Stringer](name string, parse func(string) (T, error), of func(listing) *T, reason string) member {
	return member{name, func(d *decoder, v value) error {
		b, err := d.readString(v)
		if err != nil {
			return err
		}
		if *of(d.l), err = parse(string(b)); err != nil {
			return refuse("", quoted(string(b)), reason)
		}
		return nil
	}, func(o *writing, l listing) { o.text(name, (*of(l)).String()) }}
}

func list(name string, of func(listing) *[]string) member {
	return member{name, func(d *decoder, v value) error {
		return d.readStrings(v, of(d.l))
	}, func(o *writing, l listing) { o.list(name, *of(l)) }}
}

func flag(name string, of func(listing) *bool) member {
	return member{name, func(d *decoder, v value) error {
		if v.kind != 't' && v.kind != 'f' {
			return d.wrongType(v, "a boolean")
		}
		*of(d.l) = v.kind == 't'
		return nil
	}, func(o *writing, l listing) { o.flag(name, *of(l)) }}
}

func hundredths(name string, of func(listing) *money.Amount) member {
	return member{name, func(d *decoder, v value) (err error) {
		*of(d.l), err = d.readAmount(v)
		return err
	}, func(o *writing, l listing) { o.amount(name, *of(l)) }}
}

func timestamp(name string, of func(listing) *catalog.Millis) member {
	return member{name, func(d *decoder, v value) (err error) {
		*of(d.l), err = d.readTime(v)
		return err
	}, func(o *writing, l listing) { o.timestamp(name, *of(l)) }}
}

func object(name string, table []member) member {
	return member{name,
		func(d *decoder, v value) error { return d.readMembers(v, name+".", table) },
		func(o *writing, l listing) { o.object(name, table, l) },
	}
}
