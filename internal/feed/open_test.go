package feed_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gamedex/internal/feed"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "feed.ndjson")
	if err := os.WriteFile(file, []byte("from a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	server := serve(t)
	tests := []struct {
		name, input, want string
		size              int64
	}{
		{"file", file, "from a file", 11},
		{"stdin", "-", "from stdin", -1},
		{"URL", server.URL + "/feed", "from the web", 12},
		{"URL in upper case", strings.Replace(server.URL, "http", "HTTP", 1) + "/feed", "from the web", 12},
		{"URL without length", server.URL + "/stream", "from the web", -1},
		{"URL of a server that compresses if allowed", server.URL + "/packing", "from the web", 12},
		{"device", os.DevNull, "", -1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, size, err := feed.Open(t.Context(), tt.input, strings.NewReader("from stdin"), server.Client())
			if err != nil {
				t.Fatal(err)
			}
			defer in.Close()
			got, err := io.ReadAll(in)
			if err != nil || string(got) != tt.want || size != tt.size {
				t.Errorf("got %q of %d bytes, %v; want %q of %d", got, size, err, tt.want, tt.size)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	server := serve(t)
	tests := []struct{ name, input, want string }{
		{"no file", filepath.Join(dir, "none"), "none: no such file or directory"},
		{"directory", dir, dir + " is a directory, not a file"},
		{"not found", server.URL + "/none", "/none answered 404 Not Found"},
		{"password hidden in an invalid URL", "http://me:secret@[::1/x", "no URL: missing ']' in host"},
		{"password hidden", strings.Replace(server.URL, "://", "://me:secret@", 1) + "/none", "/none answered 404 Not Found"},
		{"no server", "http://127.0.0.1:1/feed", "connection refused"},
		{"broken URL", "http://%zz", `invalid URL escape "%zz"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := feed.Open(t.Context(), tt.input, nil, server.Client())
			if err == nil || !strings.HasSuffix(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
				t.Errorf("got %v, want …%s", err, tt.want)
			}
		})
	}
}

// TestOpenEndsWithItsContext checks that a blocked read ends with ctx, and that later
// reads fail too.
func TestOpenEndsWithItsContext(t *testing.T) {
	silent, writer := io.Pipe()
	defer writer.Close()
	ctx, cancel := context.WithCancel(t.Context())
	in, _, err := feed.Open(ctx, "-", silent, nil)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(5*time.Millisecond, cancel)
	for range 2 {
		if _, err := in.Read(make([]byte, 10)); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	}
}

func serve(t *testing.T) *httptest.Server {
	mux := http.NewServeMux()
	mux.HandleFunc("/feed", func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "from the web") })
	mux.HandleFunc("/stream", func(w http.ResponseWriter, r *http.Request) {
		w.(http.Flusher).Flush()
		io.WriteString(w, "from the web")
	})
	mux.HandleFunc("/packing", func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			io.WriteString(w, gzipped(t, "from the web"))
			return
		}
		io.WriteString(w, "from the web")
	})
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	return server
}
