package web

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/klauspost/compress/gzhttp"
	"github.com/klauspost/compress/gzip"

	"gamedex/internal/account"
	"gamedex/internal/serve"
)

// Public pages are answered without a session: they read no cookie and set none, so that a
// cache in front of the service may keep them for everybody.

// maxAge bounds how long caches keep a public page.
const maxAge = 5 * time.Minute

// HandleCatalog registers a page of the catalog in each language: "/browse" is at "/en/browse". An
// empty path is the first page. With public pages everybody may open it, otherwise users.
func (s *Site) HandleCatalog(path string, handle func(*Visit) error) {
	for _, l := range s.languages.all {
		if pattern := "GET /" + l.Code + path; s.PublicPages {
			s.handlePublic(pattern, l, handle)
		} else {
			s.Handle(pattern, SignedIn, handle)
		}
	}
}

// HandleFile registers what programs read without an account, such as a sitemap, if the site
// has public pages. It has no language of its own.
func (s *Site) HandleFile(path string, handle func(*Visit) error) {
	if s.PublicPages {
		s.handlePublic("GET "+path, s.languages.all[0], handle)
	}
}

func (s *Site) handlePublic(pattern string, l *language, handle func(*Visit) error) {
	rt := Route{Pattern: pattern, Audience: Public, Handle: handle}
	s.routes = append(s.routes, rt)
	s.mux.Handle(rt.Pattern, s.servePublic(rt, l))
}

// codingSuffix ends the entity tags of compressed answers.
const codingSuffix = "-gzip"

// newCompressor returns a function that makes a handler compress its answers for browsers that
// accept it. Pages behind the sign-in are not compressed: their length would say something about
// what only their user sees.
func newCompressor() (func(http.Handler) http.HandlerFunc, error) {
	return gzhttp.NewWrapper(gzhttp.EnableZstd(false), gzhttp.CompressionLevel(gzip.BestSpeed), gzhttp.SuffixETag(codingSuffix))
}

func (s *Site) servePublic(rt Route, l *language) http.Handler {
	return s.compressed(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serve.RecordFrom(r.Context()).Route = rt.Pattern
		ctx, cancel := context.WithTimeout(r.Context(), pageTimeout)
		defer cancel()
		r = r.WithContext(ctx)
		page := &Answer{header: w.Header(), keep: math.MaxInt}
		v := &Visit{W: page, R: r, site: s, language: l, prefix: "/" + l.Code, Public: true, Locale: Locale{l.Code, s.market("", "")}}
		address, source := r.URL.EscapedPath()+"?"+r.URL.RawQuery, s.Source()
		err := s.limit(v)
		if err == nil {
			if kept := s.kept.find(address, source, v.Now()); kept != nil {
				kept.send(w, r, v.Now())
				return
			}
			v.SetCountry(v.Form("country"))
			err = rt.Handle(v)
		}
		if err != nil {
			page.Status, page.Body = 0, nil
			s.fail(v, err)
		}
		if page.Status == http.StatusOK {
			kept := page.keptUntil(v.validUntil())
			s.kept.keep(address, source, kept)
			kept.send(w, r, v.Now())
			return
		}
		page.send(w)
	}))
}

// limit counts a request for a public page. If there are too many, it returns a problem that says
// when to come back.
func (s *Site) limit(v *Visit) error {
	wait := s.visitors.take(account.Network(v.Client()), v.Now(), s.PublicLimits)
	if wait == 0 {
		return nil
	}
	return &Problem{Status: http.StatusTooManyRequests, Message: "error.too-many", Args: []any{seconds(wait)}, RetryAfter: wait}
}

// send sends an answer without a page: a redirect, or a failure. Caches do not keep failures that
// may end soon.
func (a *Answer) send(w http.ResponseWriter) {
	if a.Status < http.StatusInternalServerError && a.Status != http.StatusTooManyRequests {
		a.header.Set("Cache-Control", cacheControl(maxAge))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // fails only if the browser left
}

// keptUntil returns the page as the cache keeps it, until a time in Unix milliseconds.
func (a *Answer) keptUntil(until int64) *keptPage {
	sum := sha256.Sum256(a.Body)
	return &keptPage{a.header.Get("Content-Type"), a.Body, `"` + base64.RawURLEncoding.EncodeToString(sum[:15]) + `"`, until}
}

// send sends the page with what caches need. A page is valid until the next discount on it ends.
func (p *keptPage) send(w http.ResponseWriter, r *http.Request, now int64) {
	h := w.Header()
	h.Set("Cache-Control", cacheControl(time.Duration(p.until-now)*time.Millisecond))
	h.Set("ETag", p.tag)
	if tag := p.matching(r.Header.Values("If-None-Match")); tag != "" {
		h.Set("ETag", tag)
		h.Del("Content-Type")
		h.Del("Content-Length")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", p.contentType)
	h.Set("Content-Length", strconv.Itoa(len(p.body)))
	w.WriteHeader(http.StatusOK)
	_, _ = w.Write(p.body) // fails only if the browser left
}

func cacheControl(valid time.Duration) string {
	return "public, max-age=" + strconv.Itoa(int(max(valid, 0)/time.Second))
}

// matching returns the entity tag of the page, compressed or not, that an If-None-Match header
// names; "" if it names neither.
func (p *keptPage) matching(header []string) string {
	compressed := strings.TrimSuffix(p.tag, `"`) + codingSuffix + `"`
	for _, value := range header {
		for tag := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
			switch tag = strings.TrimPrefix(tag, "W/"); tag {
			case p.tag, compressed:
				return tag
			case "*":
				return p.tag
			}
		}
	}
	return ""
}

// ValidUntil says that what the page shows changes at a time in Unix milliseconds; 0 has no
// effect. The earliest time counts.
func (v *Visit) ValidUntil(ms int64) {
	if ms > 0 && (v.until == 0 || ms < v.until) {
		v.until = ms
	}
}

// validUntil returns until when the page may be kept.
func (v *Visit) validUntil() int64 {
	latest := v.Now() + maxAge.Milliseconds()
	if v.until > 0 {
		return min(latest, v.until)
	}
	return latest
}

// MovedPermanently redirects to the path under which the page is found. Browsers may remember it.
func (v *Visit) MovedPermanently(path string) error {
	http.Redirect(v.W, v.R, path, http.StatusMovedPermanently)
	return nil
}

// keptPage is a public page that was sent before.
type keptPage struct {
	contentType string
	body        []byte
	tag         string
	until       int64 // Unix milliseconds; what it shows changes then
}

// keptPages is a cache of public pages, made from one state of the catalog. It holds at most
// keptBytes; then each new page pushes out some others. The zero value is ready.
type keptPages struct {
	mu     sync.Mutex
	source any // the state that they were made from
	pages  map[string]*keptPage
	bytes  int
}

const (
	keptBytes    = 64 << 20  // of all pages that are kept
	keptOverhead = 512       // of a page, besides its body and address
	largestKept  = 256 << 10 // a larger page is not kept
)

// find returns a page that was made from source and is still valid at now; nil if there is none.
func (k *keptPages) find(address string, source any, now int64) *keptPage {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.source != source {
		return nil
	}
	page := k.pages[address]
	if page == nil || page.until <= now {
		return nil
	}
	return page
}

// keep keeps a page and drops those that were made from another source.
func (k *keptPages) keep(address string, source any, page *keptPage) {
	size := len(address) + len(page.body) + keptOverhead
	if size > largestKept {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.source != source || k.pages == nil {
		k.source, k.pages, k.bytes = source, map[string]*keptPage{}, 0
	}
	k.drop(address)
	for other := range k.pages { // in no particular order
		if k.bytes+size <= keptBytes {
			break
		}
		k.drop(other)
	}
	k.pages[address] = page
	k.bytes += size
}

func (k *keptPages) drop(address string) {
	if page := k.pages[address]; page != nil {
		k.bytes -= len(address) + len(page.body) + keptOverhead
		delete(k.pages, address)
	}
}

// PublicLimits are how many requests for public pages are answered in a minute of the clock.
type PublicLimits struct {
	Each int // from one IPv4 address or one /64
	All  int // from all together
}

// visitors counts the requests of the current minute. The zero value is ready. It holds at most
// as many networks as there were answers in that minute.
type visitors struct {
	mu     sync.Mutex
	minute int64
	all    int
	each   map[string]int
}

// take counts a request from a network at now (Unix milliseconds). If a limit is reached, it
// counts nothing and returns how long the minute still lasts.
func (c *visitors) take(network string, now int64, limits PublicLimits) (wait time.Duration) {
	const minuteMillis = 60_000
	c.mu.Lock()
	defer c.mu.Unlock()
	if minute := now / minuteMillis; minute != c.minute || c.each == nil {
		c.minute, c.all, c.each = minute, 0, map[string]int{}
	}
	if c.all >= limits.All || c.each[network] >= limits.Each {
		return time.Duration(minuteMillis-now%minuteMillis) * time.Millisecond
	}
	c.all++
	c.each[network]++
	return 0
}
