package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/swaggest/swgui/v5/static"

	"gamedex/internal/api/respond"
)

//go:embed openapi.json
var openAPI []byte

// OpenAPI is the interface as an OpenAPI 3.1 document in JSON. Its server is the
// host that the document comes from. Callers must not change it.
func OpenAPI() []byte { return openAPI }

// OpenAPIAt returns the document of the service at a public URL: it is the URL of
// the server and that of the contact. If it is empty, the document is [OpenAPI].
func OpenAPIAt(publicURL string) ([]byte, error) {
	if publicURL == "" {
		return openAPI, nil
	}
	publicURL = strings.TrimRight(publicURL, "/")
	var doc map[string]any
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		return nil, fmt.Errorf("read OpenAPI document: %w", err)
	}
	info, _ := doc["info"].(map[string]any)
	contact, ok := info["contact"].(map[string]any)
	if !ok {
		return nil, errors.New("the OpenAPI document has no contact")
	}
	contact["url"] = publicURL
	doc["servers"] = []any{map[string]any{"url": publicURL + "/api/v1"}}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	if err := encoder.Encode(doc); err != nil {
		return nil, fmt.Errorf("write OpenAPI document: %w", err)
	}
	return out.Bytes(), nil
}

const docsPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>gamedex API</title>
<link rel="icon" type="image/png" href="/docs/favicon-32x32.png">
<link rel="stylesheet" href="/docs/swagger-ui.css">
</head>
<body>
<div id="reference"></div>
<noscript><p>The reference as a document: <a href="/openapi.json">/openapi.json</a></p></noscript>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
`

const docsScript = `SwaggerUIBundle({
  url: "/openapi.json",
  dom_id: "#reference",
  deepLinking: true,
  validatorUrl: null
});
`

// docsPolicy lets the page load from this server only; it works offline.
const docsPolicy = "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

// page is one file of the reference.
type page struct {
	kind    string
	content []byte
	zipped  []byte // the same, gzipped; nil: never sent so
	tag     string
}

// Reference serves the document of a public URL ([OpenAPIAt]) at /openapi.json
// and a page that shows it at /docs. Both are public. Other paths are 404. Pages of the CORS origins may read
// the document.
func Reference(publicURL string, corsOrigins []string) (http.Handler, error) {
	document, err := OpenAPIAt(publicURL)
	if err != nil {
		return nil, err
	}
	pages := map[string]page{
		"/openapi.json":  {kind: "application/json; charset=utf-8", content: document},
		"/docs":          {kind: "text/html; charset=utf-8", content: []byte(docsPage)},
		"/docs/start.js": {kind: "text/javascript; charset=utf-8", content: []byte(docsScript)},
	}
	for name, kind := range map[string]string{
		"swagger-ui-bundle.js.gz": "text/javascript; charset=utf-8",
		"swagger-ui.css.gz":       "text/css; charset=utf-8",
		"favicon-32x32.png":       "image/png",
	} {
		p, err := readAsset(name, kind)
		if err != nil {
			return nil, fmt.Errorf("read asset %s: %w", name, err)
		}
		pages["/docs/"+strings.TrimSuffix(name, ".gz")] = p
	}
	for path, p := range pages {
		p.tag = respond.Tag(p.content).String()
		pages[path] = p
	}
	return reference{pages, corsOrigins}, nil
}

func readAsset(name, kind string) (page, error) {
	content, err := static.FS.ReadFile(name)
	if err != nil || !strings.HasSuffix(name, ".gz") {
		return page{kind: kind, content: content}, err
	}
	z, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return page{}, err
	}
	plain, err := io.ReadAll(z)
	return page{kind: kind, content: plain, zipped: content}, err
}

// reference is the pages by their path.
type reference struct {
	pages map[string]page
	cors  origins // of the document
}

// ServeHTTP implements http.Handler.
func (ref reference) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, ok := ref.pages[r.URL.Path]
	h := w.Header()
	if r.URL.Path == "/openapi.json" {
		ref.cors.allow(h, r)
	}
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", docsPolicy)
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	h.Set("Content-Type", p.kind)
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", p.tag)
	if respond.Matches(r.Header.Values("If-None-Match"), p.tag) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	content := p.content
	if p.zipped != nil {
		h.Add("Vary", "Accept-Encoding")
		if respond.AcceptsGzip(r.Header.Get("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			content = p.zipped
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(content)))
	// If this fails, the client is gone.
	_, _ = w.Write(content)
}
