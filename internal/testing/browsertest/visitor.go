package browsertest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"

	"gamedex/internal/testing/await"
)

// Options are those of a visitor's browser.
type Options struct {
	BaseURL  string   // scheme, host and port of the site; paths are below it
	Origins  []string // others that requests may go to, as scheme://host:port
	Language string   // "en" (default), "ru" or "uk": preferred, also for dates and numbers
	Timezone string   // as in the IANA database; default UTC
	Dark     bool     // prefers a dark page
	NoScript bool     // the page's scripts do not run
	Width    int      // of the window, in CSS pixels; default 1280
	Height   int      // default 800
}

// Visitor is one tab with its own cookies. Its methods are the steps of one
// test and must be called from the test's goroutine; a step that cannot be done
// ends the test.
//
// When the test ends, it fails if there was a console error, an uncaught
// exception, a complaint about security (a violation of the content security
// policy is one), an unexpected dialog, a request to an origin other than the
// site's, or an answer with a status of 500 or above. A test that causes one of
// them on purpose announces it with [Visitor.Expect].
type Visitor struct {
	t       testing.TB
	ctx     context.Context
	jar     cdp.BrowserContextID // of the cookies, and of what else is kept
	options Options
	watch   *watch
	expect  []string
	patient time.Duration // how long a step may take
}

// Visitor returns a new visitor, who leaves when the test ends.
func (b *Browser) Visitor(t testing.TB, o Options) *Visitor {
	t.Helper()
	o.BaseURL = strings.TrimSuffix(o.BaseURL, "/")
	o.Language, o.Timezone = cmp.Or(o.Language, "en"), cmp.Or(o.Timezone, "UTC")
	o.Width, o.Height = cmp.Or(o.Width, 1280), cmp.Or(o.Height, 800)
	jar, tab, err := b.open(o.BaseURL)
	if err != nil {
		t.Fatalf("browsertest: open a tab: %v", err)
	}
	ctx, cancel := chromedp.NewContext(b.ctx, chromedp.WithTargetID(tab))
	v := &Visitor{t: t, ctx: ctx, jar: jar, options: o, patient: await.Patience, watch: &watch{
		origins:  append([]string{o.BaseURL}, o.Origins...),
		requests: map[network.RequestID]*request{},
		frame:    cdp.FrameID(tab), // a page's frame is called as its tab
	}}
	t.Cleanup(func() { v.leave(func() { cancel(); b.dispose(jar) }) })
	v.watch.answer = v.answer
	chromedp.ListenTarget(ctx, v.watch.hear)
	if err := chromedp.Run(ctx, b.emulate(o)...); err != nil {
		t.Fatalf("browsertest: prepare the tab: %v", err)
	}
	return v
}

// emulate applies the options to the tab.
func (b *Browser) emulate(o Options) []chromedp.Action {
	scheme := "light"
	if o.Dark {
		scheme = "dark"
	}
	accept, locale := languages(o.Language)
	return []chromedp.Action{
		emulation.SetDeviceMetricsOverride(int64(o.Width), int64(o.Height), 1, false),
		emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: "reduce"},
		}),
		emulation.SetUserAgentOverride(b.agent).WithAcceptLanguage(accept),
		emulation.SetLocaleOverride().WithLocale(locale),
		emulation.SetTimezoneOverride(o.Timezone),
		emulation.SetFocusEmulationEnabled(true),
		emulation.SetScriptExecutionDisabled(o.NoScript),
	}
}

// languages returns the list a browser of that language sends, and its locale.
func languages(language string) (accept, locale string) {
	switch language {
	case "en":
		return "en-GB,en", "en-GB"
	case "ru":
		return "ru-RU,ru,en-US,en", "ru-RU"
	case "uk":
		return "uk-UA,uk,en-US,en", "uk-UA"
	}
	return language, language
}

// answer closes a dialog; events must not wait for it.
func (v *Visitor) answer(accept bool) {
	go func() {
		// A dialog that has closed meanwhile needs no answer.
		_ = chromedp.Run(v.ctx, page.HandleJavaScriptDialog(accept))
	}()
}

// Expect accepts problems whose text contains this one. The test fails if there is
// none.
func (v *Visitor) Expect(text string) { v.expect = append(v.expect, text) }

// Patience sets the deadline of the following steps; the default is [await.Patience].
func (v *Visitor) Patience(d time.Duration) { v.patient = d }

// leave closes the tab and reports its problems to the test.
func (v *Visitor) leave(cancel context.CancelFunc) {
	v.t.Helper()
	ctx, done := context.WithTimeout(v.ctx, 10*time.Second)
	_ = v.settle(ctx) // what is still on its way may be a problem, too
	done()
	cancel()
	v.watch.mu.Lock()
	defer v.watch.mu.Unlock()
	met := map[string]bool{}
	for _, p := range v.watch.problems {
		i := slices.IndexFunc(v.expect, func(text string) bool { return strings.Contains(p.text, text) })
		if i < 0 {
			v.t.Errorf("browsertest: %s", p.text)
			continue
		}
		met[v.expect[i]] = true
	}
	for _, text := range v.expect {
		if !met[text] {
			v.t.Errorf("browsertest: expected a problem with %q, and there was none", text)
		}
	}
}

// within runs one step with its deadline, and ends the test if it fails.
func (v *Visitor) within(what string, step func(context.Context) error) {
	v.t.Helper()
	ctx, cancel := context.WithTimeout(v.ctx, v.patient)
	defer cancel()
	if err := step(ctx); err != nil {
		v.t.Fatalf("browsertest: %s: %v%s", what, err, v.scene())
	}
}

// settled is within for a step that needs a page that is loaded.
func (v *Visitor) settled(what string, step func(context.Context) error) {
	v.t.Helper()
	v.within(what, func(ctx context.Context) error {
		if err := v.settle(ctx); err != nil {
			return err
		}
		return step(ctx)
	})
}

// until calls try until it returns nil or the deadline has passed, and returns the
// last error. It waits longer and longer between calls, up to 80 ms, so that slow
// pages do not pay for the polling.
func until(ctx context.Context, try func() error) error {
	start := time.Now()
	var why error
	for pause := 10 * time.Millisecond; ; pause = min(2*pause, 80*time.Millisecond) {
		err := try()
		if err == nil {
			return nil
		}
		if ctx.Err() == nil || why == nil {
			why = err // a call that was interrupted is not the reason
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("%w (waited %v)", why, time.Since(start).Round(time.Second/10))
		case <-time.After(pause):
		}
	}
}

// scene describes the page for the message of a failure.
func (v *Visitor) scene() string {
	ctx, cancel := context.WithTimeout(v.ctx, 10*time.Second)
	defer cancel()
	var seen struct{ URL, Text string }
	if err := v.call(ctx, &seen, "scene"); err != nil {
		return fmt.Sprintf("\n\tthe page does not answer: %v", err)
	}
	return fmt.Sprintf("\n\tat %s\n\tthe page says: %s", seen.URL, cut(seen.Text, 2000))
}

// cut returns at most n runes of s.
func cut(s string, n int) string {
	runes := []rune(s)
	if len(runes) <= n {
		return s
	}
	return string(runes[:n]) + "…"
}
