package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Axe checks the page with axe-core: WCAG 2.0, 2.1 and 2.2, levels A and AA,
// and what it calls best practice. Each violation is an error of the test. So
// is a contrast that axe could not judge, unless there is a picture behind the
// text or the text is symbols. Those, and everything else it could not judge,
// are logged. Elements of the selectors except are not checked: text that
// something covers at present. Of elements that look the same, it checks the
// contrast of one, unless GAMEDEX_WORLD is full.
func (v *Visitor) Axe(except ...string) {
	v.t.Helper()
	var r axeResult
	v.settled("check with axe", func(ctx context.Context) error {
		source, err := axeSource()
		if err != nil {
			return err
		}
		return v.scripted(ctx, chromedp.ActionFunc(func(ctx context.Context) error { return r.run(ctx, source, except) }))
	})
	for _, rule := range r.Violations {
		v.t.Errorf("browsertest: axe: %s", rule.text(rule.Nodes))
	}
	for _, rule := range r.Incomplete {
		wrong, open := rule.sort()
		if len(wrong) > 0 {
			v.t.Errorf("browsertest: axe cannot judge, and nothing excuses it: %s", rule.text(wrong))
		}
		if len(open) > 0 {
			v.t.Logf("browsertest: axe cannot judge: %s", rule.text(open))
		}
	}
}

// axeSource reads the copy of axe-core that make setup fetched.
func axeSource() (string, error) {
	top, err := root()
	if err != nil {
		return "", err
	}
	source, err := os.ReadFile(filepath.Join(top, ".cache", "axe", "axe.min.js"))
	if err != nil {
		return "", fmt.Errorf("read axe-core: %w; run make setup", err)
	}
	return string(source), nil
}

type axeResult struct {
	Violations, Incomplete []axeRule
}

type axeRule struct {
	ID, Help, Impact string
	Nodes            []axeNode
}

type axeNode struct {
	HTML           string
	Target         []any // selectors; a list of lists inside shadow roots
	FailureSummary string
	Any            []struct {
		Data any // of the contrast: an object with messageKey
	}
}

//go:embed axe.js
var axeRun string

// everyContrast is set in `make check`.
var everyContrast = os.Getenv("GAMEDEX_WORLD") == "full"

// run checks the page from an isolated world, which the page does not notice.
func (r *axeResult) run(ctx context.Context, source string, except []string) error {
	exclude, err := json.Marshal(append([]string{}, except...)) // no null
	if err != nil {
		return err
	}
	tree, err := page.GetFrameTree().Do(ctx)
	if err != nil {
		return fmt.Errorf("find the page: %w", err)
	}
	world, err := page.CreateIsolatedWorld(tree.Frame.ID).WithWorldName("axe").Do(ctx)
	if err != nil {
		return fmt.Errorf("enter the page: %w", err)
	}
	in := func(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithContextID(world) }
	if err := chromedp.Evaluate(source+"\n;true", new(bool), in).Do(ctx); err != nil {
		return fmt.Errorf("load axe-core: %w", err)
	}
	if err := chromedp.Evaluate(fmt.Sprintf("%s(%s, %t)", strings.TrimSpace(axeRun), exclude, everyContrast), r, in, awaited).Do(ctx); err != nil {
		return fmt.Errorf("run axe-core: %w", err)
	}
	return nil
}

// sort divides what axe could not judge into what is an error and what is not.
func (rule axeRule) sort() (wrong, open []axeNode) {
	for _, n := range rule.Nodes {
		if rule.ID == "color-contrast" && !n.excused() {
			wrong = append(wrong, n)
		} else {
			open = append(open, n)
		}
	}
	return wrong, open
}

// excused reports whether a contrast is unknown because of a picture or a symbol.
func (n axeNode) excused() bool {
	for _, check := range n.Any {
		about, _ := check.Data.(map[string]any)
		switch about["messageKey"] {
		case "bgImage", "imgNode", "nonBmp":
			return true
		}
	}
	return false
}

func (rule axeRule) text(nodes []axeNode) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s (%s): %s", rule.ID, rule.Impact, rule.Help)
	for _, n := range nodes {
		fmt.Fprintf(&b, "\n\t%v\n\t\t%s\n\t\t%s", n.Target, cut(n.HTML, 300), strings.ReplaceAll(n.FailureSummary, "\n", "\n\t\t"))
	}
	return b.String()
}

// scripted runs an action with the page's scripts switched on, for what needs
// promises and timers; scripts that did not run before do not run now.
func (v *Visitor) scripted(ctx context.Context, action chromedp.Action) error {
	if !v.options.NoScript {
		return chromedp.Run(ctx, action)
	}
	return chromedp.Run(ctx, emulation.SetScriptExecutionDisabled(false),
		chromedp.ActionFunc(func(ctx context.Context) error {
			err := action.Do(ctx)
			if off := emulation.SetScriptExecutionDisabled(true).Do(ctx); err == nil {
				err = off
			}
			return err
		}))
}
