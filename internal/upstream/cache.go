package upstream

import (
	"container/list"
	"net/http"
	"strings"
	"sync"
)

const (
	cacheBytes = 64 << 20
	entryBytes = 1 << 10 // approximate memory of an entry without its key and body
)

// cache keeps recently used bodies for which a host can answer "not modified". The bodies
// never change.
type cache struct {
	mu      sync.Mutex
	size    int
	entries map[string]*list.Element
	order   *list.List // of *cached, most recently used first
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

// getAnswer returns the answer of a key; nil if there is none.
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

// putAnswer replaces the answer of a key. It keeps the new one only if a conditional
// request for it is possible.
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
