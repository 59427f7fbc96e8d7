package reference

import (
	"embed"
	"html/template"
	"net/http"
	"slices"

	"gamedex/internal/dashboard/web"
)

// Templates are the templates of this package's pages.
//
//go:embed templates
var Templates embed.FS

// Config is what the pages need besides the site.
type Config struct {
	Document []byte // OpenAPI, in JSON
	// API returns the handler that answers API requests on behalf of a user.
	API func(userID string) http.Handler
}

// pages are the pages of this package.
type pages struct {
	frame
	api     func(userID string) http.Handler
	site    *web.Site
	model   *apiModel
	samples map[string][]sample // by guide
}

// frame is what every page of the reference shows.
type frame struct {
	Groups []group
	Guides []string
}

// New registers the pages with the site. It fails if the document cannot be read.
func New(site *web.Site, cfg Config) error {
	model, err := parse(cfg.Document)
	if err != nil {
		return err
	}
	samples, err := loadSamples(site.PublicURL)
	if err != nil {
		return err
	}
	p := &pages{frame: frame{model.Groups, guides}, api: cfg.API, site: site, model: model, samples: samples}
	site.HandleLocalized("GET /docs", web.Anyone, p.start)
	site.HandleLocalized("GET /docs/rules", web.Anyone, p.rules)
	site.HandleLocalized("GET /docs/schemas", web.Anyone, p.schemas)
	site.HandleLocalized("GET /docs/schemas/{schema}", web.Anyone, p.schema)
	site.HandleLocalized("GET /docs/guides/{guide}", web.Anyone, p.guide)
	site.HandleLocalized("GET /docs/endpoints/{operation}", web.Anyone, p.endpoint)
	site.HandleLocalized("GET /docs/endpoints/{operation}/try", web.SignedIn, p.try)
	site.HandleLocalized("POST /docs/endpoints/{operation}/try", web.SignedIn, p.try)
	return nil
}

// startView is what docs.html shows.
type startView struct {
	frame
	BaseURL string
}

func (p *pages) start(v *web.Visit) error {
	return v.Render(http.StatusOK, "docs", startView{p.frame, p.site.PublicURL + basePath})
}

// rulesView is what docs-rules.html shows.
type rulesView struct {
	frame
	Rules template.HTML
}

func (p *pages) rules(v *web.Visit) error {
	return v.Render(http.StatusOK, "docs-rules", rulesView{p.frame, p.model.Rules})
}

// schemasView is what docs-schemas.html shows.
type schemasView struct {
	frame
	Schemas []*node
}

func (p *pages) schemas(v *web.Visit) error {
	return v.Render(http.StatusOK, "docs-schemas", schemasView{p.frame, p.model.Schemas})
}

// schemaView is what docs-schema.html shows.
type schemaView struct {
	frame
	Schema *node
}

func (p *pages) schema(v *web.Visit) error {
	i := slices.IndexFunc(p.model.Schemas, func(n *node) bool { return n.Name == v.R.PathValue("schema") })
	if i < 0 {
		return web.NotFound()
	}
	return v.Render(http.StatusOK, "docs-schema", schemaView{p.frame, p.model.Schemas[i]})
}
