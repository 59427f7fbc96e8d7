package sweep

import "gamedex/internal/catalog"

// A sweep may withdraw one in withdrawShare of the listings that it should have
// seen. It may always withdraw withdrawAlways of them: otherwise a small scope
// could never lose one.
const (
	withdrawShare  = 10
	withdrawAlways = 4
)

// Missing counts what a complete sweep did not see.
type Missing struct {
	Listings, KnownListings int
	Items, KnownItems       int
}

// HeldBack returns the number of missing listings or items if they are too many
// to withdraw at once, and 0 if the sweep may withdraw them. force allows any
// number.
func (m Missing) HeldBack(force bool) int {
	if force || mayWithdraw(m.Listings, m.KnownListings) && mayWithdraw(m.Items, m.KnownItems) {
		return 0
	}
	return max(m.Listings, m.Items)
}

func mayWithdraw(missing, known int) bool {
	return missing <= withdrawAlways || missing*withdrawShare <= known
}

// Owner is the kind of sweep that last saw a listing, and the time. The zero
// Owner is an import. A sweep withdraws only listings that its own kind owns.
type Owner struct {
	Kind Kind
	At   catalog.Millis
}

// FindsListings reports whether sweeps of kind k find what a store sells. They
// own each listing whose price they show. Titles and Details add to listings
// that other kinds find.
func (k Kind) FindsListings() bool { return k == Prices || k == Editions || k == AddOns }

// NextOwner returns the owner of a listing after a sweep of by.Kind showed its
// price at by.At. listed is false if the listing is new or was withdrawn; before
// is the zero Owner if it is new. Details own only listings that no other kind
// shows.
func NextOwner(before Owner, listed bool, by Owner) Owner {
	if by.Kind.FindsListings() || by.Kind == Details && (!listed || before.Kind == Details) {
		return by
	}
	return before
}

// OwnerAfterImport returns the owner of a listing after a line of an import.
// news reports whether the line brought anything new, such as that the listing
// was seen again.
func OwnerAfterImport(before Owner, effect catalog.Effect, news bool) Owner {
	if effect == catalog.Older || !news {
		return before
	}
	return Owner{}
}
