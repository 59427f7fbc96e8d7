package browsertest

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/chromedp"
)

// See waits until the visible text of the page contains text. Runs of spaces
// and line ends count as one space; letters are as shown, so where a style makes
// them capitals they are capitals.
func (v *Visitor) See(text string) {
	v.t.Helper()
	v.within(fmt.Sprintf("see %q", text), func(ctx context.Context) error {
		return v.shows(ctx, text, true, "it is not there")
	})
}

// DontSee waits until the visible text of the page does not contain text.
func (v *Visitor) DontSee(text string) {
	v.t.Helper()
	v.within(fmt.Sprintf("not see %q", text), func(ctx context.Context) error {
		return v.shows(ctx, text, false, "it is there")
	})
}

func (v *Visitor) shows(ctx context.Context, text string, want bool, otherwise string) error {
	text = strings.Join(strings.Fields(text), " ")
	return until(ctx, func() error {
		if err := v.settle(ctx); err != nil {
			return err
		}
		var shown string
		if err := v.call(ctx, &shown, "visibleText"); err != nil {
			return err
		}
		if strings.Contains(shown, text) != want {
			return errors.New(otherwise)
		}
		return nil
	})
}

// Text waits for the first element that matches the selector and returns its
// text as shown, with single spaces.
func (v *Visitor) Text(selector string) string {
	v.t.Helper()
	return v.read("read "+selector, "text", selector)
}

// Attribute waits for the first element that matches the selector and returns
// its attribute; "" if it has none.
func (v *Visitor) Attribute(selector, name string) string {
	v.t.Helper()
	return v.read(fmt.Sprintf("read %s of %s", name, selector), "attribute", selector, name)
}

func (v *Visitor) read(what, function string, args ...any) string {
	v.t.Helper()
	var f found
	v.within(what, func(ctx context.Context) (err error) {
		f, err = v.find(ctx, function, args...)
		return err
	})
	return f.Text
}

// Count returns how many elements match the selector now, the invisible ones
// too.
func (v *Visitor) Count(selector string) int {
	v.t.Helper()
	var n int
	v.settled("count "+selector, func(ctx context.Context) error {
		return v.call(ctx, &n, "count", selector)
	})
	return n
}

// Source returns the document as it is now, as HTML.
func (v *Visitor) Source() string {
	v.t.Helper()
	var html string
	v.Eval("document.documentElement.outerHTML", &html)
	return html
}

// Clipboard returns the text of the clipboard. All visitors of a browser share
// one: tests that use it do not run in parallel.
func (v *Visitor) Clipboard() string {
	v.t.Helper()
	var text string
	v.settled("read the clipboard", func(ctx context.Context) error {
		allow := browser.SetPermission(&browser.PermissionDescriptor{Name: "clipboard-read"}, browser.PermissionSettingGranted).
			WithOrigin(v.options.BaseURL).WithBrowserContextID(v.jar)
		if err := allow.Do(v.browser(ctx)); err != nil {
			return err
		}
		return v.scripted(ctx, chromedp.Evaluate("navigator.clipboard.readText()", &text, awaited))
	})
	return text
}

// browser is ctx for commands to the browser as a whole.
func (v *Visitor) browser(ctx context.Context) context.Context {
	return cdp.WithExecutor(ctx, chromedp.FromContext(v.ctx).Browser)
}
