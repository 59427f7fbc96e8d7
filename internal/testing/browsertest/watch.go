package browsertest

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// watch records the events of one tab: problems, requests, and whether a navigation
// is under way.
type watch struct {
	answer func(accept bool) // closes the open dialog; must not block

	mu       sync.Mutex
	origins  []string // that requests may go to
	problems []problem
	requests map[network.RequestID]*request

	frame     cdp.FrameID // the page itself, not a frame in it
	loader    cdp.LoaderID
	moves     int  // documents and places in them that were shown, one after the other
	under     bool // a navigation is under way
	dialogs   []string
	dismissed int
	policy    dialogPolicy
}

type problem struct {
	text    string
	request network.RequestID // that it is about, if any
}

// request is one request for a part of a page.
type request struct {
	url              string
	kind             network.ResourceType
	loader           cdp.LoaderID
	status           int64
	encoded, decoded int64
}

// hear is called for one event after the other.
func (w *watch) hear(event any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch e := event.(type) {
	case *runtime.EventConsoleAPICalled:
		if e.Type == runtime.APITypeError || e.Type == runtime.APITypeAssert {
			w.add("", "console error: %s", words(e.Args))
		}
	case *runtime.EventExceptionThrown:
		w.add("", "uncaught exception: %v", e.ExceptionDetails)
	case *inspector.EventTargetCrashed:
		w.add("", "the page crashed")
	case *log.EventEntryAdded:
		w.entry(e.Entry)
	default:
		w.hearNetwork(event)
		w.hearPage(event)
	}
}

func (w *watch) add(about network.RequestID, format string, args ...any) {
	w.problems = append(w.problems, problem{fmt.Sprintf(format, args...), about})
}

// entry records a line of the browser's log. A page with a status of 4xx is not a
// problem; a missing part of a page is one.
func (w *watch) entry(e *log.Entry) {
	switch {
	case e.Source == log.SourceSecurity && (e.Level == log.LevelError || e.Level == log.LevelWarning):
		w.add("", "security: %s (%s)", e.Text, e.URL)
	case e.Source == log.SourceNetwork && e.Level == log.LevelError:
		if strings.HasSuffix(e.URL, "/favicon.ico") {
			return // browsers always request it
		}
		r := w.requests[e.NetworkRequestID]
		if r != nil && (r.kind == network.ResourceTypeDocument || r.status >= 500 || w.foreign(r.url)) {
			return // fine, or already reported
		}
		w.add("", "console error: %s (%s)", e.Text, e.URL)
	case e.Level == log.LevelError:
		w.add("", "console error: %s (%s)", e.Text, e.URL)
	}
}

func (w *watch) hearNetwork(event any) {
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		w.requests[e.RequestID] = &request{url: e.Request.URL, kind: e.Type, loader: e.LoaderID}
		if w.foreign(e.Request.URL) {
			w.add(e.RequestID, "a request leaves the site: %s %s", e.Request.Method, e.Request.URL)
		}
	case *network.EventResponseReceived:
		if r := w.requests[e.RequestID]; r != nil {
			r.status = e.Response.Status
		}
		if e.Response.Status >= 500 {
			w.add("", "status %d: %s", e.Response.Status, e.Response.URL)
		}
	case *network.EventDataReceived:
		if r := w.requests[e.RequestID]; r != nil {
			r.decoded += e.DataLength
		}
	case *network.EventLoadingFinished:
		if r := w.requests[e.RequestID]; r != nil {
			r.encoded = int64(e.EncodedDataLength)
		}
	case *network.EventLoadingFailed:
		w.failed(e)
	}
}

// failed removes a request that the page's policy blocked; the log reports the
// violation.
func (w *watch) failed(e *network.EventLoadingFailed) {
	if e.BlockedReason == network.BlockedReasonCsp {
		w.problems = slices.DeleteFunc(w.problems, func(p problem) bool { return p.request == e.RequestID })
	}
	if r := w.requests[e.RequestID]; r != nil && e.Canceled && r.kind == network.ResourceTypeDocument {
		w.under = false
	}
}

func (w *watch) hearPage(event any) {
	switch e := event.(type) {
	case *page.EventFrameRequestedNavigation:
		w.under = w.under || e.FrameID == w.frame && e.Disposition == page.ClientNavigationDispositionCurrentTab
	case *page.EventFrameStartedLoading:
		w.under = w.under || e.FrameID == w.frame
	case *page.EventFrameNavigated:
		if e.Frame.ParentID == "" {
			w.frame, w.loader = e.Frame.ID, e.Frame.LoaderID
			w.moves++
		}
	case *page.EventNavigatedWithinDocument:
		if e.FrameID == w.frame {
			w.moves++
		}
	case *page.EventFrameStoppedLoading:
		w.under = w.under && e.FrameID != w.frame
	case *page.EventJavascriptDialogOpening:
		w.dialog(e)
	case *page.EventJavascriptDialogClosed:
		if !e.Result {
			w.under = false
		}
	}
}

// words returns what a script wrote to the console.
func words(args []*runtime.RemoteObject) string {
	said := make([]string, 0, len(args))
	for _, a := range args {
		if a.Description != "" {
			said = append(said, a.Description)
		} else {
			said = append(said, string(a.Value))
		}
	}
	return strings.Join(said, " ")
}

// foreign reports whether the address has an origin that requests may not go to.
func (w *watch) foreign(address string) bool {
	u, err := url.Parse(address)
	if err != nil {
		return true
	}
	switch u.Scheme {
	case "data", "blob", "about", "chrome-error":
		return false
	}
	return !slices.Contains(w.origins, u.Scheme+"://"+u.Host)
}
