package api_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestOpenAPITellsEveryType checks what generators of clients need: without a type
// or a format they make an untyped value or a float of 32 bits.
func TestOpenAPITellsEveryType(t *testing.T) {
	var doc any
	must(t, json.Unmarshal(openAPI(t), &doc))
	walkSchemas(doc, "", func(place string, schema map[string]any) {
		types := typesOf(schema)
		format, _ := schema["format"].(string)
		for _, word := range []string{"enum", "const", "format"} {
			if _, has := schema[word]; has && len(types) == 0 {
				t.Errorf("%s has %s without type", place, word)
			}
		}
		if slices.Contains(types, "number") && format != "double" {
			t.Errorf("%s is a number of format %q, want double", place, format)
		}
		if slices.Contains(types, "integer") && format != "int32" && format != "int64" {
			t.Errorf("%s is an integer of format %q, want int32 or int64", place, format)
		}
		name := place[strings.LastIndexByte(place, '/')+1:]
		if slices.Contains(types, "string") && strings.HasSuffix(name, "At") && format != "date-time" {
			t.Errorf("%s is a time of format %q, want date-time", place, format)
		}
	})
}

// walkSchemas calls f for each object of a document that has a schema's type, enum
// or const.
func walkSchemas(node any, place string, f func(place string, schema map[string]any)) {
	switch node := node.(type) {
	case []any:
		for i, child := range node {
			walkSchemas(child, fmt.Sprintf("%s/%d", place, i), f)
		}
	case map[string]any:
		_, enum := node["enum"].([]any)
		if enum || node["const"] != nil || len(typesOf(node)) > 0 {
			f(place, node)
		}
		for name, child := range node {
			if !strings.HasPrefix(name, "example") && name != "default" {
				walkSchemas(child, place+"/"+name, f)
			}
		}
	}
}

// typesOf returns the types of a schema, without null.
func typesOf(schema map[string]any) []string {
	var types []string
	switch sent := schema["type"].(type) {
	case string:
		types = []string{sent}
	case []any:
		for _, one := range sent {
			if one != "null" {
				types = append(types, one.(string))
			}
		}
	}
	return types
}

func TestOpenAPIDescribesEveryOperationAndParameter(t *testing.T) {
	for path, item := range document(t).Paths.Map() {
		for method, op := range item.Operations() {
			if op.Summary == "" || op.Description == "" {
				t.Errorf("%s %s: summary %q, description %q", method, path, op.Summary, op.Description)
			}
			for _, p := range op.Parameters {
				if p.Value.Description == "" {
					t.Errorf("%s %s: the parameter %s has no description", method, path, p.Value.Name)
				}
			}
		}
	}
}

// TestOpenAPIBoundsParameters compares the schemas of parameters with what the
// handlers take.
func TestOpenAPIBoundsParameters(t *testing.T) {
	for _, c := range []struct{ path, name, want string }{
		{"/catalog/search", "q", `{"maxLength":200,"minLength":2,"type":"string"}`},
		{"/catalog/suggest", "q", `{"maxLength":200,"minLength":2,"type":"string"}`},
		{"/catalog/search", "platform", `{"default":"all","enum":["all","consolestore","pcstore"],"type":"string"}`},
		{"/catalog/suggest", "platform", `{"default":"all","enum":["all","consolestore","pcstore"],"type":"string"}`},
		{"/catalog/prices", "platform", `{"default":"auto","enum":["auto","consolestore","pcstore"],"type":"string"}`},
		{"/catalog/search", "includeRelated", `{"default":false,"type":"boolean"}`},
		{"/catalog/search", "includeMembers", `{"default":false,"type":"boolean"}`},
		{"/catalog/search", "limit", `{"default":10,"format":"int32","maximum":100,"minimum":1,"type":"integer"}`},
		{"/catalog/suggest", "limit", `{"default":8,"format":"int32","maximum":20,"minimum":1,"type":"integer"}`},
	} {
		got, err := json.Marshal(document(t).Paths.Value(c.path).Get.Parameters.GetByInAndName("query", c.name).Schema)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %s is %s, %v; want %s", c.path, c.name, got, err, c.want)
		}
	}
}
