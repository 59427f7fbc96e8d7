// Package pricehistory finds and encodes past prices: what up to 50 games cost in each
// region during a period.
//
//	Params, View, now ─► Answer.Find ─► cards and regions
//	                                          │ keys of their listings
//	                     Answer.Read ◄────────┘ ◄── Repository: steps, rates of days
//	                          │
//	                          └─► Tag, Encode ─► respond.Body
//
// A card's history in a region is that of the listing which gives its row in the snapshot.
// The steps come from the database, so they can be newer than the snapshot.
package pricehistory
