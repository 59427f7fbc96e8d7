package api

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
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

// DocumentPath is where [Document] serves the OpenAPI document.
const DocumentPath = "/openapi.json"

// OpenAPI is the interface as an OpenAPI 3.1 document in JSON. Its server is the
// host that the document comes from. Callers must not change it.
func OpenAPI() []byte { return openAPI }

// ContractVersion returns the version of the interface, as the document states it.
func ContractVersion() (string, error) {
	var doc struct{ Info struct{ Version string } }
	if err := json.Unmarshal(openAPI, &doc); err != nil {
		return "", fmt.Errorf("read OpenAPI document: %w", err)
	}
	return doc.Info.Version, nil
}

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

// Files returns the handlers of files that need no key, by path: a summary of the API for language models,
// and the Python client. Both contain the address of the service.
func Files(baseURL string, corsOrigins []string) map[string]http.Handler {
	client := strings.Replace(python.Source, "http://127.0.0.1:8080", baseURL, 1)
	return map[string]http.Handler{
		"/llms.txt":   newDocument([]byte(strings.ReplaceAll(summary, summaryBase, baseURL)), "text/plain", corsOrigins),
		"/gamedex.py": newDocument([]byte(client), "text/x-python", corsOrigins),
	}
}

// Document returns a handler that answers with the document of a public URL
// ([OpenAPIAt]), whatever the path is. It needs no key. Pages of the CORS origins may
// read the document.
func Document(publicURL string, corsOrigins []string) (http.Handler, error) {
	text, err := OpenAPIAt(publicURL)
	if err != nil {
		return nil, err
	}
	return newDocument(text, "application/json", corsOrigins), nil
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
