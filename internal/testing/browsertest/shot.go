package browsertest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// Shot writes a picture of the whole page, not of the window alone, to
// .cache/screenshots/<name>.png below the root of the module, in place of an
// earlier one. A name has letters, digits, dashes and underscores.
func (v *Visitor) Shot(name string) {
	v.t.Helper()
	v.settled("take the picture "+name, func(ctx context.Context) error {
		path, err := picture(name)
		if err != nil {
			return err
		}
		var png []byte
		if err := chromedp.Run(ctx, whole(&png)); err != nil {
			return err
		}
		return os.WriteFile(path, png, 0o644)
	})
}

// picture returns where the picture of that name is kept.
func picture(name string) (string, error) {
	if !regexp.MustCompile(`^[\p{L}0-9_-]+$`).MatchString(name) {
		return "", fmt.Errorf("the name is %q; it may have letters, digits, dashes and underscores", name)
	}
	top, err := root()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(top, ".cache", "screenshots")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", fmt.Errorf("keep pictures: %w", err)
	}
	return filepath.Join(dir, name+".png"), nil
}

// whole captures the page from its top to its end.
func whole(png *[]byte) chromedp.Action {
	return chromedp.ActionFunc(func(ctx context.Context) error {
		_, _, _, _, _, size, err := page.GetLayoutMetrics().Do(ctx)
		if err != nil {
			return err
		}
		clip := &page.Viewport{Width: size.Width, Height: min(size.Height, 16000), Scale: 1}
		*png, err = page.CaptureScreenshot().WithCaptureBeyondViewport(true).WithClip(clip).Do(ctx)
		return err
	})
}
