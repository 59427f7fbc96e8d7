package catalog

// Freshness is how old what a platform shows in a region is. Zero: not known.
type Freshness struct {
	Platform               Platform
	Region                 Region
	Listings, Doubtful     int // not withdrawn; with a doubtful price
	OldestSeen, MedianSeen Millis
	LastSweep              Millis // end of the last complete sweep of prices
}
