package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"sync"

	"gamedex/internal/serve"
)

// templates are the pages by name, each with the layout and all shared parts. A page is parsed when
// it is first shown: the copies of the layout take longer than all else at the start of a service.
type templates map[string]func() (*template.Template, error)

func (t templates) execute(w io.Writer, page, name string, data any) error {
	parse, ok := t[page]
	if !ok {
		return fmt.Errorf("there is no template %s", page)
	}
	parsed, err := parse()
	if err == nil {
		err = parsed.ExecuteTemplate(w, name, data)
	}
	if err != nil {
		return fmt.Errorf("render %s of %s: %w", name, page, err)
	}
	return nil
}

// Resources are what sites are made from and what no [Config] changes: texts, assets and
// templates. Sites may share them.
type Resources struct {
	languages *languages
	assets    assets
	templates templates
}

// Load returns the resources of a site with the templates of the frame and of page packages:
// PACKAGE/templates/*.html.
func Load(templates fs.FS) (r *Resources, err error) {
	r = &Resources{}
	if r.languages, err = loadLanguages(); err != nil {
		return nil, err
	}
	if r.assets, err = loadAssets(); err != nil {
		return nil, err
	}
	r.templates, err = parseTemplates(r.assets, templates)
	return r, err
}

// parseTemplates reads the templates of the frame and of page packages.
// Files that begin with "part-" hold parts that any page may use.
func parseTemplates(assets assets, files fs.FS) (templates, error) {
	layout := template.New("layout.html").Funcs(template.FuncMap{"asset": assets.address, "dict": dict})
	if _, err := layout.ParseFS(files, "web/templates/layout.html", "*/templates/part-*.html"); err != nil {
		return nil, err
	}
	paths, err := fs.Glob(files, "*/templates/*.html")
	if err != nil {
		return nil, err
	}
	pages := templates{}
	for _, file := range paths {
		pages[strings.TrimSuffix(path.Base(file), ".html")] = sync.OnceValues(func() (*template.Template, error) {
			page, err := layout.Clone()
			if err != nil {
				return nil, err
			}
			return page.ParseFS(files, file)
		})
	}
	return pages, nil
}

// dict returns a map of names and values: the arguments of a part of a page. It panics if they are not pairs,
// which is an error of the template.
func dict(pairs ...any) map[string]any {
	m := make(map[string]any, len(pairs)/2)
	for pair := range slices.Chunk(pairs, 2) {
		m[pair[0].(string)] = pair[1]
	}
	return m
}

//go:embed assets
var assetFiles embed.FS

// assetPath is where styles, scripts and the icon are. Those of the page of a game are apart,
// because no other page needs them.
const assetPath = "/assets/"

// assets are the files that pages load, by name.
type assets map[string]asset

type asset struct {
	contentType string
	content     []byte
	version     string // changes with the content
}

func loadAssets() (assets, error) {
	files := assets{}
	for name, contentType := range map[string]string{
		"style.css":     "text/css; charset=utf-8",
		"game.css":      "text/css; charset=utf-8",
		"reference.css": "text/css; charset=utf-8",
		"reference.js":  "text/javascript; charset=utf-8",
		"script.js":     "text/javascript; charset=utf-8",
		"game.js":       "text/javascript; charset=utf-8",
		"icon.svg":      "image/svg+xml",
	} {
		content, err := assetFiles.ReadFile("assets/" + name)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(content)
		files[name] = asset{contentType, content, base64.RawURLEncoding.EncodeToString(sum[:9])}
	}
	return files, nil
}

// address returns the address of a file, which changes with its content.
func (a assets) address(name string) (string, error) {
	f, ok := a[name]
	if !ok {
		return "", fmt.Errorf("there is no asset %s", name)
	}
	return assetPath + name + "?v=" + f.version, nil
}

// ServeHTTP writes a file. Browsers may cache it permanently if the address has its
// version.
func (a assets) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	record := serve.RecordFrom(r.Context())
	record.Route, record.Quiet = assetPath, true
	f, ok := a[r.URL.Path[len(assetPath):]]
	switch {
	case !ok:
		http.NotFound(w, r)
		return
	case r.Method != http.MethodGet && r.Method != http.MethodHead:
		w.Header().Set("Allow", "GET, HEAD")
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	h := w.Header()
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", fmt.Sprint(len(f.content)))
	h.Set("Cache-Control", "no-cache")
	if r.URL.Query().Get("v") == f.version {
		h.Set("Cache-Control", "public, max-age=31536000, immutable")
	}
	if r.Method != http.MethodHead {
		_, _ = w.Write(f.content) // fails only if the browser left
	}
}

// favicon redirects programs that know no other address of the icon.
func (s *Site) favicon(w http.ResponseWriter, r *http.Request) {
	record := serve.RecordFrom(r.Context())
	record.Route, record.Quiet = "GET /favicon.ico", true
	http.Redirect(w, r, assetPath+"icon.svg", http.StatusFound)
}

// allowNothing answers crawlers that no page is for them.
func allowNothing(w http.ResponseWriter, r *http.Request) {
	serve.RecordFrom(r.Context()).Route = "GET /robots.txt"
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = io.WriteString(w, "User-agent: *\nDisallow: /\n") // fails only if the crawler left
}

// ParseImageHosts returns the origins in a list of hosts and origins. A host
// without a scheme means HTTPS.
func ParseImageHosts(words []string) ([]string, error) {
	var hosts []string
	for _, word := range words {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		address := word
		if !strings.Contains(address, "://") {
			address = "https://" + address
		}
		u, err := url.Parse(address)
		if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || address != u.Scheme+"://"+u.Host ||
			strings.ContainsAny(u.Host, "*;,' ") {
			return nil, fmt.Errorf("image-hosts %q: must be a host such as img.example, or an origin such as https://img.example", word)
		}
		hosts = append(hosts, strings.ToLower(address))
	}
	return hosts, nil
}

// ImageSource returns the address from which a page loads a picture, or "" if the
// policy does not allow it. Pictures of this server get a path without a host.
func (s *Site) ImageSource(address string) string {
	if path, ok := strings.CutPrefix(address, s.PublicURL+"/"); ok {
		return LocalPath("/"+path, "") // "//host" would be another server's
	}
	u, err := url.Parse(address)
	if err != nil || u.User != nil || !slices.Contains(s.images, strings.ToLower(u.Scheme+"://"+u.Host)) {
		return ""
	}
	return address
}
