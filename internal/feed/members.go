package feed

import (
	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// member is one field of the format: its name and how its value is read. read is not
// called for null and the empty string, which mean that the field is absent.
type member struct {
	name string
	read func(*decoder, value) error
}

// listing points at the part of a listing that a member fills.
type listing = *catalog.Listing

// The tables have the order of doc/feed.md, which Writer uses too.
var listingMembers = []member{
	{"platform", parsed(catalog.ParsePlatform, func(l listing) *catalog.Platform { return &l.Platform },
		"is not one of consolestore, pcstore")},
	{"region", (*decoder).readRegion},
	{"product", text(func(l listing) *string { return &l.Product })},
	{"family", text(func(l listing) *string { return &l.Facts.Family })},
	{"familyName", shared(func(l listing) *string { return &l.Facts.FamilyName })},
	{"slug", text(func(l listing) *string { return &l.Facts.Slug })},
	{"aliases", list(func(l listing) *[]string { return &l.Facts.Aliases })},
	{"titleIds", list(func(l listing) *[]string { return &l.Facts.TitleIDs })},
	{"title", text(func(l listing) *string { return &l.Facts.Title })},
	{"locale", shared(func(l listing) *string { return &l.Locale })},
	{"titles", (*decoder).readTitles},
	{"invariantName", text(func(l listing) *string { return &l.Facts.InvariantName })},
	{"edition", shared(func(l listing) *string { return &l.Facts.Edition })},
	{"type", parsed(catalog.ParseType, func(l listing) *catalog.Type { return &l.Facts.Type },
		"is not one of game, dlc, edition, bundle, season-pass, subscription, base")},
	{"demo", flag(func(l listing) *bool { return &l.Facts.Demo })},
	{"description", text(func(l listing) *string { return &l.Prose.Description })},
	{"publisher", shared(func(l listing) *string { return &l.Prose.Publisher })},
	{"developer", shared(func(l listing) *string { return &l.Prose.Developer })},
	{"storeUrl", text(func(l listing) *string { return &l.StoreURL })},
	{"releaseDate", shared(func(l listing) *string { return &l.Prose.ReleaseDate })},
	{"genres", sharedList(func(l listing) *[]string { return &l.Prose.Genres })},
	{"platforms", sharedList(func(l listing) *[]string { return &l.Facts.Platforms })},
	{"rating", object("rating.", ratingMembers)},
	{"images", object("images.", imageMembers)},
	{"members", list(func(l listing) *[]string { return &l.Facts.Members })},
	{"popularity", (*decoder).readPopularity},
	{"price", (*decoder).readPrice},
	{"observedAt", timestamp(func(l listing) *catalog.Millis { return &l.ObservedAt })},
	{"firstSeenAt", timestamp(func(l listing) *catalog.Millis { return &l.FirstSeenAt })},
	{"pricedAt", timestamp(func(l listing) *catalog.Millis { return &l.PricedAt })},
	{"withdrawn", flag(func(l listing) *bool { return &l.Withdrawn })},
}

var ratingMembers = []member{
	{"age", shared(func(l listing) *string { return &l.Prose.RatingAge })},
	{"system", shared(func(l listing) *string { return &l.Prose.RatingSystem })},
}

var imageMembers = []member{
	{"thumbnail", text(func(l listing) *string { return &l.Prose.Thumbnail })},
	{"cover", text(func(l listing) *string { return &l.Prose.Cover })},
	{"logo", text(func(l listing) *string { return &l.Prose.Logo })},
	{"screenshots", list(func(l listing) *[]string { return &l.Prose.Screenshots })},
}

var priceMembers = []member{
	{"currency", func(d *decoder, v value) error {
		b, err := d.readString(v)
		d.l.Price.Currency = money.Currency(d.strings.intern(b))
		return err
	}},
	{"base", hundredths(func(l listing) *money.Amount { return &l.Price.Base })},
	{"current", hundredths(func(l listing) *money.Amount { return &l.Price.Current })},
	{"baseText", text(func(l listing) *string { return &l.Price.BaseText })},
	{"currentText", text(func(l listing) *string { return &l.Price.CurrentText })},
	{"discountPercent", func(d *decoder, v value) error {
		n, err := d.readInteger(v, maxPercent)
		d.l.Price.DiscountPercent = int(n)
		return err
	}},
	{"discountLabel", shared(func(l listing) *string { return &l.Price.DiscountLabel })},
	{"discountEndsAt", timestamp(func(l listing) *catalog.Millis { return &l.Price.DiscountEndsAt })},
	{"trial", flag(func(l listing) *bool { return &l.Price.Trial })},
	{"subscription", flag(func(l listing) *bool { return &l.Price.Subscription })},
	{"source", shared(func(l listing) *string { return &l.Price.Source })},
}

func text(of func(listing) *string) func(*decoder, value) error {
	return func(d *decoder, v value) error {
		b, err := d.readString(v)
		*of(d.l) = string(b)
		return err
	}
}

// shared reads a text that many lines repeat; equal strings are kept once.
func shared(of func(listing) *string) func(*decoder, value) error {
	return func(d *decoder, v value) error {
		b, err := d.readString(v)
		*of(d.l) = d.strings.intern(b)
		return err
	}
}

// parsed reads a text with parse; if that fails, the text is refused with the reason.
func parsed[T any](parse func(string) (T, error), of func(listing) *T, reason string) func(*decoder, value) error {
	return func(d *decoder, v value) error {
		b, err := d.readString(v)
		if err != nil {
			return err
		}
		if *of(d.l), err = parse(string(b)); err != nil {
			return refuse("", quoted(string(b)), reason)
		}
		return nil
	}
}

func list(of func(listing) *[]string) func(*decoder, value) error {
	return func(d *decoder, v value) error {
		return d.readStrings(v, of(d.l), func(b []byte) string { return string(b) })
	}
}

func sharedList(of func(listing) *[]string) func(*decoder, value) error {
	return func(d *decoder, v value) error { return d.readStrings(v, of(d.l), d.strings.intern) }
}

func flag(of func(listing) *bool) func(*decoder, value) error {
	return func(d *decoder, v value) error {
		if v.kind != 't' && v.kind != 'f' {
			return d.wrongType(v, "a boolean")
		}
		*of(d.l) = v.kind == 't'
		return nil
	}
}

func hundredths(of func(listing) *money.Amount) func(*decoder, value) error {
	return func(d *decoder, v value) (err error) {
		*of(d.l), err = d.readAmount(v)
		return err
	}
}

func timestamp(of func(listing) *catalog.Millis) func(*decoder, value) error {
	return func(d *decoder, v value) (err error) {
		*of(d.l), err = d.readTime(v)
		return err
	}
}

func object(path string, table []member) func(*decoder, value) error {
	return func(d *decoder, v value) error { return d.readMembers(v, path, table) }
}
