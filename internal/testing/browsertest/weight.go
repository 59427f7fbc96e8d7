package browsertest

import "github.com/chromedp/cdproto/network"

// PageBytes returns how large the page is: its document, styles and scripts,
// uncompressed, in bytes.
func (v *Visitor) PageBytes() int64 {
	v.t.Helper()
	return v.weigh(func(r *request) int64 { return r.decoded })
}

// PageBytesSent returns how much of that was on the wire, in bytes: compressed,
// with headers, and nothing for what the browser had already.
func (v *Visitor) PageBytesSent() int64 {
	v.t.Helper()
	return v.weigh(func(r *request) int64 { return r.encoded })
}

func (v *Visitor) weigh(of func(*request) int64) int64 {
	v.t.Helper()
	v.within("weigh the page", v.settle)
	v.watch.mu.Lock()
	defer v.watch.mu.Unlock()
	var sum int64
	for _, r := range v.watch.requests {
		switch r.kind {
		case network.ResourceTypeDocument, network.ResourceTypeStylesheet, network.ResourceTypeScript:
			if r.loader == v.watch.loader {
				sum += of(r)
			}
		}
	}
	return sum
}
