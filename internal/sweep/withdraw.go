package sweep

import "gamedex/internal/catalog"

// A sweep may withdraw one in withdrawShare of what it should have seen. Up to
// withdrawAlways may go in any case: otherwise nothing could leave a small
// scope.
const (
	withdrawShare  = 10
	withdrawAlways = 4
)

// Missing counts what a sweep that read everything it could did not see.
type Missing struct {
	Listings, KnownListings int
	Items, KnownItems       int
}

// HeldBack returns how many listings or items are too many to give up at once;
// 0 if the sweep may withdraw what it did not see. Force allows any number.
func (m Missing) HeldBack(force bool) int {
	if force || mayWithdraw(m.Listings, m.KnownListings) && mayWithdraw(m.Items, m.KnownItems) {
		return 0
	}
	return max(m.Listings, m.Items)
}

func mayWithdraw(missing, known int) bool {
	return missing <= withdrawAlways || missing*withdrawShare <= known
}

// Owner is the kind of sweep that saw a listing last, and when it did. The zero
// Owner is an import. A sweep withdraws only what its own kind owns.
type Owner struct {
	Kind Kind
	At   catalog.Millis
}

// FindsListings reports whether sweeps of kind k list what a store sells, so
// that they own each listing whose price they show. Titles and Details are
// about listings that other kinds find.
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
// told reports whether the line told anything new, such as that the listing was
// seen again.
func OwnerAfterImport(before Owner, effect catalog.Effect, told bool) Owner {
	if effect == catalog.Older || !told {
		return before
	}
	return Owner{}
}
