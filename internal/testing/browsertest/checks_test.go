package browsertest_test

import (
	"fmt"
	"image/png"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"gamedex/internal/testing/browsertest"
)

func TestAxe(t *testing.T) {
	t.Parallel()
	cases := []pageCase{
		{"good page", `<p>Hello, <a href="/">you</a></p><label>Name <input></label>`, ""},
		{"no label", `<input name="q">`, "label ("},
		{"low contrast", `<p style="color: #aaa; background: #fff">pale`, "color-contrast (serious)"},
		{"contrast nobody can judge", `<p style="background: linear-gradient(#fff, #000); color: #777">on a slope`, "cannot judge, and nothing excuses it: color-contrast"},
		{"contrast over a picture", `<p style="background: url(data:image/svg+xml,x); color: #777">on a picture`, ""},
		{"contrast of covered text", `<div style="position: relative"><p style="background: #fff">covered</p><div style="position: absolute; inset: 0 50% 0 0; background: #eee"></div></div>`, "cannot judge, and nothing excuses it: color-contrast"},
		{"covered text that the test leaves out", `<div style="position: relative"><p class="left-out">covered</p><div style="position: absolute; inset: 0 50% 0 0; background: #eee"></div></div>`, ""},
		{"picture without words", `<img src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>">`, "image-alt"},
		{"small targets", `<button style="width:10px;height:10px;padding:0" aria-label="a"></button><button style="width:10px;height:10px;padding:0" aria-label="b"></button>`, "target-size"},
		{"second heading of the first level is skipped", `<h4>deep`, "heading-order"},
	}
	recordPages(t, browsertest.Options{}, cases, func(v *browsertest.Visitor) { v.Axe(".left-out") })
}

// pageCase is a page and the error of a check of it.
type pageCase struct {
	name, body string
	want       string // "": the page is fine
}

// recordPages shows pages to one visitor, and compares the errors of a check of each.
func recordPages(t *testing.T, o browsertest.Options, cases []pageCase, check func(*browsertest.Visitor), words ...string) {
	t.Helper()
	more := map[string]http.HandlerFunc{}
	for i, tc := range cases {
		more[fmt.Sprint("GET /", i)] = func(w http.ResponseWriter, _ *http.Request) { write(w, tc.body) }
	}
	o.BaseURL = site(t, "", more)
	found := make([]*recorder, len(cases))
	left := record(t, func(tb testing.TB) {
		r := tb.(*recorder)
		v := shared.Visitor(tb, o)
		for i := range cases {
			v.Go(fmt.Sprint("/", i))
			check(v)
			found[i], r.errors = &recorder{errors: r.errors}, nil
		}
	})
	left.wantNone(t)
	for i, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			if found[i] == nil {
				t.Fatal("the check before it ended the test")
			}
			if tc.want == "" {
				found[i].wantNone(t)
			} else {
				found[i].wantError(t, append(words, tc.want)...)
			}
		})
	}
}

// The page forbids scripts, and the browser runs none; axe checks nevertheless.
func TestAxeUnderAPolicy(t *testing.T) {
	t.Parallel()
	bothModes(t, func(t *testing.T, o browsertest.Options) {
		o.BaseURL = site(t, `<input name="q">`, nil)
		record(t, func(t testing.TB) {
			v := shared.Visitor(t, o)
			v.Go("/strict")
			v.Axe()
		}).wantError(t, "label (")
	})
}

func TestFits(t *testing.T) {
	t.Parallel()
	const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
	cases := []pageCase{
		{"good page", `<p>Words with <a href="/">a link</a> among them.</p><button style="padding: 1em">Go</button>`, ""},
		{"too wide", `<div style="width: 700px; height: 9px"></div>`, "scrolls sideways"},
		{"cut by its box", `<div style="overflow: hidden; width: 100px">` + long + `</div>`, "is cut off by <div"},
		{"shortened", `<div style="overflow: hidden; text-overflow: ellipsis; width: 100px">` + long + `</div>`, ""},
		{"in a box that scrolls", `<pre style="overflow-x: auto" tabindex="0">` + long + long + `</pre>`, ""},
		{"beyond the keyboard", `<pre style="overflow-x: auto">` + long + long + `</pre>`, "scrolls, but not with the keyboard"},
		{"table in a box that scrolls", `<div style="overflow-x: auto" tabindex="0"><table><td>` + long + long + `</table></div>`, "px wide and scrolls in a box of"},
		{"wide table", `<div style="overflow: hidden"><table style="width: 700px"><td>x</table></div>`, "is too wide and does not scroll"},
		{"left of the window", `<p style="margin-left: -60px">` + long[:30], "left of the window"},
		{"for screen readers", `<p style="position: absolute; width: 1px; height: 1px; overflow: hidden; clip: rect(0,0,0,0); white-space: nowrap">` + long, ""},
		{"waiting for the focus", `<a href="#x" style="position: absolute; left: -9999px">Skip to the content</a>`, ""},
		{"small button", `<button style="padding: 0; height: 20px; width: 20px">x</button>`, "20 × 20 px"},
		{"low link of its own", `<nav><a href="/">Docs</a></nav>`, "a target has 24 × 24"},
		{"checkbox with a label", `<label style="display: inline-block; line-height: 2"><input type="checkbox"> Yes, please</label>`, ""},
		{"checkbox alone", `<input type="checkbox" aria-label="Yes">`, "a target has 24 × 24"},
	}
	fits := func(v *browsertest.Visitor) { v.Fits() }
	recordPages(t, browsertest.Options{Width: 360}, cases, fits, "at 360 px")
	recordPages(t, browsertest.Options{Width: 360, NoScript: true}, cases[:3], fits, "at 360 px")
}

func TestFailuresSayWhere(t *testing.T) {
	body := `<form><label>Name <input name="name"></label> <label>About you <textarea name="about"></textarea></label>
		<label>Region <select name="region"><option>Germany</option><option>Türkiye</option></select></label>
		<button>Send</button> <button type="button">Nothing</button></form><button disabled>Sleeping</button><a href="/one">Twice</a><a href="/two">Twice</a>
		<div style="position: relative"><button>Under</button><div style="position: absolute; inset: 0; background: #fff"></div></div>`
	base := site(t, body, nil)
	for _, tc := range []struct {
		name string
		do   func(*browsertest.Visitor)
		want string
	}{
		{"text", func(v *browsertest.Visitor) { v.See("Willkommen") }, `see "Willkommen": it is not there`},
		{"no text", func(v *browsertest.Visitor) { v.DontSee("About you") }, `not see "About you": it is there`},
		{"link", func(v *browsertest.Visitor) { v.ClickText("Docs") }, `click "Docs": no link or button has this text; there are: "Send", "Nothing"`},
		{"two links", func(v *browsertest.Visitor) { v.ClickText("Twice") }, `more than one link or button has this text: <a href="/one">`},
		{"covered", func(v *browsertest.Visitor) { v.ClickText("Under") }, `is covered by <div`},
		{"disabled", func(v *browsertest.Visitor) { v.ClickText("Sleeping") }, `is disabled`},
		{"button that submits nothing", func(v *browsertest.Visitor) { v.Submit("Nothing") }, `no button that submits a form has this text`},
		{"label", func(v *browsertest.Visitor) { v.Fill("Mail", "x") }, `fill "Mail": no label of a control has this text; there are: "Name", "About you"`},
		{"option", func(v *browsertest.Visitor) { v.Choose("Region", "Mars") }, `no option has this text; there are: "Germany", "Türkiye"`},
		{"selector", func(v *browsertest.Visitor) { v.Text("#nothing") }, `nothing matches #nothing`},
		{"key", func(v *browsertest.Visitor) { v.Press("Any") }, `no key is called "Any"`},
		{"site that is not there", func(v *browsertest.Visitor) { v.Go("http://127.0.0.1:1/") }, `go to http://127.0.0.1:1/: net::ERR_`},
		{"name of a picture", func(v *browsertest.Visitor) { v.Shot("../up") }, `the name is "../up"`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			r := record(t, func(t testing.TB) {
				v := shared.Visitor(t, browsertest.Options{BaseURL: base, Origins: []string{"http://127.0.0.1:1"}})
				v.Go("/")
				v.Patience(2 * time.Second)
				tc.do(v)
			})
			r.wantError(t, tc.want, "at ", "the page says: ")
		})
	}
}

func TestShot(t *testing.T) {
	t.Parallel()
	v := shared.Visitor(t, browsertest.Options{BaseURL: site(t, `<div style="height: 2000px">tall</div>`, nil), Width: 360})
	v.Go("/")
	v.Shot("browsertest")
	file, err := os.Open(filepath.Join("..", "..", "..", ".cache", "screenshots", "browsertest.png"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	picture, err := png.DecodeConfig(file)
	if err != nil {
		t.Fatal(err)
	}
	if picture.Width != 360 || picture.Height < 2000 {
		t.Errorf("the picture has %d × %d pixels, want 360 × 2000 and a bit", picture.Width, picture.Height)
	}
}
