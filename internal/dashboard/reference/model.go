package reference

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// basePath begins the path of every endpoint.
const basePath = "/api/v1"

type model struct {
	Rules      template.HTML // the description of the whole API
	Groups     []group
	Schemas    []*node // sorted by name
	operations map[string]*operation
}

type group struct {
	Name       string
	Operations []*operation
}

type operation struct {
	ID, Method, Path string // the path without basePath
	Group            string
	Public           bool // needs no key
	Text             template.HTML
	Parameters       []parameter
	Body             *parameter // nil: it has none
	Answers          []answer
}

// Address returns the page of the operation.
func (o *operation) Address() string { return "/docs/endpoints/" + o.ID }

// FullPath returns the path on the server, with the names of its parameters.
func (o *operation) FullPath() string { return basePath + o.Path }

// parameter is a parameter, a header or, without a name, the body of a request.
type parameter struct {
	Name, In string
	Required bool
	Text     template.HTML
	Schema   *node
	Example  string
}

type answer struct {
	Status, Phrase string
	Text           template.HTML
	Headers        []parameter
	Schema         *node // nil: there is no body
	Examples       []example
}

// Schemas returns the names of the schemas that the answer can have.
func (a answer) Schemas() []string {
	if a.Schema.Schema != "" {
		return []string{a.Schema.Schema}
	}
	var names []string
	for _, alternative := range a.Schema.Children {
		if alternative.Name == "" && alternative.Schema != "" {
			names = append(names, alternative.Schema)
		}
	}
	return names
}

// Good reports whether the answer is the one that was asked for.
func (a answer) Good() bool { return a.Status < "400" }

// example is an answer in JSON. Its name is an error code, or "".
type example struct{ Name, JSON string }

// modelBuilder makes the model of a document. It keeps the first error.
type modelBuilder struct {
	document
	err error
}

func parse(text []byte) (*model, error) {
	var b modelBuilder
	if err := json.Unmarshal(text, &b.document); err != nil {
		return nil, fmt.Errorf("read OpenAPI document: %w", err)
	}
	m := &model{Rules: b.markdown(b.Info.Description), operations: map[string]*operation{}}
	for _, tag := range b.Tags {
		m.Groups = append(m.Groups, group{Name: tag.Name})
	}
	for _, path := range slices.Sorted(maps.Keys(b.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(b.Paths[path])) {
			o := b.operation(path, method, b.Paths[path][method])
			i := slices.IndexFunc(m.Groups, func(g group) bool { return g.Name == o.Group })
			if i < 0 {
				return nil, fmt.Errorf("%s %s has no tag of the document", o.Method, path)
			}
			m.Groups[i].Operations = append(m.Groups[i].Operations, o)
			m.operations[o.ID] = o
		}
	}
	for _, name := range slices.Sorted(maps.Keys(b.Components.Schemas)) {
		n := b.node(b.Components.Schemas[name])
		n.Name = name
		m.Schemas = append(m.Schemas, n)
	}
	return m, b.err
}

func (b *modelBuilder) failed(err error) {
	if err != nil && b.err == nil {
		b.err = err
	}
}

func (b *modelBuilder) markdown(text string) template.HTML {
	html, err := markdown(text)
	b.failed(err)
	return html
}

func (b *modelBuilder) operation(path, method string, raw rawOperation) *operation {
	o := &operation{ID: raw.ID, Method: strings.ToUpper(method), Path: path,
		Public: raw.Security != nil && len(*raw.Security) == 0, Text: b.markdown(raw.Description)}
	if len(raw.Tags) > 0 {
		o.Group = raw.Tags[0]
	}
	for _, p := range raw.Parameters {
		p, err := find(p.Ref, p, b.Components.Parameters)
		b.failed(err)
		o.Parameters = append(o.Parameters, parameter{
			Name: p.Name, In: p.In, Required: p.Required, Text: b.markdown(p.Description), Schema: b.node(p.Schema), Example: plain(p.Example)})
	}
	if raw.RequestBody != nil {
		media := raw.RequestBody.Content["application/json"]
		o.Body = &parameter{Text: b.markdown(raw.RequestBody.Description), Schema: b.node(media.Schema), Example: b.compact(media.Example)}
	}
	for _, status := range slices.Sorted(maps.Keys(raw.Responses)) {
		r, err := find(raw.Responses[status].Ref, raw.Responses[status], b.Components.Responses)
		b.failed(err)
		o.Answers = append(o.Answers, b.answer(status, r))
	}
	return o
}

func (b *modelBuilder) answer(status string, r rawResponse) answer {
	a := answer{Status: status, Text: b.markdown(r.Description)}
	var code int
	if _, err := fmt.Sscan(status, &code); err == nil {
		a.Phrase = http.StatusText(code)
	}
	for _, name := range slices.SortedFunc(maps.Keys(r.Headers), headerOrder) {
		h, err := find(r.Headers[name].Ref, r.Headers[name], b.Components.Headers)
		b.failed(err)
		a.Headers = append(a.Headers, parameter{Name: name, Text: b.markdown(h.Description), Schema: b.node(h.Schema)})
	}
	media, ok := r.Content["application/json"]
	if !ok {
		return a
	}
	a.Schema = b.node(media.Schema)
	if media.Example != nil {
		a.Examples = append(a.Examples, example{JSON: b.indent(media.Example)})
	}
	for _, name := range slices.Sorted(maps.Keys(media.Examples)) {
		a.Examples = append(a.Examples, example{name, b.indent(media.Examples[name].Value)})
	}
	return a
}

// headerOrder puts the headers of limits last: they are the same everywhere.
func headerOrder(a, b string) int {
	limit := func(name string) int { return strings.Index(name, "X-RateLimit-") }
	return cmp.Or(cmp.Compare(limit(a), limit(b)), cmp.Compare(a, b))
}

func (b *modelBuilder) indent(text json.RawMessage) string {
	var out bytes.Buffer
	b.failed(json.Indent(&out, text, "", "  "))
	return out.String()
}

func (b *modelBuilder) compact(text json.RawMessage) string {
	var out bytes.Buffer
	b.failed(json.Compact(&out, text))
	return out.String()
}

// plain returns a value as somebody types it: a text without quotes.
func plain(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) == nil {
		return text
	}
	return string(value)
}
