package browsertest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/chromedp"
)

// Go opens a path of the site, or an address with its scheme, and waits until
// it is loaded. A page with an error status is a page.
func (v *Visitor) Go(path string) {
	v.t.Helper()
	address := path
	if !strings.Contains(path, "://") {
		address = v.options.BaseURL + path
	}
	v.move("go to "+address, func(ctx context.Context) error {
		_, loader, failure, _, err := page.Navigate(address).Do(ctx)
		switch {
		case err != nil:
			return err
		case failure != "":
			return errors.New(failure)
		case loader == "":
			return errSameDocument
		}
		return nil
	})
}

// Back goes back one page, as the browser's button does.
func (v *Visitor) Back() {
	v.t.Helper()
	v.move("go back", func(ctx context.Context) error {
		current, entries, err := page.GetNavigationHistory().Do(ctx)
		if err != nil {
			return err
		}
		if current == 0 {
			return errors.New("there is no page before this one")
		}
		return page.NavigateToHistoryEntry(entries[current-1].ID).Do(ctx)
	})
}

// Reload loads the page again; a form that led to it is sent again.
func (v *Visitor) Reload() {
	v.t.Helper()
	v.move("reload", func(ctx context.Context) error { return page.Reload().Do(ctx) })
}

// errSameDocument means that the address is in the current document.
var errSameDocument = errors.New("the document stays")

// move starts a navigation and waits until it is over: another document is
// loaded, or the visitor was asked and stayed.
func (v *Visitor) move(what string, start func(context.Context) error) {
	v.t.Helper()
	v.settled(what, func(ctx context.Context) error {
		moves, dismissed := v.watch.moved()
		err := chromedp.Run(ctx, chromedp.ActionFunc(start))
		if err != nil && !errors.Is(err, errSameDocument) {
			if _, now := v.watch.moved(); now > dismissed {
				return nil
			}
			return err
		}
		if err == nil {
			err = until(ctx, func() error { return v.watch.movedSince(moves, dismissed) })
			if err != nil {
				return err
			}
		}
		return v.settle(ctx)
	})
}

// moved returns how many documents, or places in them, were shown so far, and
// how many dialogs were answered with no.
func (w *watch) moved() (moves, dismissed int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.moves, w.dismissed
}

func (w *watch) movedSince(moves, dismissed int) error {
	if m, d := w.moved(); m == moves && d == dismissed {
		return errors.New("no other page came")
	}
	return nil
}

// settle waits until no navigation is under way and the page is loaded.
func (v *Visitor) settle(ctx context.Context) error {
	return until(ctx, func() error {
		var page struct{ Ready string }
		if err := v.call(ctx, &page, "state"); err != nil {
			return err
		}
		if page.Ready != "complete" || v.watch.busy() {
			return errors.New("the page is still loading")
		}
		return nil
	})
}

func (w *watch) busy() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.under
}

// URL returns the address of the page, after the step before has come to an end.
func (v *Visitor) URL() string {
	v.t.Helper()
	var at string
	v.Eval("location.href", &at)
	return at
}

// Path returns the path of the address, without query and fragment.
func (v *Visitor) Path() string {
	v.t.Helper()
	at := v.URL()
	u, err := url.Parse(at)
	if err != nil {
		v.t.Fatalf("browsertest: read the path of %s: %v", at, err)
	}
	return u.Path
}

// Cookies returns all cookies of the visitor, those that scripts cannot read
// too.
func (v *Visitor) Cookies() []*http.Cookie {
	v.t.Helper()
	var kept []*http.Cookie
	v.settled("read the cookies", func(ctx context.Context) error {
		all, err := storage.GetCookies().WithBrowserContextID(v.jar).Do(v.browser(ctx))
		for _, c := range all {
			kept = append(kept, &http.Cookie{
				Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path,
				HttpOnly: c.HTTPOnly, Secure: c.Secure, SameSite: sameSite(c.SameSite),
			})
		}
		return err
	})
	return kept
}

func sameSite(s network.CookieSameSite) http.SameSite {
	switch s {
	case network.CookieSameSiteStrict:
		return http.SameSiteStrictMode
	case network.CookieSameSiteLax:
		return http.SameSiteLaxMode
	case network.CookieSameSiteNone:
		return http.SameSiteNoneMode
	}
	return http.SameSiteDefaultMode
}

// SetCookie sets a cookie for the site, as an attacker might.
func (v *Visitor) SetCookie(name, value string) {
	v.t.Helper()
	v.within(fmt.Sprintf("set the cookie %s", name), func(ctx context.Context) error {
		return chromedp.Run(ctx, network.SetCookie(name, value).WithURL(v.options.BaseURL+"/"))
	})
}
