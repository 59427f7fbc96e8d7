package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/getkin/kin-openapi/openapi3filter"
	"github.com/getkin/kin-openapi/routers"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// prefix is the start of every path of the document.
const prefix = "/api/v1"

// Reference is the API reference with every object closed, so that an unknown
// field is a fault. Clients must not close it: fields may be added. It is safe
// for concurrent use.
type Reference struct {
	Doc *openapi3.T
	// quick is Doc as a document of OpenAPI 3.0: it knows no propertyNames, but its
	// schemas need not be compiled for each answer, which takes ten times as long.
	quick *openapi3.T
	seen  *sync.Map // *openapi3.ResponseRef: of the answers that Doc has checked
}

// Read reads an OpenAPI document in JSON.
func Read(document []byte) (Reference, error) {
	var tree any
	if err := json.Unmarshal(document, &tree); err != nil {
		return Reference{}, fmt.Errorf("read API reference: %w", err)
	}
	prepare(tree)
	closed, err := json.Marshal(tree)
	if err != nil {
		return Reference{}, fmt.Errorf("close API reference: %w", err)
	}
	doc, err := openapi3.NewLoader().LoadFromData(closed)
	if err != nil {
		return Reference{}, fmt.Errorf("read API reference: %w", err)
	}
	quick := *doc
	quick.OpenAPI = "3.0.3"
	return Reference{doc, &quick, new(sync.Map)}, nil
}

// prepare closes objects, and writes what OpenAPI 3.0 has no word for in other words.
func prepare(node any) {
	switch node := node.(type) {
	case []any:
		for _, child := range node {
			prepare(child)
		}
	case map[string]any:
		properties, isSchema := node["properties"].(map[string]any)
		if _, open := node["additionalProperties"]; isSchema && !open && node["type"] != nil {
			node["additionalProperties"] = false
		}
		for _, property := range properties {
			schema, _ := property.(map[string]any)
			if constant, ok := schema["const"]; ok {
				schema["enum"] = []any{constant}
			} else if schema["type"] == nil && schema["$ref"] == nil && schema["anyOf"] == nil {
				schema["nullable"] = true // any value
			}
		}
		for name, child := range node {
			if name != "example" && name != "examples" {
				prepare(child)
			}
		}
	}
}

// check returns what is wrong with an answer, or nil. body is the body as sent,
// including its content coding.
func (ref Reference) check(r *http.Request, resp *http.Response, body []byte) error {
	if id := resp.Header.Get("X-Request-Id"); !isRequestID(id) || resp.Header.Get("X-Content-Type-Options") != "nosniff" {
		return fmt.Errorf("X-Request-Id %q, X-Content-Type-Options %q", id, resp.Header.Get("X-Content-Type-Options"))
	}
	if r.Method == http.MethodHead || resp.StatusCode == http.StatusNotModified || resp.StatusCode == http.StatusNoContent {
		if len(body) > 0 {
			return fmt.Errorf("a body of %d bytes, want none", len(body))
		}
		return nil
	}
	plain, err := Unpack(resp.Header.Get("Content-Encoding"), body)
	if err != nil {
		return err
	}
	if kind := resp.Header.Get("Content-Type"); kind != "application/json; charset=utf-8" {
		return fmt.Errorf("Content-Type %q", kind)
	}
	if err := ref.validate(r, resp, plain); err != nil {
		return fmt.Errorf("breaks the API reference: %w\n%.2000s", err, plain)
	}
	return nil
}

func isRequestID(id string) bool {
	const allowed = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-"
	return id != "" && len(id) <= 128 && strings.Trim(id, allowed) == ""
}

// Unpack decodes a content coding, "" for none.
func Unpack(coding string, body []byte) ([]byte, error) {
	var in io.Reader = bytes.NewReader(body)
	var err error
	switch coding {
	case "":
	case "gzip":
		in, err = gzip.NewReader(in)
	case "zstd":
		in, err = zstd.NewReader(in)
	default:
		err = fmt.Errorf("unknown content coding %q", coding)
	}
	if err != nil {
		return nil, err
	}
	return io.ReadAll(in)
}

// validate finds the documented response and checks the answer against it, the first
// answer of each kind with all keywords of JSON Schema. Unknown paths and wrong methods
// have no operation; their responses are among the components.
func (ref Reference) validate(r *http.Request, resp *http.Response, body []byte) error {
	op := ref.operation(r)
	if op == nil {
		name := "NotFound"
		if resp.StatusCode == http.StatusMethodNotAllowed {
			name = "MethodNotAllowed"
		}
		op = openapi3.NewOperation()
		op.Responses = openapi3.NewResponses(openapi3.WithStatus(resp.StatusCode, ref.Doc.Components.Responses[name]))
	}
	spec := ref.quick
	if _, seen := ref.seen.LoadOrStore(op.Responses.Status(resp.StatusCode), true); !seen {
		spec = ref.Doc
	}
	return openapi3filter.ValidateResponse(context.Background(), &openapi3filter.ResponseValidationInput{
		RequestValidationInput: &openapi3filter.RequestValidationInput{
			Request: r, Route: &routers.Route{Spec: spec, Operation: op},
		},
		Status: resp.StatusCode, Header: resp.Header, Body: io.NopCloser(bytes.NewReader(body)),
		Options: &openapi3filter.Options{IncludeResponseStatus: true},
	})
}

// operation returns the document's entry for a request, or nil. The path may
// still be escaped: tests send paths that no URL package would write.
func (ref Reference) operation(r *http.Request) *openapi3.Operation {
	sent := strings.Split(r.URL.Path, "/")
	for path, item := range ref.Doc.Paths.Map() {
		segments := strings.Split(prefix+path, "/")
		if slices.EqualFunc(segments, sent, func(want, got string) bool {
			if decoded, err := url.PathUnescape(got); err == nil {
				got = decoded
			}
			return want == got || strings.HasPrefix(want, "{") && got != ""
		}) {
			return item.GetOperation(r.Method)
		}
	}
	return nil
}
