package sqldb

import (
	"gamedex/internal/catalog"
	"gamedex/internal/sweep"
)

// sweptMark says which sweep saw a listing last, and when; zero: an import did.
// A sweep withdraws what is its own alone.
type sweptMark struct {
	by sweep.Kind
	at catalog.Millis
}

// finds says whether sweeps of a kind find listings, so that one they show is
// theirs from then on. Titles and details are about listings that others find;
// only what nobody else shows belongs to details.
func finds(k sweep.Kind) bool {
	return k == sweep.Prices || k == sweep.Editions || k == sweep.AddOns
}

// takes says whether a sweep of a kind owns a listing that it shows a price of.
func takes(k sweep.Kind, d *decided) bool {
	if finds(k) {
		return true
	}
	return k == sweep.Details && (d.stored == nil || d.stored.Withdrawn || d.stored.swept.by == sweep.Details)
}

// keepsOwner leaves a listing with whom it belongs to.
func keepsOwner(d *decided) sweptMark {
	if d.stored == nil {
		return sweptMark{}
	}
	return d.stored.swept
}

// importOwns takes what a line says anything new of, be it that it was seen
// again.
func importOwns(d *decided) sweptMark {
	if d.Effect == catalog.Older || d.stored != nil && d.stored.Stored == d.Outcome.Stored {
		return keepsOwner(d)
	}
	return sweptMark{}
}
