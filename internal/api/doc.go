// Package api is the JSON interface under /api/v1: its routes, keys, error codes,
// limits and answers.
//
//	path ─► method ─► key ─► limits ─► permission ─► body ─► parameters ─► View ─► JSON
//	 404     405      401     429         403       415 413     400        503
//	                  403
//
//	api ─► api/params                               query strings and bodies
//	api ─► api/matches, api/subscription            bodies of one kind, and their answers
//	api ─► api/selection                            lists of ids: games and regions
//	api ─► api/overview                             the catalog as a whole, for pages
//	api ─► api/bulk, api/cards, api/pricehistory    the answers
//	                ├─► api/respond                 sending them
//	                └─► api/wire                    JSON of prices, regions, timestamps
//
// Routes and error codes are tables. One function writes error bodies. A handler reads
// the parameters, takes the newest [index.View] once, and returns an error or an answer. The
// checks run in the order drawn. Every request that passes the limits is counted, even if it
// then fails.
//
// The entity tag of a catalog GET is made before anything is encoded, from the
// parameters, the revs of the cards in order, what was not found, the rates where
// they are used and the number of discount ends that have passed. That of past prices is
// made from the steps, which come from the database.
//
// # The reference
//
// openapi.yaml is written by hand; the tests make openapi.json from it (go test
// -update), which [OpenAPI] returns. Every answer of every test is checked
// against it.
//
// # What it refuses
//
// No address of a client: limits are those of a key. A request without a valid key is
// refused before it is counted (findKey), and /health needs no key. Nothing limits how many of
// these an address sends; package serve limits its connections.
//
// No SQL, no database, no session: it sees an index, past prices, the cache of keys, counters
// and the usage of keys. It reads no clock but the one it is given.
// Internal error texts never leave it; they go to [Config.Failed].
package api
