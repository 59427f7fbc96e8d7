// Package api is the wire: the JSON interface under /api/v1, and nothing else
// knows its names, codes, headers, defaults and limits.
//
//	path ─► method ─► key ─► limits ─► permission ─► body ─► parameters ─► View ─► JSON
//	 404     405      401     429         403       415 413     400        503
//	                  403
//
// Everything is a table with one door: routes ([Endpoints]), error codes
// ([Codes]), one parser for query strings and one for bodies, one function that
// writes error bodies. Handlers read parameters, take the newest [index.View]
// once, and return an error or an answer. The checks run in exactly the order
// drawn; what passes the limits is counted, whatever becomes of it.
//
// # Answers
//
// JSON is appended straight from the packed rows of the index into a pooled
// buffer of one piece, 256 KiB. An answer that fits it goes out whole, with its
// length. A larger one goes out piece by piece while it is being encoded: a
// slow reader holds one piece (and a compressor), never its answer, however
// long that is. The bytes of all pieces held are bounded; who waits a second
// for one is told 503. How long a client may take over a piece is the
// server's affair (package serve). An answer that cannot be completed is cut
// off, so that it never looks whole. Bulk prices with gzip are compressed from
// marks of where parts of them stood before (marks.go, package deflate); all
// others by a search for repetitions.
//
// The entity tag of a catalog GET is made before anything is encoded, from the
// parameters, the revs of the cards in order, what was not found, the rates
// where they are used and the number of discount ends that have passed. So a
// 304 costs lookups and a hash. The tag is weak and the same for all codings.
//
// # The reference
//
// openapi.yaml is the interface written down by hand; openapi.json is made from
// it by the tests (go test -update) and served by [Reference]. Every answer of
// every test is checked against it.
//
// # What it refuses
//
// No SQL, no store, no session: it sees an index, a finder of keys, a counter
// and a history, through small interfaces. It reads no clock but the one it is
// given. Internal error texts never leave it; they go to [Config.Failed].
package api
