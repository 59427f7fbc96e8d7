package web

import "sync"

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
