package reference

import (
	"bytes"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/parser"

	"gamedex/internal/dashboard/reference/samples"
	"gamedex/internal/dashboard/web"
)

// Config is what the pages need besides the site.
type Config struct {
	Document []byte // OpenAPI, in JSON
	// API returns the handler that answers API requests on behalf of a user.
	API func(userID string) http.Handler
}

type pages struct {
	frame
	api     func(userID string) http.Handler
	site    *web.Site
	samples map[string][]sample // by guide
}

type frame struct {
	*model
	Guides []string
	Server string // the public URL
}

// New registers the pages with the site. The document is read when a page is first shown.
func New(site *web.Site, cfg Config) {
	load := sync.OnceValues(func() (*pages, error) {
		model, err := parse(cfg.Document)
		if err != nil {
			return nil, err
		}
		samples, err := loadSamples(site.PublicURL)
		return &pages{frame{model, guides, site.PublicURL}, cfg.API, site, samples}, err
	})
	handle := func(pattern string, audience web.Audience, page func(*pages, *web.Visit) error) {
		site.HandleLocalized(pattern, audience, func(v *web.Visit) error {
			p, err := load()
			if err != nil {
				return err
			}
			return page(p, v)
		})
	}
	for pattern, name := range map[string]string{"GET /docs": "docs", "GET /docs/rules": "docs-rules", "GET /docs/schemas": "docs-schemas"} {
		handle(pattern, web.Anyone, func(p *pages, v *web.Visit) error { return v.Render(http.StatusOK, name, p.frame) })
	}
	handle("GET /docs/schemas/{schema}", web.Anyone, (*pages).schema)
	handle("GET /docs/guides/{guide}", web.Anyone, (*pages).guide)
	handle("GET /docs/endpoints/{operation}", web.Anyone, (*pages).endpoint)
	handle("GET /docs/endpoints/{operation}/try", web.SignedIn, (*pages).try)
	handle("POST /docs/endpoints/{operation}/try", web.SignedIn, (*pages).try)
}

func (p *pages) schema(v *web.Visit) error {
	i := slices.IndexFunc(p.Schemas, func(n *node) bool { return n.Name == v.R.PathValue("schema") })
	if i < 0 {
		return web.NotFound()
	}
	return v.Render(http.StatusOK, "docs-schema", struct {
		frame
		Schema *node
	}{p.frame, p.Schemas[i]})
}

// guides are the names of the guides, in the order in which one reads them.
var guides = []string{"first-request", "polling", "ids", "limits", "errors"}

// sampleBase is the address of the API in the sample files; pages show this
// server's instead.
const sampleBase = "https://games.example"

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
			text, err := samples.Files.ReadFile(guide + l.file)
			if err != nil {
				return nil, fmt.Errorf("read sample: %w", err)
			}
			code := strings.TrimPrefix(string(text), "//go:build ignore\n\n")
			all[guide] = append(all[guide], sample{l.id, l.name, strings.ReplaceAll(code, sampleBase, publicURL)})
		}
	}
	return all, nil
}

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

// converter omits HTML and dangerous links that are in the text.
var converter = goldmark.New(goldmark.WithParserOptions(parser.WithAutoHeadingID()))

// additionMark begins the mark of what goes beyond the specification, as a page shows it.
const additionMark = `<strong class="badge accent">Addition`

// markdown returns a Markdown text as HTML. "**Addition**" becomes a mark.
func markdown(text string) (template.HTML, error) {
	var html bytes.Buffer
	if err := converter.Convert([]byte(text), &html); err != nil {
		return "", err
	}
	marked := strings.ReplaceAll(html.String(), "<strong>Addition", additionMark)
	return template.HTML(marked), nil
}
