package catalog

// Change is a stored listing as a database hands it to a builder. Facts and
// prose are named by the database's own numbers; both only ever grow.
type Change struct {
	Key
	FactsID, ProseID int64
	Locale, StoreURL string
	Popularity       float64
	// Price is nil for a product that is not for sale.
	Price                           *Price
	FirstSeen, ObservedAt, PricedAt Millis
	Withdrawn                       bool
}

// Served says that a card of this id once showed this product.
type Served struct {
	ID       string
	Platform Platform
	Product  string
}
