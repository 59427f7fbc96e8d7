package upstream

import (
	"container/list"
	"net/http"
	"strings"
	"sync"
)

const (
	cacheBytes = 64 << 20
	entryBytes = 1 << 10 // what an entry costs beside its key and body, about
)

// cache keeps the bodies that a host can say "not modified" of, those used
// last. Bodies in it are never changed.
type cache struct {
	mu      sync.Mutex
	size    int
	entries map[string]*list.Element
	order   *list.List // of *cached, used last first
}

type cached struct {
	key    string
	header http.Header
	body   []byte
}

func (e *cached) size() int { return len(e.key) + len(e.body) + entryBytes }

func (e *cached) setConditions(header http.Header) {
	if tag := e.header.Get("Etag"); tag != "" {
		header.Set("If-None-Match", tag)
	}
	if modified := e.header.Get("Last-Modified"); modified != "" {
		header.Set("If-Modified-Since", modified)
	}
}

// getAnswer returns what is kept under a key; nil if there is nothing.
func (c *cache) getAnswer(key string) *cached {
	c.mu.Lock()
	defer c.mu.Unlock()
	found, ok := c.entries[key]
	if !ok {
		return nil
	}
	c.order.MoveToFront(found)
	return found.Value.(*cached)
}

// putAnswer keeps an answer if it can be asked for conditionally. What was kept
// under its key goes in any case.
func (c *cache) putAnswer(e *cached) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if old, ok := c.entries[e.key]; ok {
		c.drop(old)
	}
	noStore := strings.Contains(strings.ToLower(e.header.Get("Cache-Control")), "no-store")
	conditional := e.header.Get("Etag") != "" || e.header.Get("Last-Modified") != ""
	if noStore || !conditional || e.size() > cacheBytes {
		return
	}
	c.entries[e.key] = c.order.PushFront(e)
	c.size += e.size()
	for c.size > cacheBytes {
		c.drop(c.order.Back())
	}
}

func (c *cache) drop(e *list.Element) {
	gone := c.order.Remove(e).(*cached)
	delete(c.entries, gone.key)
	c.size -= gone.size()
}
