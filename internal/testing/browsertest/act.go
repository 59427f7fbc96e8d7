package browsertest

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Click clicks the first visible element that matches the CSS selector.
func (v *Visitor) Click(selector string) {
	v.t.Helper()
	v.click(fmt.Sprintf("click %s", selector), "first", selector)
}

// ClickText clicks the link or button with this text or, if there is none, the only
// one whose text contains it. Links with the same text and the same
// address count as one.
func (v *Visitor) ClickText(text string) {
	v.t.Helper()
	v.click(fmt.Sprintf("click %q", text), "named", text)
}

// ClickTextIn is ClickText within the first element that matches the selector.
func (v *Visitor) ClickTextIn(selector, text string) {
	v.t.Helper()
	v.click(fmt.Sprintf("click %q in %s", text, selector), "named", text, selector)
}

// Submit clicks the button with this text that submits a form.
func (v *Visitor) Submit(text string) {
	v.t.Helper()
	v.click(fmt.Sprintf("submit with %q", text), "submit", text)
}

// Fill types value into the text field with this label, in place of what is
// there, and sets dates, times, colours and ranges as their pickers do.
func (v *Visitor) Fill(label, value string) {
	v.t.Helper()
	v.within(fmt.Sprintf("fill %q", label), func(ctx context.Context) error {
		f, err := v.find(ctx, "fill", label, value)
		if err != nil || f.Done {
			return err
		}
		if value == "" {
			return chromedp.Run(ctx, chromedp.KeyEvent(kb.Delete))
		}
		return chromedp.Run(ctx, input.InsertText(value))
	})
}

// Value returns what is in the control with this label.
func (v *Visitor) Value(label string) string {
	v.t.Helper()
	return v.read(fmt.Sprintf("read %q", label), "value", label)
}

// Choose takes the option with this text from the list with this label, or
// clicks the radio button with this label in the group with this legend.
func (v *Visitor) Choose(label, option string) {
	v.t.Helper()
	v.within(fmt.Sprintf("choose %q for %q", option, label), func(ctx context.Context) error {
		f, err := v.find(ctx, "choose", label, option)
		if err != nil || !f.Click {
			return err
		}
		return v.clickAt(ctx, f)
	})
}

// Check ticks the checkbox or radio button with this label, if it is not ticked.
func (v *Visitor) Check(label string) {
	v.t.Helper()
	v.tick("check", label, true)
}

// Uncheck clears the checkbox with this label.
func (v *Visitor) Uncheck(label string) {
	v.t.Helper()
	v.tick("uncheck", label, false)
}

func (v *Visitor) tick(verb, label string, on bool) {
	v.t.Helper()
	v.within(fmt.Sprintf("%s %q", verb, label), func(ctx context.Context) error {
		f, err := v.find(ctx, "check", label, on)
		if err != nil || f.Done {
			return err
		}
		return v.clickAt(ctx, f)
	})
}

// click clicks what the function of page.js finds.
func (v *Visitor) click(what, function string, args ...any) {
	v.t.Helper()
	v.within(what, func(ctx context.Context) error {
		f, err := v.find(ctx, function, args...)
		if err != nil {
			return err
		}
		return v.clickAt(ctx, f)
	})
}

func (v *Visitor) clickAt(ctx context.Context, f found) error {
	if err := chromedp.Run(ctx, chromedp.MouseClickXY(f.X, f.Y)); err != nil {
		return err
	}
	return v.after(ctx)
}

// after lets the page process a click or a key, and waits for what it led to.
func (v *Visitor) after(ctx context.Context) error {
	for range 2 {
		if err := v.settle(ctx); err != nil {
			return err
		}
	}
	return nil
}
