package browsertest

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// pageScript is an expression: an object of functions that find things. The
// debugger evaluates it, so neither the page's policy nor switched-off scripts
// affect it.
//
//go:embed page.js
var pageScript string

//go:embed fits.js
var fitsScript string

// found is what the functions of page.js return.
type found struct {
	Error string  `json:"error"`
	Text  string  `json:"text"`
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Done  bool    `json:"done"`  // nothing is left to do
	Click bool    `json:"click"` // X and Y are to be clicked
}

// call calls a function of page.js and decodes its result.
func (v *Visitor) call(ctx context.Context, answer any, function string, args ...any) error {
	var list []string
	for _, a := range args {
		text, err := json.Marshal(a)
		if err != nil {
			return fmt.Errorf("run %s in the page: %w", function, err)
		}
		list = append(list, string(text))
	}
	return chromedp.Run(ctx, chromedp.Evaluate(fmt.Sprintf("%s.%s(%s)", strings.TrimSpace(pageScript), function, strings.Join(list, ", ")), answer))
}

// find calls a function of page.js until it finds something.
func (v *Visitor) find(ctx context.Context, function string, args ...any) (found, error) {
	var f found
	err := until(ctx, func() error {
		if err := v.settle(ctx); err != nil {
			return err
		}
		f = found{}
		if err := v.call(ctx, &f, function, args...); err != nil {
			return err
		}
		if f.Error != "" {
			return errors.New(f.Error)
		}
		return nil
	})
	return f, err
}

// Eval evaluates an expression in the page, waits for it if it is a promise,
// and decodes its value into out, as JSON; out may be nil. With NoScript the
// expression is evaluated too, but timers and promises of the page do not run.
func (v *Visitor) Eval(expression string, out any) {
	v.t.Helper()
	v.settled("evaluate "+cut(expression, 80), func(ctx context.Context) error {
		if out == nil {
			out = new(*runtime.RemoteObject)
		}
		return chromedp.Run(ctx, chromedp.Evaluate(expression, out, awaited))
	})
}

func awaited(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }
