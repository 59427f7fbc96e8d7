package browsertest

import (
	"context"

	"github.com/chromedp/chromedp"
)

// Fits checks that the page fits its window. Each of these is an error of the
// test: a page that scrolls sideways, text that is cut off (except with an
// ellipsis, or in a box that scrolls), a table or code that is too wide and does
// not scroll, or not with the keyboard, on a phone also a table that scrolls,
// something to click or fill in that is smaller than 24 by 24 CSS pixels (except
// links among other words; the label of a checkbox or radio button counts), and a
// page without a viewport that makes phones show it in their width.
func (v *Visitor) Fits() {
	v.t.Helper()
	var wrong []string
	v.settled("see whether the page fits", func(ctx context.Context) error {
		return chromedp.Run(ctx, chromedp.Evaluate(fitsScript, &wrong))
	})
	for _, what := range wrong {
		v.t.Errorf("browsertest: %s at %d px: %s", v.URL(), v.options.Width, what)
	}
}
