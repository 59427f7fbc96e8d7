package api

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"net/http"
	"strings"
)

// wireVersion changes whenever answers made of the same data look different.
const wireVersion = 1

// tag collects what an answer is made of, before the answer is encoded: if
// the client has that already, it never is. Every part is written so that two
// different lists of parts never look alike.
type tag []byte

// newTag starts the tag of an answer of this route. It grows in space.
func (rq *request) newTag(space []byte) tag {
	return tag(space).number(wireVersion).text(rq.route.pattern)
}

func (t tag) number(n uint64) tag { return binary.LittleEndian.AppendUint64(t, n) }

func (t tag) text(s string) tag { return append(t.number(uint64(len(s))), s...) }

func (t tag) texts(list []string) tag {
	t = t.number(uint64(len(list)))
	for _, s := range list {
		t = t.text(s)
	}
	return t
}

func (t tag) flag(b bool) tag {
	if b {
		return append(t, 1)
	}
	return append(t, 0)
}

// String is the entity tag. It is weak: codings and meta do not enter it.
func (t tag) String() string {
	sum := sha256.Sum256(t)
	var text [len(`W/""`) + 20]byte
	dst := base64.RawURLEncoding.AppendEncode(append(text[:0], `W/"`...), sum[:15])
	return string(append(dst, '"'))
}

// unchanged sets the entity tag of the answer, and answers 304 if the client
// has it. What is not a GET of a tagged route has no tag.
func (rq *request) unchanged(t tag) bool {
	if !rq.route.tagged || rq.r.Method == http.MethodPost {
		return false
	}
	current := t.String()
	h := rq.w.Header()
	h["Etag"] = []string{current}
	if !matches(rq.r.Header["If-None-Match"], current) {
		return false
	}
	rq.setCaching()
	h.Del("Content-Type")
	rq.status = http.StatusNotModified
	rq.w.WriteHeader(rq.status)
	return true
}

// matches compares weakly, as If-None-Match does.
func matches(lists []string, current string) bool {
	opaque := strings.TrimPrefix(current, "W/")
	for _, list := range lists {
		for sent := range strings.SplitSeq(list, ",") {
			sent = strings.TrimSpace(sent)
			if sent == "*" || strings.TrimPrefix(sent, "W/") == opaque {
				return true
			}
		}
	}
	return false
}
