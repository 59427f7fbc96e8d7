package respond

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"
)

// Tag collects what an answer is made of before the answer is encoded. Two
// different lists of parts never have the same bytes. Its methods return the
// extended tag, as append does.
type Tag []byte

// Number adds a number.
func (t Tag) Number(n uint64) Tag { return binary.LittleEndian.AppendUint64(t, n) }

// Text adds a text.
func (t Tag) Text(s string) Tag { return append(t.Number(uint64(len(s))), s...) }

// Texts adds a list of texts.
func (t Tag) Texts(list []string) Tag {
	t = t.Number(uint64(len(list)))
	for _, s := range list {
		t = t.Text(s)
	}
	return t
}

// Flag adds a flag.
func (t Tag) Flag(b bool) Tag {
	if b {
		return append(t, 1)
	}
	return append(t, 0)
}

// String returns the entity tag. It is weak, because neither the coding nor the
// meta object of an answer is part of it.
func (t Tag) String() string {
	sum := sha256.Sum256(t)
	var text [len(`W/""`) + 20]byte
	dst := base64.RawURLEncoding.AppendEncode(append(text[:0], `W/"`...), sum[:15])
	return string(append(dst, '"'))
}

// NotModified sets the entity tag of an answer. If the client has that answer
// already, it answers 304 and returns true.
func NotModified(w http.ResponseWriter, r *http.Request, t Tag) bool {
	current := t.String()
	h := w.Header()
	h["Etag"] = []string{current}
	if !Matches(r.Header["If-None-Match"], current) {
		return false
	}
	setCaching(h)
	h.Del("Content-Type")
	w.WriteHeader(http.StatusNotModified)
	return true
}

// Matches reports whether an If-None-Match header names the entity tag. It
// compares weakly, as the header requires.
func Matches(headers []string, current string) bool {
	opaque := strings.TrimPrefix(current, "W/")
	for _, header := range headers {
		for sent := range strings.SplitSeq(header, ",") {
			sent = strings.TrimSpace(sent)
			if sent == "*" || strings.TrimPrefix(sent, "W/") == opaque {
				return true
			}
		}
	}
	return false
}

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
