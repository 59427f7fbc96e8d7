package sweep

import (
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"gamedex/internal/catalog"
)

// Part holds the fields of a listing that one operation of a store shows.
// ObservedAt is when the operation showed them.
type Part struct {
	catalog.Listing
	Shows Shows // fields that the operation shows, empty ones included
	// Guesses are fields that another operation shows more reliably: they are
	// used only for a listing that is not stored yet. A guessed price is the base
	// price, where the operation does not show what everybody pays: see Prices.
	Guesses Shows
}

// Prices reports whether the part sets the price of the stored listing, which is nil
// if there is none: it shows one, or it guesses one and the stored price is not
// everybody's reduced price, which another operation has shown.
func (p *Part) Prices(stored *catalog.Listing) bool {
	if p.Shows&ShowsPrice != 0 || p.Guesses&ShowsPrice == 0 {
		return p.Shows&ShowsPrice != 0
	}
	return stored == nil || stored.Withdrawn || !isReducedFrom(p.Price, stored.Price, p.ObservedAt)
}

// Mark returns a digest of all that the part shows and guesses, a number of 62 bits. It
// does not depend on when the part was observed.
func (p *Part) Mark() int64 {
	content := p.ContentHash()
	b := binary.LittleEndian.AppendUint32(content[:], uint32(p.Shows))
	sum := sha256.Sum256(binary.LittleEndian.AppendUint32(b, uint32(p.Guesses)))
	return int64(binary.LittleEndian.Uint64(sum[:]) >> 2)
}

// isReducedFrom reports whether the stored price is everybody's and reduced from the
// base of the guess.
func isReducedFrom(guess, stored *catalog.Price, at catalog.Millis) bool {
	switch {
	case guess == nil || stored == nil || stored.Trial || stored.Subscription || stored.Source == catalog.SourceDoubtful:
		return false
	case stored.DiscountEndsAt != 0 && stored.DiscountEndsAt <= at:
		return false
	case guess.Base.Known() && stored.Base.Known() && stored.Current.Known():
		return stored.Base == guess.Base && stored.Current < stored.Base
	}
	return stored.BaseText != "" && stored.BaseText == guess.BaseText && stored.CurrentText != stored.BaseText
}

// Shows is a set of fields of a listing.
type Shows uint32

// AddText sets a text of a part and adds its field to the set, unless it has a text already
// or the new one is empty.
func (s *Shows) AddText(field Shows, to *string, text string) {
	if *to == "" && text != "" {
		*to = text
		*s |= field
	}
}

// The fields that an operation may show.
const (
	ShowsPrice  Shows = 1 << iota // nil: not for sale
	ShowsTitle                    // with the locale
	ShowsTitles                   // replaced locale by locale
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

// Overlay returns the stored listing with the fields that the part shows; the
// other fields stay. stored is nil if there is none; its ObservedAt is when it
// was last seen. ok is false if there is nothing to save: too little is known about
// the product to list it, or the part has no price and the listing is new or
// withdrawn. The result shares memory with both arguments.
//
// Only a part with a price changes the time last seen. A price without numbers
// that repeats the stored texts confirms the stored numbers.
func Overlay(stored *catalog.Listing, part *Part) (l catalog.Listing, ok bool) {
	priced := part.Prices(stored)
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
		// A price text in a list has no end of the discount; the same text
		// beside an action has one.
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
	// Other locales keep their titles. An empty title deletes the stored one.
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
// price with numbers. The stored numbers are then as fresh as the texts.
func confirms(shown, stored *catalog.Price) bool {
	if shown == nil || stored == nil || shown.Base.Known() || shown.Current.Known() {
		return false
	}
	return shown.BaseText == stored.BaseText && shown.CurrentText == stored.CurrentText &&
		shown.Trial == stored.Trial && shown.Subscription == stored.Subscription
}
