package web

import (
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"net/http"

	"gamedex/internal/serve"
)

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
