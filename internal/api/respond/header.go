package respond

import "net/http"

// Headers are set under their canonical names, without Header.Set, and values
// that never change are shared. Nobody may change a value in place; Header.Add
// and Header.Set do not.
var (
	jsonType = []string{"application/json; charset=utf-8"}
	noSniff  = []string{"nosniff"}

	noStore    = []string{"no-store"}
	revalidate = []string{"private, no-cache"}

	varyCoding = []string{"Accept-Encoding"}
	varyAll    = []string{"Accept-Encoding, Authorization, X-Api-Key"}
)

// SetType sets the headers that every answer carries.
func SetType(h http.Header) {
	h["Content-Type"] = jsonType
	h["X-Content-Type-Options"] = noSniff
}

// SetNoStore keeps an answer out of all caches.
func SetNoStore(h http.Header) { h["Cache-Control"] = noStore }

// setCaching keeps an answer out of all caches unless it has an entity tag: then
// the client may keep it, and must revalidate it each time.
func setCaching(h http.Header) {
	caching, vary := noStore, varyCoding
	if len(h["Etag"]) > 0 {
		caching, vary = revalidate, varyAll
	}
	h["Cache-Control"] = caching
	if origin := h["Vary"]; len(origin) > 0 { // for cross-origin requests
		vary = append(origin[:len(origin):len(origin)], vary...)
	}
	h["Vary"] = vary
}
