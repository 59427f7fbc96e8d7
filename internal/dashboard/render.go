package dashboard

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"path"
	"strings"
)

//go:embed templates/*.html
var templateFiles embed.FS

// templates are the pages by name, each with the layout and the parts around
// it. Files that begin with "part-" hold parts that any page may use.
type templates map[string]*template.Template

func loadTemplates(assets assets) (templates, error) {
	layout, err := template.New("layout.html").Funcs(template.FuncMap{
		"asset": assets.address,
		"dict":  dict,
	}).ParseFS(templateFiles, "templates/layout.html", "templates/part-*.html")
	if err != nil {
		return nil, err
	}
	files, err := templateFiles.ReadDir("templates")
	if err != nil {
		return nil, err
	}
	pages := make(templates)
	for _, f := range files {
		name := strings.TrimSuffix(f.Name(), ".html")
		if name == "layout" || strings.HasPrefix(name, "part-") {
			continue
		}
		page, err := layout.Clone()
		if err == nil {
			_, err = page.ParseFS(templateFiles, path.Join("templates", f.Name()))
		}
		if err != nil {
			return nil, err
		}
		pages[name] = page
	}
	return pages, nil
}

func (t templates) execute(page *bytes.Buffer, name string, v *visit) error {
	parsed, ok := t[name]
	if !ok {
		return fmt.Errorf("there is no template %s", name)
	}
	return parsed.ExecuteTemplate(page, "layout.html", v)
}

// dict makes a map of names and values, to give a part of a page more than one
// of them.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: %d arguments, want pairs", len(pairs))
	}
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: name %v is no text", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}
