package reference

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"gamedex/internal/dashboard/web"
)

type endpointView struct {
	frame
	*operation
	Fields  []field
	Sent    string // the body in the form
	Person  bool   // a user may send the request; otherwise only a key
	Command string
	Result  *result // nil: nothing was sent
}

type field struct {
	parameter
	Value   string
	Options []string // the values to choose from; none: any text
}

// Hint returns an example to type, unless there is a choice or the field has it.
func (f field) Hint() string {
	if len(f.Options) > 0 || f.Value == f.Example {
		return ""
	}
	return f.Example
}

type result struct {
	Status  int
	Phrase  string
	Headers []header
	Body    string
	Size    int // of a body of which Body is only the beginning; 0: it is whole
}

// Good reports whether the API did what it was asked for.
func (r *result) Good() bool { return r.Status < http.StatusBadRequest }

type header struct{ Name, Value string }

func (p *pages) endpoint(v *web.Visit) error {
	o, ok := p.operations[v.R.PathValue("operation")]
	if !ok {
		return web.NotFound()
	}
	view := p.view(o, func(f parameter) string {
		if f.Required {
			return f.Example
		}
		return ""
	})
	if o.Body != nil {
		view.Sent = o.Body.Example
	}
	return p.render(v, view)
}

func (p *pages) try(v *web.Visit) error {
	o, ok := p.operations[v.R.PathValue("operation")]
	if !ok || o.Method != v.R.Method && v.R.Method != http.MethodHead {
		return web.NotFound()
	}
	view := p.view(o, func(f parameter) string { return v.Form(f.Name) })
	if !view.Person {
		return web.NotFound()
	}
	view.Sent = v.Form("body")
	var err error
	if view.Result, err = p.send(v, view); err != nil {
		return err
	}
	return p.render(v, view)
}

// keyGroups are the tags of the operations that are about the calling key. People have none.
var keyGroups = []string{"account", "webhooks"}

func (p *pages) view(o *operation, value func(parameter) string) *endpointView {
	view := &endpointView{frame: p.frame, operation: o, Person: !slices.Contains(keyGroups, o.Group)}
	for _, param := range o.Parameters {
		f := field{parameter: param, Value: value(param), Options: param.Schema.Values}
		if param.Schema.Type == "boolean" {
			f.Options = []string{"true", "false"}
		}
		view.Fields = append(view.Fields, f)
	}
	return view
}

func (p *pages) render(v *web.Visit, view *endpointView) error {
	view.Command = p.command(v, view)
	return v.Render(http.StatusOK, "docs-endpoint", view)
}

func (e *endpointView) target() string {
	path, query := e.FullPath(), url.Values{}
	for _, f := range e.Fields {
		switch {
		case f.In == "path":
			path = strings.Replace(path, "{"+f.Name+"}", url.PathEscape(f.Value), 1)
		case f.In == "query" && f.Value != "":
			query.Set(f.Name, f.Value)
		}
	}
	if len(query) > 0 {
		path += "?" + strings.ReplaceAll(query.Encode(), "%2C", ",")
	}
	return path
}

func (p *pages) command(v *web.Visit, view *endpointView) string {
	line := p.site.Curl(v.T("card.your-key"), view.target())
	if view.Public {
		line = "curl '" + p.site.PublicURL + view.target() + "'"
	}
	for _, f := range view.Fields {
		if f.In == "header" && f.Value != "" {
			line += " \\\n  -H " + quote(f.Name+": "+f.Value)
		}
	}
	if view.Method != http.MethodGet && (view.Body == nil || view.Method != http.MethodPost) { // with a body curl sends POST, else GET
		line += " \\\n  -X " + view.Method
	}
	if view.Body != nil {
		line += " \\\n  -H 'Content-Type: application/json' \\\n  -d " + quote(view.Sent)
	}
	return line
}

// quote returns a text as a token of a shell command.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func (p *pages) send(v *web.Visit, view *endpointView) (*result, error) {
	r, err := http.NewRequestWithContext(v.Context(), view.Method, view.target(), strings.NewReader(view.Sent))
	if err != nil {
		return nil, fmt.Errorf("try %s: %w", view.ID, err)
	}
	for _, f := range view.Fields {
		if f.In == "header" && f.Value != "" {
			r.Header.Set(f.Name, f.Value)
		}
	}
	if view.Body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return resultOf(web.Call(p.api(v.User.ID), r, maxKept)), nil
}

const (
	maxKept  = 1 << 20  // bytes of a body that are kept
	maxShown = 20 << 10 // bytes of it that a page shows
)

func resultOf(a *web.Answer) *result {
	r := &result{Status: a.Status, Phrase: http.StatusText(a.Status)}
	for name, values := range a.Header() {
		for _, value := range values {
			r.Headers = append(r.Headers, header{name, value})
		}
	}
	slices.SortFunc(r.Headers, func(a, b header) int { return strings.Compare(a.Name, b.Name) })
	var pretty bytes.Buffer
	if a.Size != len(a.Body) || json.Indent(&pretty, a.Body, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(a.Body)
	}
	shown := pretty.Bytes()
	if len(shown) > maxShown {
		shown, r.Size = shown[:maxShown], a.Size
	}
	r.Body = strings.ToValidUTF8(string(shown), "")
	return r
}
