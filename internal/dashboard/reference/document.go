package reference

import (
	"encoding/json"
	"fmt"
	"strings"
)

// document is an OpenAPI 3.1 document, as far as the pages show it.
type document struct {
	Info struct {
		Description string `json:"description"`
	} `json:"info"`
	Tags []struct {
		Name string `json:"name"`
	} `json:"tags"`
	Paths      map[string]map[string]rawOperation `json:"paths"` // by path, then method
	Components struct {
		Schemas    map[string]*schema      `json:"schemas"`
		Parameters map[string]rawParameter `json:"parameters"`
		Headers    map[string]rawParameter `json:"headers"`
		Responses  map[string]rawResponse  `json:"responses"`
	} `json:"components"`
}

type (
	rawOperation struct {
		ID          string                 `json:"operationId"`
		Tags        []string               `json:"tags"`
		Description string                 `json:"description"`
		Parameters  []rawParameter         `json:"parameters"`
		RequestBody *rawResponse           `json:"requestBody"`
		Security    *[]json.RawMessage     `json:"security"`  // empty: public; nil: that of the document
		Responses   map[string]rawResponse `json:"responses"` // by status
	}

	rawParameter struct { // or a header, which has no name
		Ref         string          `json:"$ref"`
		Name        string          `json:"name"`
		In          string          `json:"in"` // "path", "query", "header"
		Required    bool            `json:"required"`
		Description string          `json:"description"`
		Schema      *schema         `json:"schema"`
		Example     json.RawMessage `json:"example"`
	}

	rawResponse struct { // or the body of a request
		Ref         string                  `json:"$ref"`
		Description string                  `json:"description"`
		Headers     map[string]rawParameter `json:"headers"`
		Content     map[string]rawMedia     `json:"content"`
	}

	rawMedia struct {
		Schema   *schema         `json:"schema"`
		Example  json.RawMessage `json:"example"`
		Examples map[string]struct {
			Value json.RawMessage `json:"value"`
		} `json:"examples"`
	}
)

// schema is a JSON Schema. A pointer or text that is absent is nil or "".
type schema struct {
	Ref           string             `json:"$ref"`
	Type          schemaTypes        `json:"type"`
	Format        string             `json:"format"`
	Description   string             `json:"description"`
	Const         json.RawMessage    `json:"const"`
	Enum          []json.RawMessage  `json:"enum"`
	Default       json.RawMessage    `json:"default"`
	Example       json.RawMessage    `json:"example"`
	Pattern       string             `json:"pattern"`
	Minimum       json.Number        `json:"minimum"`
	Maximum       json.Number        `json:"maximum"`
	ExclusiveMin  json.Number        `json:"exclusiveMinimum"`
	MinLength     json.Number        `json:"minLength"`
	MaxLength     json.Number        `json:"maxLength"`
	MinItems      json.Number        `json:"minItems"`
	MaxItems      json.Number        `json:"maxItems"`
	MinProperties json.Number        `json:"minProperties"`
	Required      []string           `json:"required"`
	Properties    map[string]*schema `json:"properties"`
	PropertyNames *schema            `json:"propertyNames"`
	Additional    *schema            `json:"additionalProperties"`
	Items         *schema            `json:"items"`
	AnyOf         []*schema          `json:"anyOf"`
	OneOf         []*schema          `json:"oneOf"`
}

// schemaTypes are the types of a schema, which is one text or a list in JSON.
type schemaTypes []string

// UnmarshalJSON implements json.Unmarshaler.
func (t *schemaTypes) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		*t = schemaTypes{""}
		return json.Unmarshal(text, &(*t)[0])
	}
	return json.Unmarshal(text, (*[]string)(t))
}

// refName returns the name at the end of a reference: "Price" of
// "#/components/schemas/Price".
func refName(ref string) string { return ref[strings.LastIndexByte(ref, '/')+1:] }

// find returns the component that a reference names, or the value itself without
// a reference.
func find[T any](ref string, value T, components map[string]T) (T, error) {
	if ref == "" {
		return value, nil
	}
	found, ok := components[refName(ref)]
	if !ok {
		return value, fmt.Errorf("the OpenAPI document has no %s", ref)
	}
	return found, nil
}
