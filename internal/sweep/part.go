package sweep

import (
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// Part is what one operation of a store shows of a listing. ObservedAt is when.
type Part struct {
	catalog.Listing
	Shows Shows // fields that the operation tells, empty ones included
	// Guesses are fields that it tells less well than another operation: they
	// count until that one has spoken.
	Guesses Shows
}

// Shows is a set of fields of a listing.
type Shows uint32

// The fields that operations tell apart.
const (
	ShowsPrice  Shows = 1 << iota // nil: not for sale
	ShowsTitle                    // with the locale
	ShowsTitles                   // each locale for itself: others stay
	ShowsFamily
	ShowsFamilyName
	ShowsInvariantName
	ShowsTitleIDs
	ShowsType
	ShowsDemo
	ShowsEdition
	ShowsPlatforms
	ShowsSlug // with the aliases
	ShowsMembers
	ShowsDescription
	ShowsPublisher
	ShowsDeveloper
	ShowsReleaseDate
	ShowsGenres
	ShowsRating
	ShowsImages
	ShowsStoreURL
	ShowsPopularity
)

// Overlay lays a part over the stored listing: what the part does not tell
// stays. stored is nil if there is none; its ObservedAt is when it was last
// seen. The answer is not ok if there is nothing to save: too little is known
// of the product to list it, or the part tells no price of a listing that is
// not there. The answer shares memory with both.
//
// Only a part that tells a price moves the time last seen. A price in words
// alone that repeats the stored texts confirms the stored numbers.
func Overlay(stored *catalog.Listing, part *Part) (l catalog.Listing, ok bool) {
	priced := part.Shows&ShowsPrice != 0
	if !priced && (stored == nil || stored.Withdrawn) {
		return catalog.Listing{}, false
	}
	take := part.Shows | part.Guesses
	l = catalog.Listing{Key: part.Key, Facts: catalog.Facts{Type: catalog.Game}, ObservedAt: part.ObservedAt}
	if stored != nil && stored.Facts.Title != "" {
		take = part.Shows
		l = *stored
		l.Withdrawn, l.FirstSeenAt, l.PricedAt = false, 0, 0
		if priced {
			l.ObservedAt = part.ObservedAt
		}
	}
	overlayFacts(&l.Facts, &part.Facts, take)
	overlayProse(&l.Prose, &part.Prose, take)
	if take&ShowsTitle != 0 {
		l.Locale = part.Locale
	}
	if take&ShowsStoreURL != 0 {
		l.StoreURL = part.StoreURL
	}
	if take&ShowsPopularity != 0 {
		l.Popularity = part.Popularity
	}
	if priced && !confirms(part.Price, l.Price) {
		l.Price = part.Price
	} else if priced && part.Price.DiscountEndsAt != 0 {
		// Words in a list have no end of a discount, the same words beside an
		// action have.
		confirmed := *l.Price
		confirmed.DiscountEndsAt = part.Price.DiscountEndsAt
		l.Price = &confirmed
	}
	return l, l.Facts.Title != "" && (l.Platform != catalog.PCStore || l.Facts.Slug != "")
}

func overlayFacts(to, from *catalog.Facts, take Shows) {
	set(&to.Family, from.Family, take&ShowsFamily)
	set(&to.FamilyName, from.FamilyName, take&ShowsFamilyName)
	set(&to.Slug, from.Slug, take&ShowsSlug)
	set(&to.Aliases, from.Aliases, take&ShowsSlug)
	set(&to.TitleIDs, from.TitleIDs, take&ShowsTitleIDs)
	set(&to.Title, from.Title, take&ShowsTitle)
	set(&to.InvariantName, from.InvariantName, take&ShowsInvariantName)
	set(&to.Edition, from.Edition, take&ShowsEdition)
	set(&to.Type, from.Type, take&ShowsType)
	set(&to.Demo, from.Demo, take&ShowsDemo)
	set(&to.Platforms, from.Platforms, take&ShowsPlatforms)
	set(&to.Members, from.Members, take&ShowsMembers)
	if take&ShowsTitles == 0 {
		return
	}
	// Other locales keep their titles. An empty title takes the old one away.
	titles := slices.Clone(from.Titles)
	for _, t := range to.Titles {
		if !slices.ContainsFunc(from.Titles, func(f catalog.LocalTitle) bool { return f.Locale == t.Locale }) {
			titles = append(titles, t)
		}
	}
	titles = slices.DeleteFunc(titles, func(t catalog.LocalTitle) bool { return t.Title == "" })
	slices.SortFunc(titles, func(a, b catalog.LocalTitle) int { return strings.Compare(a.Locale, b.Locale) })
	to.Titles = titles
}

func overlayProse(to, from *catalog.Prose, take Shows) {
	set(&to.Description, from.Description, take&ShowsDescription)
	set(&to.Publisher, from.Publisher, take&ShowsPublisher)
	set(&to.Developer, from.Developer, take&ShowsDeveloper)
	set(&to.ReleaseDate, from.ReleaseDate, take&ShowsReleaseDate)
	set(&to.Genres, from.Genres, take&ShowsGenres)
	set(&to.RatingAge, from.RatingAge, take&ShowsRating)
	set(&to.RatingSystem, from.RatingSystem, take&ShowsRating)
	set(&to.Thumbnail, from.Thumbnail, take&ShowsImages)
	set(&to.Cover, from.Cover, take&ShowsImages)
	set(&to.Logo, from.Logo, take&ShowsImages)
	set(&to.Screenshots, from.Screenshots, take&ShowsImages)
}

func set[T any](to *T, from T, take Shows) {
	if take != 0 {
		*to = from
	}
}

// confirms reports whether a price without numbers repeats the texts of a stored
// one that has them, so that those are as fresh as it is.
func confirms(shown, stored *catalog.Price) bool {
	if shown == nil || stored == nil || shown.Base.Known() || shown.Current.Known() {
		return false
	}
	return shown.BaseText == stored.BaseText && shown.CurrentText == stored.CurrentText &&
		shown.Trial == stored.Trial && shown.Subscription == stored.Subscription
}
