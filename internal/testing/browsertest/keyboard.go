package browsertest

import (
	"context"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"
)

// Press presses keys one after the other: their names (Enter, Tab, Escape,
// Space, Backspace, Delete, Home, End, ArrowUp, ArrowDown, ArrowLeft,
// ArrowRight) or single characters, separated by spaces, each after the keys
// held with it as in Shift+Tab, Control+a.
func (v *Visitor) Press(keys string) {
	v.t.Helper()
	v.within("press "+keys, func(ctx context.Context) error {
		for _, name := range strings.Fields(keys) {
			if err := v.press(ctx, name); err != nil {
				return err
			}
		}
		return v.after(ctx)
	})
}

// Type presses the keys of text, one character after the other.
func (v *Visitor) Type(text string) {
	v.t.Helper()
	v.settled(fmt.Sprintf("type %q", text), func(ctx context.Context) error {
		if err := chromedp.Run(ctx, chromedp.KeyEvent(text)); err != nil {
			return err
		}
		return v.after(ctx)
	})
}

// Tab moves the focus on by n; if n is negative, back.
func (v *Visitor) Tab(n int) {
	v.t.Helper()
	key := "Tab "
	if n < 0 {
		key, n = "Shift+Tab ", -n
	}
	v.Press(strings.Repeat(key, n))
}

// Focused returns what has the focus: its role or kind, and its name in quotes, as
// in button "Create key", link "Docs", text "Name"; "nothing" if the page has it.
func (v *Visitor) Focused() string {
	v.t.Helper()
	var what string
	v.settled("read the focus", func(ctx context.Context) error {
		return v.call(ctx, &what, "focused")
	})
	return what
}

func (v *Visitor) press(ctx context.Context, name string) error {
	if err := v.settle(ctx); err != nil {
		return err
	}
	held, last := input.Modifier(0), name
	for before, rest, more := strings.Cut(last, "+"); more && rest != ""; before, rest, more = strings.Cut(last, "+") {
		m, known := modifier(before)
		if !known {
			return fmt.Errorf("no key %q can be held; there are Shift, Control, Alt and Meta", before)
		}
		held, last = held|m, rest
	}
	key, known := key(last)
	if !known {
		return fmt.Errorf("no key is called %q", last)
	}
	for _, event := range kb.Encode(key) {
		if held&^input.ModifierShift != 0 && event.Type == input.KeyChar {
			continue // a command, not a letter
		}
		event.Modifiers |= held
		if err := chromedp.Run(ctx, event); err != nil {
			return err
		}
	}
	return nil
}

func modifier(name string) (input.Modifier, bool) {
	switch name {
	case "Shift":
		return input.ModifierShift, true
	case "Control":
		return input.ModifierCtrl, true
	case "Alt":
		return input.ModifierAlt, true
	case "Meta":
		return input.ModifierMeta, true
	}
	return 0, false
}

func key(name string) (rune, bool) {
	named := map[string]string{
		"Enter": kb.Enter, "Tab": kb.Tab, "Escape": kb.Escape, "Space": " ", "Backspace": kb.Backspace,
		"Delete": kb.Delete, "Home": kb.Home, "End": kb.End, "PageUp": kb.PageUp, "PageDown": kb.PageDown,
		"ArrowUp": kb.ArrowUp, "ArrowDown": kb.ArrowDown, "ArrowLeft": kb.ArrowLeft, "ArrowRight": kb.ArrowRight,
	}
	if text, ok := named[name]; ok {
		name = text
	}
	runes := []rune(name)
	return runes[0], len(runes) == 1
}
