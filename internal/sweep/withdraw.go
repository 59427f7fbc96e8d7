package sweep

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
