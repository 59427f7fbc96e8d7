package web

import (
	"embed"
	"fmt"
	"html/template"
	"io/fs"
	"path"
	"strings"
)

//go:embed templates
var frameTemplates embed.FS

// templates are the pages by name, each with the layout and all shared parts.
type templates map[string]*template.Template

// parseTemplates reads the templates/*.html of the frame and of page packages.
// Files that begin with "part-" hold parts that any page may use.
func parseTemplates(assets assets, packages []fs.FS) (templates, error) {
	packages = append([]fs.FS{frameTemplates}, packages...)
	layout := template.New("layout.html").Funcs(template.FuncMap{"asset": assets.address, "dict": dict})
	if _, err := layout.ParseFS(frameTemplates, "templates/layout.html"); err != nil {
		return nil, err
	}
	pages := map[string]fs.FS{}
	for _, files := range packages {
		paths, err := fs.Glob(files, "templates/*.html")
		if err != nil {
			return nil, err
		}
		for _, file := range paths {
			switch name := strings.TrimSuffix(path.Base(file), ".html"); {
			case strings.HasPrefix(name, "part-"):
				if _, err := layout.ParseFS(files, file); err != nil {
					return nil, err
				}
			case name != "layout":
				pages[name] = files
			}
		}
	}
	parsed := templates{}
	for name, files := range pages {
		page, err := layout.Clone()
		if err == nil {
			page, err = page.ParseFS(files, "templates/"+name+".html")
		}
		if err != nil {
			return nil, err
		}
		parsed[name] = page
	}
	return parsed, nil
}

// dict returns a map of names and values: the arguments of a part of a page.
func dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, fmt.Errorf("dict: %d arguments, want pairs", len(pairs))
	}
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: name %v is not a string", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
}
