package listings

import (
	"context"
	"slices"

	"gamedex/internal/catalog"
	"gamedex/internal/sqldb/engine"
)

// Place is a region of a platform: the first part of a listing's key.
type Place struct {
	Platform catalog.Platform
	Region   catalog.Region
}

// Args returns the arguments that select the place.
func (p Place) Args() []any { return []any{int64(p.Platform), p.Region.String()} }

// LockPlaces makes the transaction the only one that changes listings of the places,
// before it reads them.
func LockPlaces(ctx context.Context, t *engine.Tx, places []Place) error {
	names := make([]string, len(places))
	for i, p := range places {
		names[i] = "listings/" + p.Platform.String() + "/" + p.Region.String()
	}
	return t.Lock(ctx, names...)
}

// placesOf returns the places of listings.
func placesOf(ls []catalog.Listing) []Place {
	var places []Place
	for i := range ls {
		at := Place{ls[i].Platform, ls[i].Region}
		// Most lines are of the place of the one before.
		if n := len(places); (n == 0 || places[n-1] != at) && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	return places
}

// byPlace groups the products of n keys.
func byPlace(n int, key func(i int) catalog.Key) map[Place][]string {
	groups := make(map[Place][]string)
	for i := range n {
		k := key(i)
		at := Place{k.Platform, k.Region}
		groups[at] = append(groups[at], k.Product)
	}
	return groups
}
