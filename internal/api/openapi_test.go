package api_test

import (
	"bytes"
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"gamedex/internal/api"
	"gamedex/internal/api/bulk"
	"gamedex/internal/testing/apitest"
	"gamedex/internal/testing/golden"
)

// written returns the document of openapi.yaml as openapi.json has it. Tests read it, rather
// than what is built in, so that one run with -update is enough after a change.
var written = sync.OnceValues(func() ([]byte, error) {
	source, err := os.ReadFile("openapi.yaml")
	if err != nil {
		return nil, err
	}
	doc, err := openapi3.NewLoader().LoadFromData(source)
	if err != nil {
		return nil, err
	}
	raw, err := doc.MarshalJSON()
	if err != nil {
		return nil, err
	}
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, raw, "", " "); err != nil {
		return nil, err
	}
	return append(pretty.Bytes(), '\n'), nil
})

// openAPI returns the document that the program prints: with -update the next one.
func openAPI(t testing.TB) []byte {
	t.Helper()
	text, err := written()
	must(t, err)
	return text
}

func TestOpenAPIDocumentIsValidAndCurrent(t *testing.T) {
	text := openAPI(t)
	doc, err := openapi3.NewLoader().LoadFromData(text)
	must(t, err)
	if err := doc.Validate(t.Context(), openapi3.EnableExamplesValidation(), openapi3.EnableSchemaFormatValidation()); err != nil {
		t.Error(err)
	}
	golden.Check(t, "openapi.json", string(text))
	if !golden.Update() && !bytes.Equal(api.OpenAPI(), text) {
		t.Error("the document that is built in is not openapi.json")
	}
}

// reference is the document, read once.
var reference = sync.OnceValues(func() (apitest.Reference, error) {
	text, err := written()
	if err != nil {
		return apitest.Reference{}, err
	}
	return apitest.Read(text)
})

func document(t testing.TB) *openapi3.T {
	t.Helper()
	ref, err := reference()
	must(t, err)
	return ref.Doc
}

func TestOpenAPINamesEveryRoute(t *testing.T) {
	doc := document(t)
	documented := map[string]bool{}
	for path, item := range doc.Paths.Map() {
		for method := range item.Operations() {
			documented[method+" /api/v1"+path] = true
		}
	}
	for _, e := range api.Endpoints() {
		for _, method := range e.Methods {
			if name := method + " " + e.Pattern; method != "HEAD" && !documented[name] {
				t.Errorf("%s is not in the document", name)
			} else {
				delete(documented, name)
			}
		}
	}
	for name := range documented {
		t.Errorf("the document has %s, which does not exist", name)
	}
}

func TestOpenAPINamesEveryErrorCode(t *testing.T) {
	doc := document(t)
	var listed []string
	for _, code := range doc.Components.Schemas["ErrorCode"].Value.Enum {
		listed = append(listed, code.(string))
	}
	if want := codes(t); !slices.Equal(listed, want) {
		t.Errorf("ErrorCode lists %v, the table has %v", listed, want)
	}
	shown := map[string]bool{}
	for _, response := range doc.Components.Responses {
		for _, content := range response.Value.Content {
			for name := range content.Examples {
				shown[name] = true
			}
		}
	}
	for _, code := range codes(t) {
		if !shown[code] {
			t.Errorf("no response of the document has an example of %s", code)
		}
	}
}

func TestOpenAPIShowsAnExampleOfEveryResponse(t *testing.T) {
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				for kind, content := range response.Value.Content {
					if content.Example == nil && len(content.Examples) == 0 {
						t.Errorf("%s %s: %s %s has no example", method, path, status, kind)
					}
				}
			}
		}
	}
}

func TestOpenAPIDocumentsRequiredTexts(t *testing.T) {
	text := strings.ToLower(document(t).Info.Description)
	for _, topic := range []string{
		"what a request costs", "etag", "10 to 15 minutes", "successors", "wait for a pause",
		"six months", "fields and endpoints are only added", "addition",
	} {
		if !strings.Contains(text, topic) {
			t.Errorf("the description does not mention %q", topic)
		}
	}
}

// TestOpenAPINamesEveryBlock compares the blocks that the descriptions of include name with those that
// the handlers take.
func TestOpenAPINamesEveryBlock(t *testing.T) {
	doc := document(t)
	for where, text := range map[string]string{
		"parameter": doc.Paths.Value("/catalog/prices").Get.Parameters.GetByInAndName("query", "include").Description,
		"body":      doc.Components.Schemas["PricesRequest"].Value.Properties["include"].Value.Description,
	} {
		var named []string
		for _, found := range regexp.MustCompile("`([a-z]+)`").FindAllStringSubmatch(text, -1) {
			named = append(named, found[1])
		}
		if !slices.Equal(named, bulk.BlockNames[:]) {
			t.Errorf("%s: the description names %q, the handlers take %q", where, named, bulk.BlockNames)
		}
	}
}
