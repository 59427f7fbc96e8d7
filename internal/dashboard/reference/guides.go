package reference

import (
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"gamedex/internal/dashboard/web"
)

// guides are the names of the guides, in the order in which one reads them.
var guides = []string{"first-request", "polling", "ids", "limits", "errors"}

// sampleFiles has a sample of each guide in each language. A test runs them.
//
//go:embed samples
var sampleFiles embed.FS

// sampleBase is the address of the API in the sample files; pages show this
// server's instead.
const sampleBase = "https://games.example"

// sample is the code of a guide in one language.
type sample struct {
	ID, Name string // "go", "Go"
	Code     string
}

// loadSamples returns the samples of each guide, for the API of a public URL.
func loadSamples(publicURL string) (map[string][]sample, error) {
	all := map[string][]sample{}
	for _, guide := range guides {
		for _, l := range []struct{ id, name, file string }{
			{"curl", "curl", ".sh"}, {"python", "Python", ".py"}, {"javascript", "JavaScript", ".mjs"}, {"go", "Go", ".go"},
		} {
			text, err := sampleFiles.ReadFile("samples/" + guide + l.file)
			if err != nil {
				return nil, fmt.Errorf("read sample: %w", err)
			}
			// Each Go sample is a program, so the folder is not a package.
			code := strings.TrimPrefix(string(text), "//go:build ignore\n\n")
			all[guide] = append(all[guide], sample{l.id, l.name, strings.ReplaceAll(code, sampleBase, publicURL)})
		}
	}
	return all, nil
}

// guideView is what docs-guide.html shows.
type guideView struct {
	frame
	Name    string
	Text    template.HTML
	Account bool // the text leads to a page for which the visitor needs an account
	Samples []sample
	Next    string // name of the next guide, or ""
}

// linkStart matches the middle of a Markdown link to a page of the reference, and its address.
var linkStart = regexp.MustCompile(`\]\(/docs[a-z/-]*`)

func (p *pages) guide(v *web.Visit) error {
	i := slices.Index(guides, v.R.PathValue("guide"))
	if i < 0 {
		return web.NotFound()
	}
	view := guideView{frame: p.frame, Name: guides[i], Samples: p.samples[guides[i]]}
	if i+1 < len(guides) {
		view.Next = guides[i+1]
	}
	var err error
	text := v.T(fmt.Sprintf("docs.guide.%s.text", view.Name))
	view.Account = v.User == nil && strings.Contains(text, "](/keys)")
	text = linkStart.ReplaceAllStringFunc(text, func(link string) string { return "](" + v.To(link[len("]("):]) })
	if view.Text, err = markdown(text); err != nil {
		return err
	}
	return v.Render(http.StatusOK, "docs-guide", view)
}
