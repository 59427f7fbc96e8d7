package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"gamedex/clients/python"
	"gamedex/internal/api/respond"
)

//go:embed openapi.json
var openAPI []byte

//go:embed llms.txt
var summary string

// summaryBase is the address of the service in llms.txt.
const summaryBase = "https://games.example"

// DocumentPath is where [Files] serve the OpenAPI document.
const DocumentPath = "/openapi.json"

// OpenAPI is the interface as an OpenAPI 3.1 document in JSON. Its server is the
// host that the document comes from. Callers must not change it.
func OpenAPI() []byte { return openAPI }

// ContractVersion returns the version of the interface, as the document states it.
func ContractVersion() string {
	var doc struct{ Info struct{ Version string } }
	_ = json.Unmarshal(openAPI, &doc) // it is the program's own
	return doc.Info.Version
}

// OpenAPIAt returns the document of the service at a public URL: it is the URL of
// the server and that of the contact. If it is empty, the document is [OpenAPI].
func OpenAPIAt(publicURL string) []byte {
	if publicURL == "" {
		return openAPI
	}
	publicURL = strings.TrimRight(publicURL, "/")
	var doc map[string]any
	_ = json.Unmarshal(openAPI, &doc) // it is the program's own
	doc["info"].(map[string]any)["contact"].(map[string]any)["url"] = publicURL
	doc["servers"] = []any{map[string]any{"url": publicURL + "/api/v1"}}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", " ")
	_ = encoder.Encode(doc) // it was JSON
	return out.Bytes()
}

// document answers requests for a text that is the same for everybody.
type document struct {
	text []byte
	kind string // its Content-Type
	tag  string
	cors origins
}

// newDocument returns the handler of a text. Pages of the CORS origins may read it.
func newDocument(text []byte, kind string, corsOrigins []string) document {
	return document{text, kind + "; charset=utf-8", respond.Tag(text).String(), corsOrigins}
}

// Files returns the handlers of files that need no key, by path: the OpenAPI document of a public URL ([OpenAPIAt]);
// a summary of the API for language models, and the Python client, which contain the address of the service. Pages of
// the CORS origins may read them.
func Files(publicURL, baseURL string, corsOrigins []string) map[string]http.Handler {
	client := strings.Replace(python.Source, "http://127.0.0.1:8080", baseURL, 1)
	return map[string]http.Handler{
		DocumentPath:  newDocument(OpenAPIAt(publicURL), "application/json", corsOrigins),
		"/llms.txt":   newDocument([]byte(strings.ReplaceAll(summary, summaryBase, baseURL)), "text/plain", corsOrigins),
		"/gamedex.py": newDocument([]byte(client), "text/x-python", corsOrigins),
	}
}

// ServeHTTP implements http.Handler.
func (d document) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	d.cors.allow(h, r)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		h.Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	h.Set("Cache-Control", "no-cache")
	h.Set("ETag", d.tag)
	if respond.Matches(r.Header.Values("If-None-Match"), d.tag) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h.Set("Content-Type", d.kind)
	h.Set("Content-Length", strconv.Itoa(len(d.text)))
	// If this fails, the client is gone.
	_, _ = w.Write(d.text)
}
