package catalogtest

import (
	"time"

	"gamedex/internal/catalog"
	"gamedex/internal/money"
)

// An Option sets a field of a listing.
type Option func(*catalog.Listing)

// Console returns a listing of a game on the console store, seen on Day(1),
// without family, name and price. It panics if the region is invalid.
func Console(region, product string, options ...Option) catalog.Listing {
	return listing(catalog.ConsoleStore, region, product, options)
}

// PC returns a listing of an offer of a slug on the PC store.
func PC(region, product, slug string, options ...Option) catalog.Listing {
	setSlug := func(l *catalog.Listing) { l.Facts.Slug = slug }
	return listing(catalog.PCStore, region, product, append([]Option{setSlug}, options...))
}

func listing(p catalog.Platform, region, product string, options []Option) catalog.Listing {
	l := catalog.Listing{
		Key:        catalog.Key{Platform: p, Region: catalog.MustRegion(region), Product: product},
		Facts:      catalog.Facts{Title: "Title of " + product, Type: catalog.Game},
		ObservedAt: Day(1),
	}
	for _, set := range options {
		set(&l)
	}
	return l
}

// Day returns midnight UTC of the n-th day of 2026.
func Day(n int) catalog.Millis {
	return catalog.MillisOf(time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC))
}

// On sets the day of observation.
func On(day int) Option { return func(l *catalog.Listing) { l.ObservedAt = Day(day) } }

// Family sets the family's id.
func Family(id string) Option { return func(l *catalog.Listing) { l.Facts.Family = id } }

// FamilyName sets the family's language-neutral name.
func FamilyName(name string) Option { return func(l *catalog.Listing) { l.Facts.FamilyName = name } }

// Name sets the product's language-neutral name.
func Name(name string) Option { return func(l *catalog.Listing) { l.Facts.InvariantName = name } }

// Title sets the title as the region shows it.
func Title(title string) Option { return func(l *catalog.Listing) { l.Facts.Title = title } }

// Locale sets the title's language.
func Locale(locale string) Option { return func(l *catalog.Listing) { l.Locale = locale } }

// Also adds a title in another language.
func Also(locale, title string) Option {
	return func(l *catalog.Listing) {
		l.Facts.Titles = append(l.Facts.Titles, catalog.LocalTitle{Locale: locale, Title: title})
	}
}

// Edition sets the edition as shown.
func Edition(name string) Option { return func(l *catalog.Listing) { l.Facts.Edition = name } }

// Type sets the listing's type.
func Type(t catalog.Type) Option { return func(l *catalog.Listing) { l.Facts.Type = t } }

// Demo makes the product a demo.
func Demo() Option { return func(l *catalog.Listing) { l.Facts.Demo = true } }

// Platforms sets the platforms: "PS4", "PS5", "Windows".
func Platforms(names ...string) Option {
	return func(l *catalog.Listing) { l.Facts.Platforms = names }
}

// TitleIDs sets the console title ids.
func TitleIDs(ids ...string) Option { return func(l *catalog.Listing) { l.Facts.TitleIDs = ids } }

// Aliases sets further slugs.
func Aliases(slugs ...string) Option { return func(l *catalog.Listing) { l.Facts.Aliases = slugs } }

// Members sets the contents of a bundle.
func Members(products ...string) Option {
	return func(l *catalog.Listing) { l.Facts.Members = products }
}

// Price sets a price without discount, in hundredths.
func Price(currency string, current money.Amount) Option {
	return func(l *catalog.Listing) {
		l.Price = &catalog.Price{
			Currency: money.Currency(currency), Base: current, Current: current, DiscountPercent: catalog.NoPercent,
		}
	}
}

// Popularity sets the popularity.
func Popularity(p float64) Option { return func(l *catalog.Listing) { l.Popularity = p } }

// StoreURL sets the link to the store.
func StoreURL(url string) Option { return func(l *catalog.Listing) { l.StoreURL = url } }

// Prose sets the fields that a card only shows.
func Prose(p catalog.Prose) Option { return func(l *catalog.Listing) { l.Prose = p } }

// Withdrawn makes the line one that takes the listing off the store.
func Withdrawn() Option { return func(l *catalog.Listing) { l.Withdrawn = true } }
